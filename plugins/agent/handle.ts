import { KernError, type SessionHandle } from 'kern/plugin';

/** What plugins hold of a session. Once the session is left, every use throws `stale_session`: nothing is done to a dead one in silence. */
export function handleOf(session: SessionHandle, isStale: () => boolean): SessionHandle {
  const live = (): SessionHandle => {
    if (isStale()) throw staleSession();
    return session;
  };
  return {
    get id() {
      return live().id;
    },
    get file() {
      return live().file;
    },
    get name() {
      return live().name;
    },
    isIdle: () => live().isIdle(),
    waitForIdle: async () => live().waitForIdle(),
    sendMessage: (text, options) => live().sendMessage(text, options),
    appendEntry: (customType, data) => live().appendEntry(customType, data),
    entriesOf: (customType) => live().entriesOf(customType),
    abort: () => live().abort(),
    model: () => live().model(),
    setModel: async (id) => live().setModel(id),
    thinking: () => live().thinking(),
    setThinking: (level) => live().setThinking(level),
    setName: (name) => live().setName(name),
    setLabel: (entryId, label) => live().setLabel(entryId, label),
    compact: async (instructions) => live().compact(instructions),
    newSession: async () => live().newSession(),
    fork: async () => live().fork(),
    branch: async (entryId) => live().branch(entryId),
    navigateTree: async (entryId, options) => live().navigateTree(entryId, options),
    switchSession: async (wanted) => live().switchSession(wanted),
    reload: async () => live().reload(),
  };
}

export function staleSession(): KernError {
  return new KernError('stale_session', 'this session was left: another took its place, or kern is ending', {
    hint: 'ask for ctx.session anew instead of keeping it',
  });
}
