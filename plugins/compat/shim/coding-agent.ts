import { homedir } from 'node:os';
import { join, relative } from 'node:path';
import { buildSessionContext, fileStore, sessions } from 'kern/contracts';
import { KernError } from 'kern/plugin';
import { parseFrontmatter } from '../frontmatter.ts';
import { plainTheme } from '../theme.ts';
import { convertToLlm, estimateTokens, serializeConversation } from './conversation.ts';
import { type Around, shelterOf } from './shelter.ts';
import { toolFactories } from './tool-factories.ts';
import * as truncate from './truncate.ts';
import { BorderedLoader, CustomEditor, DynamicBorder } from './tui/all.ts';

/** The version of pi whose extensions kern takes. */
const version = '1.6.0';

/** What kern has under the names of pi's own package. */
export function codingAgent(home: string, around: Around): Readonly<Record<string, unknown>> {
  return {
    VERSION: version,
    // kern's folders, not pi's: what an extension keeps for itself is kept with kern.
    CONFIG_DIR_NAME: '.kern',
    getAgentDir: () => home,
    getPackageDir: () => home,
    getShellConfig: () => ({ shell: process.env.SHELL ?? '/bin/sh', args: ['-c'] }),
    defineTool: <T>(tool: T): T => tool,
    ...toolFactories(around),
    ...truncate,
    withFileMutationQueue: async <T>(path: string, change: () => Promise<T>): Promise<T> => {
      const { ctx } = shelterOf(around, 'withFileMutationQueue');
      await ctx.use(fileStore).load();
      return ctx.service(fileStore).inOrder(path, async () => change());
    },
    ...recognisers,
    convertToLlm,
    serializeConversation,
    estimateTokens,
    buildSessionContext,
    parseFrontmatter,
    stripFrontmatter: (text: string) => parseFrontmatter(text).body,
    createEventBus,
    SessionManager: sessionLists(around),
    DynamicBorder,
    BorderedLoader,
    CustomEditor,
    getMarkdownTheme: () => markdownTheme,
    getSelectListTheme: () => listTheme,
    getSettingsListTheme: () => listTheme,
    Theme: class {},
    initTheme: () => undefined,
    highlightCode: (code: string) => code.split('\n'),
    getLanguageFromPath: (path: string) => path.split('.').at(-1),
    keyHint: (_action: string, words: string) => words,
    keyText: (action: string) => action,
    rawKeyHint: (key: string, words: string) => `${key} ${words}`,
    renderDiff: (diff: string) => diff,
    formatReadLineRange,
    shortenPath: (path: string) => {
      const below = relative(homedir(), path);
      return below.startsWith('..') || below === '' ? path : join('~', below);
    },
  };
}

/** `:3-7`, as it stands behind a path that was read in part. */
function formatReadLineRange(args: { readonly offset?: number; readonly limit?: number } | undefined): string {
  const { offset, limit } = args ?? {};
  if (offset === undefined && limit === undefined) return '';
  const from = offset ?? 1;
  return limit === undefined ? `:${from}` : `:${from}-${from + limit - 1}`;
}

const isResultOf =
  (name: string) =>
  (event: { readonly toolName?: unknown }): boolean =>
    event.toolName === name;

const recognisers = {
  isToolCallEventType: (name: string, event: { readonly toolName?: unknown }): boolean => event.toolName === name,
  isReadToolResult: isResultOf('read'),
  isWriteToolResult: isResultOf('write'),
  isEditToolResult: isResultOf('edit'),
  isBashToolResult: isResultOf('bash'),
  isPowerShellToolResult: isResultOf('powershell'),
  isGrepToolResult: isResultOf('grep'),
  isFindToolResult: isResultOf('find'),
  isLsToolResult: isResultOf('ls'),
};

const same = (text: string): string => text;
const listTheme = {
  selectedPrefix: same,
  selectedText: same,
  description: same,
  scrollInfo: same,
  noMatch: same,
  label: same,
  value: same,
  cursor: '> ',
  hint: same,
};
const markdownTheme = new Proxy(plainTheme as unknown as Record<string, unknown>, {
  get: (target, key) => (typeof key === 'string' && key in target ? target[key] : same),
});

function createEventBus(): object {
  const listeners = new Map<string, Set<(data: unknown) => void>>();
  return {
    on(name: string, listener: (data: unknown) => void): () => void {
      const all = listeners.get(name) ?? new Set();
      listeners.set(name, all.add(listener));
      return () => void all.delete(listener);
    },
    emit(name: string, data: unknown): void {
      for (const listener of [...(listeners.get(name) ?? [])]) listener(data);
    },
    clear: () => listeners.clear(),
  };
}

/** Sessions can be listed; to read or write one, go there. */
function sessionLists(around: Around): object {
  const list = async (cwd?: string): Promise<readonly object[]> => {
    const { ctx } = shelterOf(around, 'SessionManager.list');
    await ctx.use(sessions).load();
    const found = await ctx.service(sessions).list(cwd === undefined ? {} : { cwd });
    return found.map(({ id, file, name, cwd: folder, created, modified, messages, firstMessage }) => ({
      path: file,
      id,
      cwd: folder,
      name,
      created: new Date(created),
      modified: new Date(modified),
      messageCount: messages,
      firstMessage,
    }));
  };
  const no = (what: string) => (): never => {
    throw new KernError('foreign_name_missing', `SessionManager.${what} is not there in kern`, {
      hint: 'ctx.sessionManager reads the session, and the context of a command leads to others',
    });
  };
  return { list, listAll: () => list(), create: no('create'), open: no('open'), inMemory: no('inMemory') };
}
