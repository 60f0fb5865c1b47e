import { readFileSync } from 'node:fs';
import type { SessionStorage } from 'kern/contracts';
import { type OpenTreeOptions, SessionTree } from '../session-tree.ts';

/** A file that is not there: its bytes, handed out in pieces of any size. */
export function bytesStorage(
  content: string | Uint8Array,
  chunk = 64 * 1024,
): Pick<SessionStorage, 'read' | 'readSync'> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : Buffer.from(content);
  return {
    async *read() {
      // The same memory each time, as a reader may do that wants to be quick.
      const piece = Buffer.alloc(Math.min(chunk, bytes.length));
      for (let at = 0; at < bytes.length; at += chunk) yield piece.subarray(0, bytes.copy(piece, 0, at, at + chunk));
    },
    readSync: (_path, at, length) => Buffer.from(bytes.subarray(at, at + length)),
  };
}

export const name = '2026-11-30T14-09-42-985Z_0198c0de-0000-7000-8000-000000000000.jsonl';

export function openBytes(
  content: string | Uint8Array,
  options: OpenTreeOptions & { readonly chunk?: number } = {},
): Promise<SessionTree> {
  return SessionTree.open(bytesStorage(content, options.chunk), name, options);
}

export const lines = (...objects: readonly (object | string)[]): string =>
  objects.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');

export const header = {
  type: 'session',
  version: 3,
  id: '0198c0de-0000-7000-8000-000000000000',
  timestamp: '2026-11-30T14:09:42.985Z',
  cwd: '/home/user/repo',
};

/** Entries one after the other, with what is wrong with them in `rest`. */
export function entry(
  id: string,
  parentId: string | null,
  type = 'message',
  rest: object = { message: { role: 'user', content: `said in ${id}`, timestamp: 1 } },
): object {
  return { type, id, parentId, timestamp: '2026-11-30T14:09:43.000Z', ...rest };
}

export const said = (text: string): object => ({
  message: { role: 'user', content: [{ type: 'text', text }], timestamp: 1 },
});

export const answered = (text: string, calls: readonly string[] = [], rest: object = {}): object => ({
  message: {
    role: 'assistant',
    content: [
      ...(text === '' ? [] : [{ type: 'text', text }]),
      ...calls.map((id) => ({ type: 'toolCall', id, name: 'read', arguments: { path: 'a' } })),
    ],
    api: 'a',
    provider: 'p',
    model: 'm',
    usage: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, reasoning: 0, totalTokens: 3, cost: null },
    stopReason: calls.length > 0 ? 'toolUse' : 'stop',
    timestamp: 2,
    ...rest,
  },
});

export const result = (toolCallId: string, text = 'done'): object => ({
  message: {
    role: 'toolResult',
    toolCallId,
    toolName: 'read',
    content: [{ type: 'text', text }],
    isError: false,
    timestamp: 3,
  },
});

export const fixture = (file: string): string =>
  readFileSync(new URL(`../../test/fixtures/${file}`, import.meta.url), 'utf8');
