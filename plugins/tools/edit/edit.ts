import { defineTool, type FileStore, realPath, resolvePath } from 'kern/contracts';
import { z } from 'zod';
import { type EditDetails, editFile } from './edit-file.ts';

const parameters = z.object({
  path: z.string().min(1),
  edits: z
    .array(z.object({ oldText: z.string(), newText: z.string() }))
    .min(1)
    .describe('All are looked up in the file as it is before; they must not overlap'),
});

export const editTool = (files: () => FileStore, maxBytes: number) =>
  defineTool<z.infer<typeof parameters>, EditDetails>({
    name: 'edit',
    description:
      'Changes a text file by replacing texts in it; answers with a diff. Every oldText has to be in the file as given, and only once: take in lines around it to make it so. To make a file, or replace all of one, use write.',
    parameters,
    executionMode: 'sequential',
    effects: ({ path }, { cwd }) => [{ kind: 'write', path: realPath(resolvePath(path, cwd)) }],
    prepareArguments: otherShapes,
    execute: (_id, args, signal, _onUpdate, context) => editFile(args, files(), maxBytes, signal, context),
  });

/** As other agents' tools call them: one edit beside the path, other names, the list as JSON text. */
function otherShapes(args: unknown): unknown {
  if (!isRecord(args)) return args;
  const path = args.path ?? args.file_path ?? args.filePath;
  const edits = parsed(args.edits);
  if (edits !== undefined)
    return {
      ...args,
      path,
      edits: Array.isArray(edits) ? edits.map((edit) => renamed(parsed(edit))) : [renamed(edits)],
    };
  const single = renamed(args);
  return isRecord(single) && 'oldText' in single
    ? { path, edits: [{ oldText: single.oldText, newText: single.newText }] }
    : { ...args, path };
}

function renamed(edit: unknown): unknown {
  if (!isRecord(edit)) return edit;
  const oldText = edit.oldText ?? edit.old_text ?? edit.old_string ?? edit.oldString;
  const newText = edit.newText ?? edit.new_text ?? edit.new_string ?? edit.newString;
  return { ...edit, ...(oldText === undefined ? {} : { oldText }), ...(newText === undefined ? {} : { newText }) };
}

function parsed(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
