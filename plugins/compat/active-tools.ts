import { type AgentSession, type AnyTool, inputSchemaOf, toolFaces, tools } from 'kern/contracts';
import type { Handle } from 'kern/plugin';

/** Which tools a session has, as extensions choose them: the latest choice counts, whoever made it. */
export class ActiveTools {
  readonly #chosen = new WeakMap<AgentSession, readonly Handle[]>();

  names(session: AgentSession): readonly string[] {
    return toolFaces(session.view).map(({ name }) => name);
  }

  /** Names that nobody knows are passed over, as are hidden ones. */
  choose(session: AgentSession, names: readonly string[]): void {
    for (const handle of this.#chosen.get(session) ?? []) handle.dispose();
    const wanted = new Set(names);
    const asleep = session.view
      .use(tools)
      .items()
      .filter((tool) => wanted.has(tool.name) && tool.defaultActive === false && tool.hidden !== true);
    const woken = asleep.map((tool): AnyTool => ({ ...tool, defaultActive: true }));
    this.#chosen.set(session, [
      session.view.offer(tools, 'chosen by an extension', woken),
      session.view.mask(tools, ({ item }) => (wanted.has(item.name) ? undefined : 'the tools an extension chose')),
    ]);
  }

  all(session: AgentSession): readonly object[] {
    return session.view
      .use(tools)
      .entries()
      .filter(({ verdict }) => verdict.state === 'won' || verdict.state === 'disabled')
      .map(({ item, origin }) => ({
        name: item.name,
        description: item.description,
        parameters: inputSchemaOf(item),
        promptGuidelines: [],
        exposure: item.hidden === true ? 'hidden' : 'direct',
        sourceInfo: sourceInfo(origin),
      }));
  }
}

/** Where something came from, in pi's words. */
export function sourceInfo(origin: {
  readonly plugin: string;
  readonly level: string;
  readonly path?: string;
}): object {
  return {
    path: origin.path ?? `builtin:${origin.plugin}`,
    source: origin.level === 'builtin' ? 'builtin' : 'local',
    scope: origin.level === 'builtin' || origin.level === 'session' ? 'temporary' : origin.level,
    origin: 'top-level',
  };
}
