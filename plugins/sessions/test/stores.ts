import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AssistantMessage,
  type NewEntry,
  type SessionStorage,
  type SessionStore,
  type Sessions,
  type StoreReport,
  sessionStorages,
  sessions,
} from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { bootKernel, type TestKernel } from 'kern/testing';
import { expect, onTestFinished } from 'vitest';
import plugin from '../index.ts';

export const cwd = '/home/user/repo';

export const user = (text: string): NewEntry => ({
  type: 'message',
  message: { role: 'user', content: [{ type: 'text', text }], timestamp: 1 },
});

export const said = (text: string, rest: Partial<AssistantMessage> = {}): NewEntry => ({
  type: 'message',
  message: {
    role: 'assistant',
    content: [{ type: 'text', text }],
    api: 'a',
    provider: 'p',
    model: 'm',
    usage: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, reasoning: 0, totalTokens: 3, cost: null },
    stopReason: 'stop',
    timestamp: 2,
    ...rest,
  },
});

export const note = (data: unknown): NewEntry => ({ type: 'custom', customType: 'note', data });

/** The lines of a file, which has to end with a newline. */
export function linesOf(file: string): Record<string, unknown>[] {
  const text = readFileSync(file, 'utf8');
  expect(text.endsWith('\n')).toBe(true);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** The data of the notes in a file, in its order. */
export const notesIn = (file: string): readonly unknown[] =>
  linesOf(file).flatMap((line) => (line.customType === 'note' ? [line.data] : []));

/** The texts of the branch to the leaf. */
export const textsOf = (store: Pick<SessionStore, 'entries'>): readonly string[] =>
  store.entries().flatMap((entry) => {
    if (entry.type !== 'message' || !('content' in entry.message)) return [];
    const { content } = entry.message;
    return typeof content === 'string'
      ? [content]
      : content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  });

export function tempFolder(): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'kern-sessions-')));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

export interface TestSessions {
  readonly sessions: Sessions;
  readonly kernel: TestKernel;
  readonly home: string;
  readonly reports: StoreReport[];
  readonly report: (report: StoreReport) => void;
  /** A session in which somebody has said this. */
  begun(text?: string): Promise<SessionStore & { readonly file: string }>;
}

/** The service, in a home of its own or in one that others have too. */
export async function bootSessions(
  options: {
    readonly home?: string;
    readonly settings?: Readonly<Record<string, unknown>>;
    readonly storage?: SessionStorage;
  } = {},
): Promise<TestSessions> {
  const { storage } = options;
  const stranger = definePlugin({
    id: 'stranger',
    setup: (ctx) => void (storage && ctx.contribute(sessionStorages, storage)),
  });
  const kernel = await bootKernel([plugin, stranger], {
    ...(options.home === undefined ? {} : { home: options.home }),
    config: { sessions: options.settings ?? {} },
  });
  onTestFinished(() => kernel[Symbol.asyncDispose]());
  const reports: StoreReport[] = [];
  const report = (given: StoreReport): void => void reports.push(given);
  const service = kernel.view.service(sessions);
  return {
    sessions: service,
    kernel,
    home: options.home ?? kernel.dir,
    reports,
    report,
    async begun(text = 'hello') {
      const store = await service.create({ cwd, persist: true, report });
      onTestFinished(() => store.close().catch(() => {}));
      await store.append(user(text));
      return store as SessionStore & { readonly file: string };
    },
  };
}
