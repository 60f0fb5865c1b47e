import {
  type CreateOptions,
  type SessionContext,
  type SessionStore,
  type Sessions,
  type SwitchReason,
  sessionBeforeBranch,
  sessionBeforeSwitch,
  sessionBranch,
  sessionShutdown,
  sessionStart,
  sessionSwitch,
  sessions,
  type UserMessage,
} from 'kern/contracts';
import { KernError, type SwitchAnswer } from 'kern/plugin';
import type { SessionGround } from './session-ground.ts';
import { restoredModel, restoredThinking, tellOpened } from './session-restore.ts';

/** Where a session goes on: the store is opened when nothing runs any more. */
interface Way {
  readonly reason: SwitchReason;
  /** Answers with why not. */
  readonly refusal: () => Promise<string | undefined>;
  readonly open: () => Promise<SessionStore>;
  /** Tells that it went on in another file. */
  readonly tell: (previous: string) => void;
}

/** Leaves a session's file for another one. The session object, and whoever listens to it, stays. */
export class Switcher {
  readonly #ground: SessionGround;

  constructor(ground: SessionGround) {
    this.#ground = ground;
  }

  /** For an empty one. */
  newSession(): Promise<SwitchAnswer> {
    return this.#go('newSession', () =>
      this.#switched('new', undefined, () => this.#sessions.create(this.#creating())),
    );
  }

  /** For a copy of this one. */
  fork(): Promise<SwitchAnswer> {
    return this.#go('fork', () => {
      const { store } = this.#ground.conversation;
      return this.#switched('fork', store.file, () => this.#sessions.fork(store, this.#creating()));
    });
  }

  /** For another one, by path, id or the beginning of an id. */
  switchTo(wanted: string): Promise<SwitchAnswer> {
    return this.#go('switchSession', async () => {
      const { cwd, options, broadcast, conversation } = this.#ground;
      const { sessionDir: dir, whenBusy = 'fork' } = options;
      const file = await this.#sessions.find(wanted, { cwd, dir });
      if (file === conversation.store.file) return undefined;
      return this.#switched('resume', file, () =>
        this.#sessions.open(file, { whenBusy, report: (report) => broadcast.report(report) }),
      );
    });
  }

  /** For a new one that ends before a message of the person; answers with what the message said, to be edited. */
  async branch(entryId: string): Promise<SwitchAnswer & { readonly text?: string }> {
    let text = '';
    const answer = await this.#go('branch', () => {
      const { view, conversation } = this.#ground;
      const { store } = conversation;
      const { message, parentId } = userEntry(store, entryId);
      text = wordsOf(message);
      const sessionId = store.header.id;
      return {
        reason: 'branch',
        refusal: async () => (await view.call(sessionBeforeBranch, { sessionId, entryId }))?.refuse,
        open: () => this.#sessions.fork(store, { ...this.#creating(), upTo: parentId }),
        tell: (previous) => view.call(sessionBranch, { sessionId: this.#id, previous, entryId }),
      };
    });
    return answer.done ? { ...answer, text } : answer;
  }

  get #sessions(): Sessions {
    return this.#ground.view.service(sessions);
  }

  get #id(): string {
    return this.#ground.conversation.store.header.id;
  }

  #creating(): CreateOptions {
    const { cwd, options, broadcast } = this.#ground;
    const { persist = true, sessionDir: dir } = options;
    return { cwd, persist, dir, report: (report) => broadcast.report(report) };
  }

  #switched(reason: 'new' | 'resume' | 'fork', target: string | undefined, open: () => Promise<SessionStore>): Way {
    const { view } = this.#ground;
    return {
      reason,
      refusal: async () => (await view.call(sessionBeforeSwitch, { sessionId: this.#id, reason, target }))?.refuse,
      open,
      tell: (previous) => view.call(sessionSwitch, { sessionId: this.#id, previous, reason }),
    };
  }

  /** Asks, ends what runs, opens the other file, and only then leaves this one: what fails before changes nothing. */
  #go(what: string, wayOf: () => Way | undefined | Promise<Way | undefined>): Promise<SwitchAnswer> {
    const { view, gate, runner, conversation } = this.#ground;
    return gate.change(what, () =>
      view.enter(async (): Promise<SwitchAnswer> => {
        const way = await wayOf();
        if (way === undefined) return { done: true };
        const refused = await way.refusal();
        if (refused !== undefined) return { done: false, reason: refused };
        await runner.hold();
        try {
          await conversation.store.flush().catch(() => {}); // told by the store, which keeps it
          await this.#replace(await way.open(), way);
        } finally {
          runner.open();
        }
        return { done: true };
      }),
    );
  }

  async #replace(next: SessionStore, { reason, tell }: Way): Promise<void> {
    const context = await contextOf(next);
    const { view, cwd, broadcast, conversation, choice, titler, opened } = this.#ground;
    const left = conversation.store;
    const previous = left.header.id;
    await titler.end();
    await view.call(sessionShutdown, { sessionId: previous, reason });
    await left.close().catch(() => {}); // a store that cannot write its last entries says so by its report
    conversation.open(next, context);
    opened(context);
    const sessionFile = next.file;
    broadcast.emit({ type: 'session_switched', reason, sessionId: this.#id, sessionFile });
    tellOpened(next, broadcast);
    choice.reads(context);
    if (reason === 'resume') {
      const { model, reason: why } = await restoredModel(view, context, async () => choice.model);
      choice.select(model, why, restoredThinking(view, context));
    }
    // Elsewhere it goes on as this one was set.
    choice.settle();
    tell(previous);
    await view.call(sessionStart, { sessionId: this.#id, cwd, reason });
  }
}

/** What a session comes to. One that cannot be read is closed, before anything is left for it. */
async function contextOf(store: SessionStore): Promise<SessionContext> {
  try {
    return store.context();
  } catch (error) {
    await store.close().catch(() => {}); // what went wrong first is told
    throw error;
  }
}

/** A message of the person, by its entry. */
export function userEntry(
  store: SessionStore,
  entryId: string,
): { readonly message: UserMessage; readonly parentId: string | null } {
  const entry = store.entry(entryId);
  if (entry === undefined) throw unknownEntry(entryId);
  if (entry.type === 'message' && entry.message.role === 'user')
    return { message: entry.message, parentId: entry.parentId };
  throw new KernError('entry_not_user', `${entryId} is no message of the person, so nothing can begin before it`, {
    hint: 'take the id of an entry of type message whose message has the role user',
  });
}

export function unknownEntry(entryId: string): KernError {
  return new KernError('entry_unknown', `this session has no entry ${entryId}`, {
    hint: '`nodes()` lists its entries',
  });
}

export function wordsOf({ content }: UserMessage): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}
