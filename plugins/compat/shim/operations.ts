import { dirname, resolve } from 'node:path';
import { type ToolResult, textResult, truncateHead, truncateTail } from 'kern/contracts';
import { KernError } from 'kern/plugin';
import { isRecord } from '../extension.ts';

// Tools that work elsewhere: the extension says how files are read there and how commands are run.

type Operations = Readonly<Record<string, unknown>>;
type Arguments = Readonly<Record<string, unknown>>;

function call(operations: Operations, name: string, ...args: unknown[]): unknown {
  const operation = operations[name];
  if (typeof operation === 'function') return operation.apply(operations, args);
  throw new KernError('operations_missing', `the operations have no ${name}`, { hint: `give them ${name}(…)` });
}

const textOf = (bytes: unknown): string =>
  typeof bytes === 'string' ? bytes : Buffer.from(bytes as Uint8Array).toString('utf8');

export async function readElsewhere(operations: Operations, cwd: string, args: Arguments): Promise<ToolResult> {
  const path = resolve(cwd, String(args.path));
  if (operations.access !== undefined) await call(operations, 'access', path);
  const lines = textOf(await call(operations, 'readFile', path)).split('\n');
  const from = typeof args.offset === 'number' ? Math.max(1, args.offset) : 1;
  const to = typeof args.limit === 'number' ? from - 1 + args.limit : lines.length;
  const wanted = lines.slice(from - 1, to).join('\n');
  const { text, truncated, shownLines } = truncateHead(wanted);
  const next = from + shownLines;
  return textResult(truncated ? `${text}\n\n[${lines.length} lines in all; go on with offset=${next}]` : text);
}

export async function writeElsewhere(operations: Operations, cwd: string, args: Arguments): Promise<ToolResult> {
  const path = resolve(cwd, String(args.path));
  await call(operations, 'mkdir', dirname(path));
  await call(operations, 'writeFile', path, String(args.content));
  return textResult(`Wrote ${String(args.path)}.`);
}

export async function editElsewhere(operations: Operations, cwd: string, args: Arguments): Promise<ToolResult> {
  const path = resolve(cwd, String(args.path));
  if (operations.access !== undefined) await call(operations, 'access', path);
  const before = textOf(await call(operations, 'readFile', path));
  const edits = Array.isArray(args.edits) ? args.edits.filter(isRecord) : [];
  const places = edits.map(({ oldText, newText }) => {
    const old = String(oldText);
    const at = before.indexOf(old);
    if (old === '' || at < 0)
      throw new KernError('edit_not_found', `${String(args.path)} does not hold ${JSON.stringify(old)}`);
    if (before.indexOf(old, at + 1) >= 0)
      throw new KernError('edit_not_unique', `${String(args.path)} holds ${JSON.stringify(old)} more than once`);
    return { at, end: at + old.length, text: String(newText) };
  });
  // From the end, so that what is before stays where it was.
  let after = before;
  for (const { at, end, text } of places.toSorted((a, b) => b.at - a.at))
    after = after.slice(0, at) + text + after.slice(end);
  await call(operations, 'writeFile', path, after);
  return textResult(`Changed ${edits.length} ${edits.length === 1 ? 'place' : 'places'} of ${String(args.path)}.`);
}

export async function bashElsewhere(
  operations: Operations,
  args: Arguments,
  cwd: string,
  signal: AbortSignal,
  onUpdate: (partial: ToolResult) => void,
): Promise<ToolResult> {
  let output = '';
  const onData = (data: Uint8Array): void => {
    output += textOf(data);
    onUpdate(textResult(truncateTail(output).text));
  };
  const ended = await call(operations, 'exec', String(args.command), String(args.cwd ?? cwd), {
    onData,
    signal,
    timeout: args.timeout,
    env: isRecord(args.env) ? args.env : undefined,
  });
  const exitCode = isRecord(ended) ? ended.exitCode : undefined;
  const { text } = truncateTail(output);
  if (exitCode === 0) return { ...textResult(text === '' ? '(no output)' : text), details: { exitCode } };
  return {
    ...textResult(`${text}\n\nCommand exited with code ${String(exitCode)}`),
    details: { exitCode },
    isError: true,
  };
}
