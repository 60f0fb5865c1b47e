import type { Edit } from '../apply.ts';
import { type Arguments, type Face, isRecord, type Parsed, pathOf, textOf, unpacked } from './shape.ts';

export const replaceFace: Face = {
  name: 'edit',
  description:
    'Changes a text file by replacing texts in it; answers with a diff. Every oldText has to be in the file as given, and only once: take in lines around it to make it so, or set replaceAll. To make a file, or replace all of one, use write.',
  inputSchema: {
    type: 'object',
    properties: {
      path: { type: 'string', minLength: 1 },
      edits: {
        type: 'array',
        minItems: 1,
        description: 'All are looked up in the file as it is before; they must not overlap',
        items: {
          type: 'object',
          properties: { oldText: { type: 'string' }, newText: { type: 'string' }, replaceAll: { type: 'boolean' } },
          required: ['oldText', 'newText'],
        },
      },
    },
    required: ['path', 'edits'],
  },
};

const shape = '{path, edits: [{oldText, newText}]}';

/** Also as other agents' tools call them: one edit beside the path, other names, the list as JSON text. */
export function parseReplace(args: Arguments): Parsed {
  const path = pathOf(args);
  if (path === undefined) return { problem: `path: is missing (string). Right shape: ${shape}` };
  const given = unpacked(args.edits);
  const list = Array.isArray(given) ? given : [isRecord(given) ? given : args];
  if (list.length === 0) return { problem: `edits: is empty. Right shape: ${shape}` };
  const edits: Edit[] = [];
  for (const [at, item] of list.entries()) {
    const edit = editOf(unpacked(item), args);
    if (typeof edit === 'string')
      return { problem: `${Array.isArray(given) ? `edits.${at}.` : 'edits: '}${edit}. Right shape: ${shape}` };
    edits.push(edit);
  }
  return { request: { format: 'replace', files: [{ op: 'update', path, by: { kind: 'texts', edits } }] } };
}

function editOf(item: unknown, around: Arguments): Edit | string {
  if (!isRecord(item)) return 'is no object';
  const oldText = textOf(item.oldText ?? item.old_text ?? item.old_string ?? item.oldString);
  const newText = textOf(item.newText ?? item.new_text ?? item.new_string ?? item.newString);
  if (oldText === undefined) return 'oldText is missing (string)';
  if (newText === undefined) return 'newText is missing (string)';
  const all = [item.replaceAll, item.replace_all, item.all, around.replaceAll, around.replace_all, around.all];
  return all.some((value) => value === true || value === 'true')
    ? { oldText, newText, replaceAll: true }
    : { oldText, newText };
}
