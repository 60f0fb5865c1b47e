import {
  type AgentSession,
  isToolAllowed,
  models,
  type SessionOptions,
  type StoreReport,
  sessionStart,
  sessions,
  tools,
} from 'kern/contracts';
import { type Handle, KernError, type View } from 'kern/plugin';
import { Head } from './head.ts';
import { Session } from './session.ts';
import { clampThinking, isThinkingLevel } from './thinking.ts';
import type { ToolSeam } from './tool-seam.ts';

export interface CreateParts {
  readonly tools: ToolSeam;
  /** Is told of a session that begins; answers with what is to be done when it ends. */
  readonly began: (session: Session) => () => void;
}

/** Opens a new session in a view: its model, its tools, its file; then the plugins are told. */
export async function createSession(options: SessionOptions, parts: CreateParts): Promise<AgentSession> {
  const { view, cwd } = options;
  await Promise.all([view.use(models).load(), view.use(sessions).load(), view.use(tools).load()]);
  const model = await view.service(models).resolve(options.model);
  const mask = chosenTools(view, options.tools);
  let session: Session | undefined;
  try {
    const store = await view.service(sessions).create({
      cwd,
      persist: options.persist ?? true,
      report: (report: StoreReport) => session?.broadcast.report(report),
    });
    const setting = view.setting('thinking');
    const wanted = options.thinking ?? (isThinkingLevel(setting) ? setting : undefined);
    const asked = new Set(options.tools);
    session = new Session({
      view,
      cwd,
      store,
      model,
      thinking: clampThinking(wanted, model),
      head: new Head({ systemPrompt: options.systemPrompt, append: options.appendSystemPrompt }, (from) =>
        parts.tools.faces(from, asked),
      ),
      tools: parts.tools,
      settleMs: 2_000,
      graceMs: 7_000,
      release: () => {
        mask?.dispose();
        ended();
        unhear?.();
      },
    });
  } catch (error) {
    mask?.dispose();
    throw error;
  }
  const ended = parts.began(session);
  const { broadcast } = session;
  const unhear = options.faults?.((fault) => broadcast.emit({ type: 'extension_error', ...fault }));
  view.session = session.handle;
  await view.enter(() => view.call(sessionStart, { sessionId: session.id, cwd, reason: 'startup' }));
  session.open();
  return session;
}

/** Only these: the others are hidden from this view, so that a call of one is refused as unknown. */
function chosenTools(view: View, names: readonly string[] | undefined): Handle | undefined {
  if (names === undefined) return undefined;
  const chosen = new Set(names);
  const known = view.use(tools);
  for (const name of chosen) {
    if (known.get(name) !== undefined) continue;
    throw new KernError('tool_unknown', `there is no tool ${name}`, {
      hint: `the tools here: ${
        known
          .items()
          .map((tool) => tool.name)
          .join(', ') || 'none'
      }`,
    });
  }
  // Whether there is something to resolve is known when it is offered: until then it may stay.
  const gate = { requested: chosen, hasDeferrable: true };
  return view.mask(tools, ({ item }) =>
    isToolAllowed(item.name, gate) ? undefined : 'the tools chosen for this session',
  );
}
