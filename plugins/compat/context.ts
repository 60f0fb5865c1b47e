import type { AgentSession, Model } from 'kern/contracts';
import { KernError, messageOf } from 'kern/plugin';
import type { Extension } from './extension.ts';
import type { Runs } from './follow.ts';
import type { UserMessages } from './messages.ts';
import { modelRegistry } from './model-registry.ts';
import { foreignModel } from './model-shape.ts';
import { sessionManager } from './session-manager.ts';
import { systemPromptOf } from './system-prompt.ts';

export interface ContextParts {
  readonly extension: Extension;
  readonly runs: Runs;
  readonly ui: object;
  readonly messages: UserMessages;
  /** The models that were listed last. */
  readonly models: () => readonly Model[];
  readonly isTrusted: () => boolean;
}

type Answer = { readonly cancelled: boolean };
type WithSession = { readonly withSession?: (context: object) => unknown };

/** What a handler gets beside its event. Of a session that was left it throws `stale_session`. */
export function eventContext(parts: ContextParts, session: AgentSession | undefined, signal?: AbortSignal): object {
  const { extension, runs, ui, models, isTrusted } = parts;
  const { ctx } = extension;
  const live = liveOf(extension, session);
  return {
    ui,
    get hasUI() {
      return (session?.view.ui ?? ctx.ui).available;
    },
    // Dialogs work here and components of a terminal do not: that is what pi calls `rpc`.
    get mode() {
      return (session?.view.ui ?? ctx.ui).available ? 'rpc' : 'print';
    },
    get cwd() {
      return session?.cwd ?? ctx.where.cwd;
    },
    get sessionManager() {
      live();
      return sessionManager(live);
    },
    get modelRegistry() {
      return modelRegistry(extension, live, models);
    },
    get model() {
      return session === undefined ? undefined : foreignModel(live().currentModel);
    },
    models: { list: () => models().map(foreignModel), current: () => foreignModel(live().currentModel) },
    scopedModels: [],
    get thinkingLevel() {
      return live().thinking();
    },
    get signal() {
      return signal ?? (session === undefined ? undefined : runs.signalOf(session));
    },
    isIdle: () => runs.isIdle(live()),
    isProjectTrusted: isTrusted,
    abort: () => void live().abort(),
    hasPendingMessages() {
      const { interrupt, steering, followUp } = live().queue();
      return interrupt.length + steering.length + followUp.length > 0;
    },
    shutdown() {
      live();
      extension.notice(
        'shutdown',
        'it asks for the end of kern, which ends by itself when its prompts are done',
        'info',
      );
    },
    getContextUsage() {
      const { tokens, window } = live().stats().context;
      return { tokens, contextWindow: window, percent: window === 0 ? null : (tokens / window) * 100 };
    },
    compact(options: CompactOptions = {}) {
      const compacted = live();
      // A run ends before it: whoever asks in one does not wait for it.
      extension.track(extension.inSession(compacted, () => compactLater(compacted, options)));
    },
    getSystemPrompt: () => systemPromptOf(live()),
    // oh-my-pi: timers that end with the extension.
    setInterval: (fn: () => void, ms: number) => ctx.interval(fn, ms),
    setTimeout: (fn: () => void, ms: number) => ctx.timeout(fn, ms),
    clearTimer: (timer: { dispose(): void } | undefined) => timer?.dispose(),
  };
}

interface CompactOptions {
  readonly customInstructions?: string;
  readonly onComplete?: (result: unknown) => void;
  readonly onError?: (error: Error) => void;
}

async function compactLater(session: AgentSession, options: CompactOptions): Promise<void> {
  try {
    await session.waitForIdle();
    options.onComplete?.(await session.compactWith({ instructions: options.customInstructions }));
  } catch (error) {
    if (options.onError === undefined) throw error;
    options.onError(error instanceof Error ? error : new Error(messageOf(error)));
  }
}

/** What a command gets: also what leaves the session for another. */
export function commandContext(parts: ContextParts, session: AgentSession | undefined): object {
  const { extension, messages } = parts;
  const live = liveOf(extension, session);
  const after = async (done: { readonly done: boolean }, options: WithSession | undefined): Promise<Answer> => {
    if (!done.done) return { cancelled: true };
    // The same session, which goes on in another file.
    const next = session;
    if (options?.withSession !== undefined && next !== undefined)
      await options.withSession(
        Object.create(null, {
          ...Object.getOwnPropertyDescriptors(commandContext(parts, next)),
          sendMessage: {
            value: async (...args: Parameters<UserMessages['sendMessage']>) => messages.sendMessage(...args),
          },
          sendUserMessage: {
            value: async (...args: Parameters<UserMessages['sendUserMessage']>) => messages.sendUserMessage(...args),
          },
        }),
      );
    return { cancelled: false };
  };
  const context = eventContext(parts, session);
  return Object.create(null, {
    ...Object.getOwnPropertyDescriptors(context),
    ...Object.getOwnPropertyDescriptors({
      getSystemPromptOptions: () => ({ cwd: live().cwd, selectedTools: messages.activeTools() }),
      waitForIdle: () => live().waitForIdle(),
      async newSession(options?: WithSession & { readonly setup?: unknown }): Promise<Answer> {
        if (options?.setup !== undefined)
          extension.notice('newSession.setup', 'what `setup` would write into a new session is left out');
        return after(await live().newSession(), options);
      },
      async fork(entryId: string, options?: WithSession & { readonly position?: 'before' | 'at' }): Promise<Answer> {
        const from = live();
        if (options?.position !== 'at') return after(await from.branch(entryId), options);
        const moved = await from.fork();
        if (moved.done && from.leaf !== entryId) await from.navigateTree(entryId);
        return after(moved, options);
      },
      branch: async (entryId: string) => after(await live().branch(entryId), undefined),
      async navigateTree(
        targetId: string,
        options: {
          readonly summarize?: boolean;
          readonly customInstructions?: string;
          readonly replaceInstructions?: boolean;
          readonly label?: string;
        } = {},
      ): Promise<Answer> {
        const { summarize, customInstructions: instructions, replaceInstructions, label } = options;
        if (replaceInstructions === true)
          extension.notice('replaceInstructions', 'its instructions for a summary are added to those of kern');
        const { done } = await live().navigateTree(targetId, {
          ...(summarize === undefined ? {} : { summarize }),
          ...(instructions === undefined ? {} : { instructions }),
          ...(label === undefined ? {} : { label }),
        });
        return { cancelled: !done };
      },
      switchSession: async (path: string, options?: WithSession) => after(await live().switchSession(path), options),
      reload: () => live().reload(),
    }),
  });
}

/** The session as long as it is the one that the context was made for. */
function liveOf(extension: Extension, session: AgentSession | undefined): () => AgentSession {
  const id = session?.id;
  return () => {
    if (session === undefined)
      throw new KernError('no_session', `the extension ${extension.name} looks at a session where none runs`, {
        hint: 'the call came from outside of a conversation: look at ctx.hasUI and ctx.cwd alone',
      });
    if (session.id !== id || !extension.sessions().includes(session))
      throw new KernError(
        'stale_session',
        `the extension ${extension.name} uses the context of a session that was left`,
        {
          hint: 'use the context that each handler is given, and in a command that of `withSession`',
        },
      );
    return session;
  };
}
