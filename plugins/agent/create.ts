import {
  type AgentSession,
  isToolAllowed,
  type Model,
  models,
  type SessionContext,
  type SessionOptions,
  type SessionStore,
  type StoreReport,
  sessionStart,
  sessions,
  tools,
} from 'kern/contracts';
import { type Handle, KernError, type View } from 'kern/plugin';
import { limitsOf, unknownPrice } from './budget.ts';
import { Head } from './head.ts';
import { Session } from './session.ts';
import { type RestoredModel, restoredModel } from './session-restore.ts';
import { settingsOf } from './settings.ts';
import type { ToolSeam } from './tool-seam.ts';

export interface CreateParts {
  readonly tools: ToolSeam;
  /** Is told of a session that begins; answers with what is to be done when it ends. */
  readonly began: (session: Session) => () => void;
}

/** Opens a session in a view: its file, its model, its tools; then the plugins are told. */
export async function createSession(options: SessionOptions, parts: CreateParts): Promise<AgentSession> {
  const { view, cwd } = options;
  await Promise.all([view.use(models).load(), view.use(sessions).load(), view.use(tools).load()]);
  const mask = chosenTools(view, options.tools);
  let session: Session | undefined;
  let ended = (): void => {};
  let unhear: (() => void) | undefined;
  const asked = new Set(options.tools);
  try {
    const file = await fileToResume(options);
    // Without a model there is no session: then no file is opened.
    const fresh = file === undefined ? await named(view, options.model) : undefined;
    if (fresh !== undefined) assertPriced(options, fresh.model);
    const early: StoreReport[] = [];
    const { store, reason } = await openStore(options, file, (report) => {
      if (session === undefined) early.push(report);
      else session.broadcast.report(report);
    });
    try {
      const context = store.context();
      const model = fresh ?? (await modelFor(options, context));
      const thinking = options.thinking ?? model.thinking;
      if (fresh === undefined) assertPriced(options, model.model);
      session = new Session({
        view,
        cwd,
        store,
        context,
        model,
        options: { ...options, ...(thinking === undefined ? {} : { thinking }) },
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
      await store.close().catch(() => {}); // what went wrong first is told
      throw error;
    }
    session.begin();
    for (const report of early) session.broadcast.report(report);
    ended = parts.began(session);
    const { broadcast, id: sessionId } = session;
    unhear = options.faults?.((fault) => broadcast.emit({ type: 'extension_error', ...fault }));
    await view.enter(() => view.call(sessionStart, { sessionId, cwd, reason }));
  } catch (error) {
    mask?.dispose();
    throw error;
  }
  session.open();
  return session;
}

/** A limit that cannot be kept is said before anything is spent. */
function assertPriced({ view, limits }: SessionOptions, model: Model): void {
  const { maxCost } = limitsOf(limits, settingsOf(view)().budget);
  if (maxCost !== undefined && model.cost === null) throw unknownPrice(model.id);
}

async function fileToResume({ view, cwd, resume, sessionDir: dir }: SessionOptions): Promise<string | undefined> {
  if (resume === undefined) return undefined;
  const service = view.service(sessions);
  return typeof resume === 'string' ? service.find(resume, { cwd, dir }) : service.latest({ cwd, dir });
}

/** A new file, the one to go on in, or a copy of that. */
async function openStore(
  { view, cwd, sessionDir: dir, persist = true, fork = false, whenBusy = 'fork' }: SessionOptions,
  file: string | undefined,
  report: (report: StoreReport) => void,
): Promise<{ readonly store: SessionStore; readonly reason: 'startup' | 'resume' | 'fork' }> {
  const service = view.service(sessions);
  const creating = { cwd, persist, dir, report };
  if (file === undefined) return { store: await service.create(creating), reason: 'startup' };
  // What is not to be written down goes on in a copy, too.
  if (fork || !persist) return { store: await service.fork(file, creating), reason: 'fork' };
  return { store: await service.open(file, { whenBusy, report }), reason: 'resume' };
}

/** The one that was asked for, else that of the session, else what the settings say. */
async function modelFor({ view, model }: SessionOptions, context: SessionContext): Promise<RestoredModel> {
  if (model !== undefined) return named(view, model);
  return restoredModel(view, context, async () => (await view.service(models).find(undefined)).model);
}

/** What a person calls it; without a name what the settings say. */
async function named(view: View, name: string | undefined): Promise<RestoredModel> {
  const { model, thinking, notice } = await view.service(models).find(name);
  return { model, thinking, reason: notice };
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
