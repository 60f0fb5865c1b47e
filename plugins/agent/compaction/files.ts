import type { Message, ToolResultMessage } from 'kern/contracts';

/** Files by what was done with them, in the order in which that was first done. */
export interface FileLists {
  readonly read: readonly string[];
  readonly changed: readonly string[];
}

export const noFiles: FileLists = { read: [], changed: [] };

/** Goes on from what was collected before. A file that was changed is in that list alone. */
export function collectFiles(before: FileLists, messages: readonly Message[]): FileLists {
  const read = new Set(before.read);
  const changed = new Set(before.changed);
  const calls = new Map<string, Readonly<Record<string, unknown>>>();
  for (const message of messages) {
    if (message.role === 'assistant')
      for (const part of message.content) if (part.type === 'toolCall') calls.set(part.id, part.arguments);
    if (message.role !== 'toolResult' || message.isError) continue;
    const found = filesOf(message, calls.get(message.toolCallId) ?? {});
    for (const path of found.read) read.add(path);
    for (const path of found.changed) changed.add(path);
  }
  return { read: [...read].filter((path) => !changed.has(path)), changed: [...changed] };
}

/** By the shape of what tools tell in their details, whoever brought them; the path as it was asked for where they tell none. */
function filesOf({ toolName, details }: ToolResultMessage, args: Readonly<Record<string, unknown>>): FileLists {
  const told = isRecord(details) ? details : {};
  if (told.kind === 'folder' || typeof told.pending === 'string') return noFiles;
  if (Array.isArray(told.changes)) return { read: [], changed: told.changes.filter(isRecord).flatMap(appliedPaths) };
  const paths = pathsIn(told);
  if (toolName === 'edit' || toolName === 'write' || 'diff' in told || 'patch' in told)
    return { read: [], changed: paths.length > 0 ? paths : pathsIn(args) };
  return toolName === 'read' ? { read: paths.length > 0 ? paths : pathsIn(args), changed: [] } : noFiles;
}

/** What `resolve` carried out. */
function appliedPaths(change: Readonly<Record<string, unknown>>): readonly string[] {
  return change.ok === true && isRecord(change.details) ? pathsIn(change.details) : [];
}

function pathsIn({ path, files }: Readonly<Record<string, unknown>>): readonly string[] {
  if (Array.isArray(files)) return files.filter(isRecord).flatMap((file) => pathsIn({ path: file.path }));
  return typeof path === 'string' && path !== '' ? [path] : [];
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
