import { parseHunks } from '../hunks.ts';
import type { FileRequest } from '../request.ts';
import { type Arguments, type Face, linesGiven, newPathOf, type Parsed, pathOf, textOf } from './shape.ts';

export const patchFace: Face = {
  name: 'edit',
  description:
    'Changes, creates, deletes or renames a text file; answers with a diff. For update, diff holds hunks: @@ alone or @@ and a line above the place as it is in the file, then lines with a space (stay), - (go) or + (come) in front. The lines that stay or go have to be in the file, and only once. For create, diff is the whole text, with nothing in front of its lines.',
  inputSchema: {
    type: 'object',
    properties: {
      path: { type: 'string', minLength: 1 },
      op: { enum: ['update', 'create', 'delete'], default: 'update' },
      rename: { type: 'string', description: 'New path' },
      diff: { type: 'string' },
    },
    required: ['path'],
  },
};

const shape = '{path, op: "update" | "create" | "delete", rename?, diff}';

export function parsePatch(args: Arguments): Parsed {
  const path = pathOf(args);
  if (path === undefined) return { problem: `path: is missing (string). Right shape: ${shape}` };
  const op = args.op ?? 'update';
  const diff = textOf(args.diff);
  const rename = newPathOf(args.rename, path);
  const one = (file: FileRequest): Parsed => ({ request: { format: 'patch', files: [file] } });
  if (op === 'delete') return one({ op, path });
  if (op === 'create')
    return diff === undefined
      ? { problem: `diff: is missing: the text of the new file. Right shape: ${shape}` }
      : one({ op, path: rename ?? path, content: wholeText(diff) });
  if (op !== 'update') return { problem: `op: ${JSON.stringify(op)} is none of update, create, delete.` };
  if (diff === undefined && rename === undefined)
    return { problem: `diff: is missing: the hunks. Right shape: ${shape}` };
  const hunks = parseHunks(bodyOf(diff ?? ''));
  if (typeof hunks === 'string') return { problem: `diff: ${hunks}` };
  if (hunks.length === 0 && rename === undefined)
    return { problem: 'diff: there is no hunk in it. A hunk: @@, then lines with a space, - or + in front.' };
  return one({ op, path, moveTo: rename, by: { kind: 'hunks', hunks } });
}

/** Without what stands around the hunks of a unified diff. */
function bodyOf(diff: string): readonly string[] {
  const lines = linesGiven(diff);
  const start = lines.findIndex((line) => line.startsWith('@@'));
  const head = start === -1 ? [] : lines.slice(0, start);
  const isHead =
    head.length > 0 &&
    head.every((line) => /^(?:---|\+\+\+|diff |index |old mode|new mode|similarity|rename |\*\*\* |$)/.test(line));
  return isHead ? lines.slice(start) : lines;
}

/**
 * The text is given as it is. Only where the head of a diff stands above it, `@@` or `+++ `, the + in front of every
 * line is that of a diff: a list may have one of its own.
 */
function wholeText(diff: string): string {
  const lines = linesGiven(diff);
  const start = behindHead(lines);
  const body = lines.slice(start);
  return start > 0 && body.length > 0 && body.every((line) => line.startsWith('+'))
    ? `${body.map((line) => line.slice(1)).join('\n')}\n`
    : diff;
}

/** Where the lines of the one hunk begin that makes a file. */
function behindHead(lines: readonly string[]): number {
  let at = 0;
  while (/^(?:--- |\+\+\+ |diff |new file |index )/.test(lines[at] ?? '')) {
    at += 1;
    if (lines[at - 1]?.startsWith('+++ ')) break;
  }
  return lines[at]?.startsWith('@@') ? at + 1 : at;
}
