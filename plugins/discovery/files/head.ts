import type { Head } from '../contract.ts';

type Data = Record<string, unknown>;

/**
 * The head of a Markdown text: YAML between two lines of `---`. What people write there is often not quite YAML, so a line
 * that cannot be read with the others is read by itself, and in the end taken as the text it is.
 */
export async function readHead(text: string): Promise<Head> {
  const parts = /^---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?---[ \t]*(?:\r?\n|$)([\s\S]*)$/.exec(text);
  if (parts === null) return withoutHead(text.trim());
  const [, inside = '', body = ''] = parts;
  const { data, ...wrong } = await readInside(inside.replaceAll('\r\n', '\n'));
  return { data: withCamelKeys(data), body: body.trim(), ...wrong };
}

/** A line at the top may be one that divides, unless a key follows it. */
function withoutHead(body: string): Head {
  if (!/^---[ \t]*\r?\n[A-Za-z_][\w-]*:(?:\s|$)/.test(body)) return { data: {}, body, problems: [] };
  const broken = 'the head that begins in line 1 has no end: a line of --- is missing';
  return { data: {}, body, problems: [broken], broken };
}

type Inside = Pick<Head, 'problems' | 'broken'> & { readonly data: Data };

async function readInside(inside: string): Promise<Inside> {
  const plain = readPlain(inside);
  if (plain !== undefined) return { data: plain, problems: [] };
  const { parse } = await import('yaml');
  try {
    const whole: unknown = parse(inside, { logLevel: 'error' });
    if (isMap(whole)) return { data: whole, problems: [] };
    if (whole === null || whole === undefined) return { data: {}, problems: [] };
  } catch {
    // Line by line, then.
  }
  return readLines(inside, (part) => parse(part, { logLevel: 'error' }));
}

function readLines(inside: string, parse: (text: string) => unknown): Inside {
  const data: Data = {};
  const problems: string[] = [];
  let broken: string | undefined;
  const lines = inside.split('\n');
  for (let at = 0; at < lines.length; ) {
    const first = lines[at] ?? '';
    const start = at;
    at += 1;
    if (first.trim() === '' || first.startsWith('#')) continue;
    while (at < lines.length && /^(?:\s|- |-$|$)/.test(lines[at] ?? '')) at += 1;
    const key = /^([\w-]+)[ \t]*:(?:[ \t]+(.*)|)$/.exec(first);
    if (key === null) {
      // The head begins in the second line of the file.
      problems.push(`line ${start + 2} is no "key: value"`);
      broken ??= problems.at(-1);
      continue;
    }
    const [, name = '', value = ''] = key;
    const block = lines.slice(start, at).join('\n');
    try {
      const part = parse(block);
      if (isMap(part)) data[name] = part[name];
    } catch (error) {
      data[name] = [value, ...lines.slice(start + 1, at).map((line) => line.trim())].join(' ').trim();
      const why = String((error as Error).message).replace(/ at line \d[\s\S]*$|\n[\s\S]*$/, '');
      // `globs: *.ts` and `argument-hint: [a] [b]` are what everybody writes.
      if (!/^[*[]/.test(value)) problems.push(`line ${start + 2}: ${name} is read as plain text: ${why}`);
      // Words with a colon in them are what people write; a quotation mark that is opened is closed, too.
      if (/^["']/.test(value)) broken ??= `line ${start + 2}: ${name} cannot be read: ${why}`;
    }
  }
  return { data, problems, ...(broken === undefined ? {} : { broken }) };
}

/**
 * The part of YAML that nearly all heads are written in, without loading a parser: `key: text`, and lists of texts. Undefined
 * where anything else stands there: then it is for the parser.
 */
export function readPlain(inside: string): Data | undefined {
  const data: Data = {};
  const lines = inside.split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (line.trim() === '' || line.startsWith('#')) continue;
    const pair = /^([A-Za-z_][\w-]*):(?:[ \t]+(.*?))?[ \t]*$/.exec(line);
    if (pair === null) return undefined;
    const [, name = '', written = ''] = pair;
    if (Object.hasOwn(data, name)) return undefined;
    let value: unknown;
    if (written === '') {
      const items: unknown[] = [];
      for (; at + 1 < lines.length; at += 1) {
        const item = /^[ ]*- +(.*?)[ \t]*$/.exec(lines[at + 1] ?? '');
        if (item === null) break;
        const read = readScalar(item[1] ?? '');
        if (read === undefined) return undefined;
        items.push(read.value);
      }
      value = items.length === 0 ? null : items;
    } else {
      const read = written.startsWith('[') ? readList(written) : readScalar(written);
      if (read === undefined) return undefined;
      value = read.value;
    }
    // What is indented belongs to the line above, in ways that are not plain.
    if (/^[ \t]+\S|^-/.test(lines[at + 1] ?? '')) return undefined;
    Object.defineProperty(data, name, { value, enumerable: true, writable: true, configurable: true });
  }
  return data;
}

function readList(written: string): { readonly value: unknown } | undefined {
  const inside = /^\[(.*)\]$/.exec(written)?.[1]?.trim();
  if (inside === undefined) return undefined;
  if (inside === '') return { value: [] };
  // A comma within quotes leaves halves that are none: then it is for the parser.
  const items = inside.split(',').map((part) => readItem(part.trim()));
  return items.every((item) => item !== undefined) ? { value: items.map((item) => item?.value) } : undefined;
}

/** In a list more signs mean something than elsewhere. */
const readItem = (part: string): { readonly value: unknown } | undefined =>
  /^["']/.test(part) || /^[^"'[\]{}#&*!|>%@`?:]+$/.test(part) ? readScalar(part) : undefined;

function readScalar(written: string): { readonly value: unknown } | undefined {
  const quoted = /^(?:"([^"\\]*)"|'([^']*)')$/.exec(written);
  if (quoted !== null) return { value: quoted[1] ?? quoted[2] ?? '' };
  if (!/^[\p{L}_/(<$~.]/u.test(written) || /:(?:\s|$)|\s#|\t/.test(written)) return undefined;
  if (/^(?:true|True|TRUE)$/.test(written)) return { value: true };
  if (/^(?:false|False|FALSE)$/.test(written)) return { value: false };
  if (/^(?:null|Null|NULL|~)$/.test(written)) return { value: null };
  // `.5`, `.inf` and `.nan` are numbers.
  if (/^\.(?:\d|inf|nan)/i.test(written)) return undefined;
  return { value: written };
}

function withCamelKeys(data: Readonly<Data>): Data {
  const camel = (key: string): string => key.replace(/-+([a-z0-9])/gi, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [camel(key), value]));
}

function isMap(value: unknown): value is Data {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
