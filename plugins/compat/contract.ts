import { type Context, defineService } from 'kern/plugin';

// Extensions that were written for pi and for oh-my-pi: a module whose default export is a function, which is called once
// with an API, and which imports its host under that host's names.

/** What such a module exports. */
export type ExtensionFactory = (api: never) => unknown;

/** Which extension it is, for messages and for `sourceInfo`. */
export interface ExtensionOrigin {
  /** The file of its entry. */
  readonly path: string;
  /** What it is called: the name of its file or folder. */
  readonly name: string;
  /** Of its tools. Default that of its level. */
  readonly toolPriority?: number;
}

/** An event of pi or oh-my-pi, and what it is here. */
export interface ForeignEvent {
  readonly event: string;
  readonly of: 'pi' | 'oh-my-pi' | 'both';
  /** Hooks of kern, or the stream of a session. Undefined: kern has no such moment. */
  readonly from: string | undefined;
  /** What a handler is told, and what of its answer counts. */
  readonly gives?: string;
  readonly takes?: string;
  /** Where it differs, or why there is none. */
  readonly note?: string;
}

/** Runs extensions of other agents in the scope of a plugin of ours. */
export interface ExtensionApis {
  /**
   * Calls a factory once with the API. All that it registers belongs to `ctx`, and goes with it. Rejects with what the
   * factory throws.
   */
  adopt(ctx: Context, factory: ExtensionFactory, origin: ExtensionOrigin): Promise<void>;
  /** What one of `foreignModules` leads to. */
  module(name: string): Promise<object>;
  /** The events of the other agents, and what each is here: for the page about them. */
  events(): Promise<readonly ForeignEvent[]>;
  /** Tells when extensions appear in folders of other agents, or go. The same listener is told once. */
  follow(listener: () => void): void;
}

/** Runs extensions of pi and oh-my-pi. */
export const extensionApis = defineService<ExtensionApis>({ id: 'extension-apis', level: 'builtin' });

const scopes = ['@earendil-works', '@mariozechner', '@oh-my-pi'];
const ofScopes = (names: readonly string[]): readonly string[] =>
  scopes.flatMap((scope) => names.map((name) => `${scope}/${name}`));

/** Names of modules that such extensions import, by what they lead to. Nothing of it is loaded before one of them is. */
export const foreignModules = {
  'coding-agent': ofScopes(['pi-coding-agent']),
  'agent-core': ofScopes(['pi-agent-core']),
  tui: ofScopes(['pi-tui']),
  ai: ofScopes(['pi-ai', 'pi-ai/compat', 'pi-ai/models', 'pi-ai/oauth', 'pi-ai/providers/all']),
  typebox: ['typebox', '@sinclair/typebox'],
  'typebox-value': ['typebox/value', '@sinclair/typebox/value'],
  'typebox-compile': ['typebox/compile', '@sinclair/typebox/compiler'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Ordinary packages: a copy of its own is what an extension means, where it has one. */
export const ordinaryModules: readonly string[] = [
  ...foreignModules.typebox,
  ...foreignModules['typebox-value'],
  ...foreignModules['typebox-compile'],
];
