import { parseHunks } from '../hunks.ts';
import type { FileRequest } from '../request.ts';
import { type Arguments, type Face, linesGiven, newPathOf, type Parsed, textOf } from './shape.ts';

export const applyPatchFace: Face = {
  name: 'edit',
  description: `Changes several text files at once, all or none; answers with a diff. The patch:
*** Begin Patch
*** Update File: path
*** Move to: path (optional)
@@ a line above the place (optional)
 line that stays
-line that goes
+line that comes
*** Add File: path
+line
*** Delete File: path
*** End Patch
Lines that stay or go have to be in the file, and only once: give three around a change.`,
  inputSchema: {
    type: 'object',
    properties: { patch: { type: 'string', description: 'The whole of it, from *** Begin Patch' } },
    required: ['patch'],
  },
};

const section = /^\*\*\* (Add File|Update File|Delete File): ?(.*)$/;

export function parseApplyPatch(args: Arguments): Parsed {
  const patch = textOf(args.patch ?? args.input);
  if (patch === undefined) return { problem: 'patch: is missing (string): all from *** Begin Patch to *** End Patch.' };
  const lines = linesGiven(patch);
  const begin = lines.findIndex((line) => line.trim() === '*** Begin Patch');
  const end = lines.findLastIndex((line) => line.trim() === '*** End Patch');
  const first = begin === -1 ? lines.findIndex((line) => section.test(line)) : begin + 1;
  if (first === -1) return { problem: 'patch: it has neither *** Begin Patch nor a file in it.' };
  // Cut off, it may lack what was to come.
  if (end === -1) return { problem: 'patch: *** End Patch is missing: it may not be all of it. Nothing was changed.' };
  const files: FileRequest[] = [];
  for (let at = first; at < end; ) {
    const line = lines[at] ?? '';
    if (line.trim() === '') {
      at += 1;
      continue;
    }
    const head = section.exec(line.trimEnd());
    if (head === null)
      return {
        problem: `patch: line ${at + 1} is ${JSON.stringify(line.slice(0, 100))}: *** Add File:, *** Update File: or *** Delete File: has to come first.`,
      };
    const path = (head[2] ?? '').trim();
    if (path === '') return { problem: `patch: line ${at + 1} names no file.` };
    let to = at + 1;
    while (to < end && !section.test(lines[to] ?? '')) to += 1;
    const file = fileOf(head[1] ?? '', path, lines.slice(at + 1, to), at + 2);
    if (typeof file === 'string') return { problem: `patch: ${file}` };
    files.push(file);
    at = to;
  }
  return files.length === 0
    ? { problem: 'patch: there is no file in it.' }
    : { request: { format: 'apply_patch', files } };
}

function fileOf(kind: string, path: string, body: readonly string[], firstLine: number): FileRequest | string {
  if (kind === 'Delete File') {
    const more = body.findIndex((line) => line.trim() !== '');
    return more === -1 ? { op: 'delete', path } : `line ${firstLine + more}: a file that is deleted has no lines.`;
  }
  if (kind === 'Add File') {
    const lines = withoutBlankEnd(body);
    const other = lines.findIndex((line) => !line.startsWith('+'));
    return other === -1
      ? { op: 'create', path, content: lines.map((line) => `${line.slice(1)}\n`).join('') }
      : `line ${firstLine + other}: every line of a new file begins with +.`;
  }
  const move = /^\*\*\* Move to: ?(.*)$/.exec(body[0] ?? '');
  const moveTo = newPathOf(move?.[1]?.trim(), path);
  const hunks = parseHunks(move === null ? body : body.slice(1), firstLine + (move === null ? 0 : 1));
  if (typeof hunks === 'string') return hunks;
  if (hunks.length === 0 && moveTo === undefined) return `line ${firstLine - 1}: nothing is to change in ${path}.`;
  return { op: 'update', path, moveTo, by: { kind: 'hunks', hunks } };
}

function withoutBlankEnd(lines: readonly string[]): readonly string[] {
  let end = lines.length;
  while (end > 0 && lines[end - 1] === '') end -= 1;
  return lines.slice(0, end);
}
