import type { Anchor, LineEdit } from '../hash-lines.ts';
import type { FileRequest } from '../request.ts';
import { type Arguments, type Face, isRecord, linesGiven, newPathOf, type Parsed, pathOf, unpacked } from './shape.ts';

const anchor = { type: 'string', description: 'As shown by read: 12#QK' };

export const hashlineFace: Face = {
  name: 'edit',
  description:
    'Changes a text file by its lines, named as read shows them (12#QK); answers with a diff that has the new names. All edits are of the file as it was read; they must not overlap. loc: "prepend" or "append" (the file), {prepend} or {append} (before or after a line), {range: {pos, end}} (in their place; both lines go). content: the new lines, without names; "" is an empty line, null takes the range away.',
  inputSchema: {
    type: 'object',
    properties: {
      path: { type: 'string', minLength: 1 },
      edits: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            loc: {
              anyOf: [
                { enum: ['prepend', 'append'] },
                { type: 'object', properties: { prepend: anchor }, required: ['prepend'] },
                { type: 'object', properties: { append: anchor }, required: ['append'] },
                {
                  type: 'object',
                  properties: {
                    range: { type: 'object', properties: { pos: anchor, end: anchor }, required: ['pos', 'end'] },
                  },
                  required: ['range'],
                },
              ],
            },
            content: { anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'string' }, { type: 'null' }] },
          },
          required: ['loc', 'content'],
        },
      },
      delete: { type: 'boolean', description: 'Deletes the file' },
      move: { type: 'string', description: 'New path' },
    },
    required: ['path'],
  },
};

const shape = '{path, edits: [{loc: {range: {pos: "12#QK", end: "14#VN"}}, content: ["line"]}], delete?, move?}';

export function parseHashline(args: Arguments): Parsed {
  const path = pathOf(args);
  if (path === undefined) return { problem: `path: is missing (string). Right shape: ${shape}` };
  const one = (file: FileRequest): Parsed => ({ request: { format: 'hashline', files: [file] } });
  const given = unpacked(args.edits) ?? [];
  const list = Array.isArray(given) ? given : [given];
  const moveTo = newPathOf(args.move, path);
  if (args.delete === true || args.delete === 'true')
    return list.length > 0 || moveTo !== undefined
      ? { problem: 'delete: a file that is deleted has no edits and no new path.' }
      : one({ op: 'delete', path });
  const edits: LineEdit[] = [];
  for (const [at, item] of list.entries()) {
    const edit = editOf(unpacked(item));
    if (typeof edit === 'string') return { problem: `edits.${at}.${edit} Right shape: ${shape}` };
    edits.push(edit);
  }
  if (edits.length === 0 && moveTo === undefined) return { problem: `edits: is missing. Right shape: ${shape}` };
  return one({ op: 'update', path, moveTo, by: { kind: 'lines', edits } });
}

function editOf(item: unknown): LineEdit | string {
  if (!isRecord(item)) return ' is no object.';
  const lines = contentOf(item.content);
  if (lines === undefined) return 'content: is no list of lines, no text and not null.';
  const loc = unpacked(item.loc);
  if (loc === 'prepend') return { at: { kind: 'start' }, lines };
  if (loc === 'append') return { at: { kind: 'end' }, lines };
  if (typeof loc === 'string') return rangeOf(loc, loc, lines);
  if (!isRecord(loc)) return 'loc: is missing.';
  const range = unpacked(loc.range);
  if (isRecord(range)) return rangeOf(range.pos, range.end ?? range.pos, lines);
  if (typeof range === 'string') return rangeOf(range, range, lines);
  const [kind, at] = loc.prepend === undefined ? (['after', loc.append] as const) : (['before', loc.prepend] as const);
  const found = anchorOf(at);
  return typeof found === 'string' ? `loc: ${found}` : { at: { kind, anchor: found }, lines };
}

function rangeOf(pos: unknown, end: unknown, lines: readonly string[]): LineEdit | string {
  const from = anchorOf(pos);
  const to = anchorOf(end);
  if (typeof from === 'string') return `loc.range.pos: ${from}`;
  if (typeof to === 'string') return `loc.range.end: ${to}`;
  return from.line > to.line
    ? `loc.range: line ${from.line} is below line ${to.line}.`
    : { at: { kind: 'range', from, to }, lines };
}

/** With what a model may have copied around it. */
function anchorOf(value: unknown): Anchor | string {
  const found = typeof value === 'string' ? /^\s*[+>-]*\s*(\d+)\s*#\s*([A-Z]{2})(?::.*)?\s*$/s.exec(value) : null;
  return found?.[1] === undefined || found[2] === undefined
    ? `${JSON.stringify(value) ?? 'nothing'} is no line as read shows it, like "12#QK".`
    : { line: Number(found[1]), tag: found[2] };
}

/** An empty text is an empty line, as it is in a list: only null and an empty list are no line. */
function contentOf(value: unknown): readonly string[] | undefined {
  if (value === null || value === undefined) return [];
  if (typeof value === 'string') return value === '' ? [''] : linesGiven(value);
  return Array.isArray(value) && value.every((line) => typeof line === 'string')
    ? value.flatMap((line: string) => line.replace(/(?:\r\n|\n|\r)$/, '').split(/\r\n|\n|\r/))
    : undefined;
}
