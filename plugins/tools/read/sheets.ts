import { relationsOf } from './relations.ts';
import { attribute, xmlParts } from './xml.ts';
import type { Zip } from './zip.ts';

/** A workbook as text: a heading a sheet, a line a row: its number, then the cells between tabs. */
export function sheetsText(zip: Zip, limit: number): string {
  const workbook = zip.text('xl/workbook.xml') ?? '';
  const relations = relationsOf(zip, 'xl/workbook.xml');
  const strings = sharedStrings(zip.text('xl/sharedStrings.xml') ?? '');
  const isDate = dateStyles(zip.text('xl/styles.xml') ?? '');
  let from1904 = false;
  const made: string[] = [];
  let size = 0;
  for (const part of xmlParts(workbook)) {
    if (part.kind !== 'open') continue;
    if (part.name === 'workbookPr') from1904 = /^(1|true)$/.test(attribute(part.attributes, 'date1904') ?? '');
    if (part.name !== 'sheet') continue;
    const target = relations.get(attribute(part.attributes, 'r:id') ?? '')?.part;
    const state = attribute(part.attributes, 'state');
    made.push(
      `${made.length === 0 ? '' : '\n'}## Sheet: ${attribute(part.attributes, 'name') ?? ''}${state === undefined || state === 'visible' ? '' : ' (hidden)'}`,
    );
    for (const row of rowsOf((target === undefined ? undefined : zip.text(target)) ?? '', {
      strings,
      isDate,
      from1904,
    })) {
      made.push(row);
      size += row.length + 1;
      if (size > limit) return `${made.join('\n')}\n[The rest of the workbook is left out.]`;
    }
  }
  return made.join('\n');
}

interface Workbook {
  readonly strings: readonly string[];
  readonly isDate: (style: number) => boolean;
  readonly from1904: boolean;
}

function* rowsOf(xml: string, workbook: Workbook): Generator<string> {
  let number = 0;
  let cells: string[] = [];
  let column = 0;
  let cell = { type: '', style: 0, value: '', formula: '' };
  let inside = '';
  for (const part of xmlParts(xml)) {
    if (part.kind === 'text') {
      if (inside === 'v' || inside === 't') cell.value += part.text;
      if (inside === 'f') cell.formula += part.text;
    } else if (part.kind === 'open') {
      inside = part.name;
      if (part.name === 'row') {
        number = Number(attribute(part.attributes, 'r') ?? number + 1);
        cells = [];
        column = 0;
      }
      if (part.name === 'c') {
        const reference = attribute(part.attributes, 'r') ?? '';
        const at = reference === '' ? column + 1 : columnNumber(reference);
        // Far to the right stands one cell: its name is shorter than the tabs before it.
        if (at - column > 30) cells.push(`[${reference}]`);
        else for (let empty = column + 1; empty < at; empty += 1) cells.push('');
        column = at;
        cell = {
          type: attribute(part.attributes, 't') ?? 'n',
          style: Number(attribute(part.attributes, 's') ?? 0),
          value: '',
          formula: '',
        };
      }
    } else {
      inside = '';
      if (part.name === 'c') cells.push(shown(cell, workbook).replaceAll('\n', '\\n').replaceAll('\t', ' '));
      if (part.name === 'row' && cells.some((text) => text !== '')) yield `${number}\t${cells.join('\t').trimEnd()}`;
    }
  }
}

function shown(
  { type, style, value, formula }: { type: string; style: number; value: string; formula: string },
  { strings, isDate, from1904 }: Workbook,
): string {
  if (value === '' && formula !== '') return `=${formula}`;
  if (type === 's') return strings[Number(value)] ?? '';
  if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE';
  if (type === 'n' && value !== '' && isDate(style)) return dateText(Number(value), from1904);
  return value;
}

/** Excel counts days from the end of 1899, with a leap day in 1900 that never was. */
function dateText(days: number, from1904: boolean): string {
  const start = from1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, days < 60 ? 31 : 30);
  const date = new Date(start + Math.round(days * 86_400) * 1000);
  if (Number.isNaN(date.getTime())) return String(days);
  const [day = '', time = ''] = date.toISOString().slice(0, 19).split('T');
  if (days < 1 && days >= 0) return time;
  return time === '00:00:00' ? day : `${day} ${time}`;
}

function sharedStrings(xml: string): readonly string[] {
  const strings: string[] = [];
  let text = '';
  let inText = false;
  let phonetic = false;
  for (const part of xmlParts(xml)) {
    if (part.kind === 'text') {
      if (inText && !phonetic) text += part.text;
      continue;
    }
    if (part.name === 't') inText = part.kind === 'open';
    // How Japanese is read aloud is no part of the cell.
    if (part.name === 'rPh') phonetic = part.kind === 'open';
    if (part.name !== 'si') continue;
    if (part.kind === 'close') strings.push(text);
    text = '';
  }
  return strings;
}

/** Which styles of cells show a number as a date. */
function dateStyles(xml: string): (style: number) => boolean {
  const formats = new Map<number, string>();
  const styles: boolean[] = [];
  let inCells = false;
  for (const part of xmlParts(xml)) {
    if (part.kind === 'text') continue;
    if (part.name === 'cellXfs') inCells = part.kind === 'open';
    if (part.kind === 'close') continue;
    const id = Number(attribute(part.attributes, 'numFmtId') ?? 0);
    if (part.name === 'numFmt') formats.set(id, attribute(part.attributes, 'formatCode') ?? '');
    if (part.name === 'xf' && inCells) styles.push(isDateFormat(id, formats.get(id)));
  }
  return (style) => styles[style] ?? false;
}

function isDateFormat(id: number, code: string | undefined): boolean {
  if (code !== undefined) return /[dmyhs]/i.test(code.replaceAll(/"[^"]*"|\\.|\[[^\]]*\]|General/gi, ''));
  return (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58);
}

function columnNumber(reference: string): number {
  let number = 0;
  for (const letter of /^[A-Z]{1,3}/.exec(reference)?.[0] ?? 'A') number = number * 26 + letter.charCodeAt(0) - 64;
  return number;
}
