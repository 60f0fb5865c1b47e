import {
  agentBeforeEnd,
  agentBeforeStart,
  agentEnd,
  hookItems,
  input,
  modelSelect,
  permissionAsk,
  permissionDecided,
  sessionBeforeCompact,
  sessionCompact,
  sessionShutdown,
  sessionStart,
  toolCall,
  toolEnd,
  toolInput,
  toolResult,
  turnEnd,
} from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { hookMessage, hooks } from './contract.ts';

export default definePlugin({
  id: 'hooks',
  description:
    'Runs the hooks that are found: programs that are asked before a tool runs, a prompt is sent, a run ends.',
  after: ['slash', 'skills'],
  declares: [hooks, hookMessage],
  setup(ctx) {
    let loaded: Promise<typeof import('./rounds.ts')> | undefined;
    let made: import('./rounds.ts').Rounds | undefined;
    /** What runs them, once there is a hook: without one none of it is loaded. */
    const rounds = async (): Promise<import('./rounds.ts').Rounds | undefined> => {
      const found = ctx.use(hookItems);
      await found.load(ctx.signal);
      // Those that were there may go on without their files.
      if (found.items().length === 0 && made === undefined) return undefined;
      loaded ??= import('./rounds.ts');
      const { Rounds } = await loaded;
      made ??= new Rounds(ctx);
      return made;
    };
    const late = { order: 2_000_000 };

    ctx.tap(sessionStart, ({ sessionId, reason }) => {
      // Its hooks are waited for by the first prompt.
      beginning = rounds().then((all) => all?.runs.began(sessionId, reason));
      beginning.catch(() => {}); // whoever waits for it hears of it
    });
    let beginning: Promise<unknown> = Promise.resolve();
    ctx.tap(
      input,
      async ({ text }) => {
        await beginning;
        const why = await (await rounds())?.runs.prompt(text);
        if (why === undefined) return undefined;
        return { handled: true as const, refused: { code: 'prompt_refused', message: why } };
      },
      // Commands come first: they are nothing that is sent.
      { order: 500 },
    );
    ctx.tap(agentBeforeStart, (value) => {
      const notes = made?.notes() ?? [];
      return notes.length === 0 ? undefined : { ...value, messages: [...value.messages, ...notes] };
    });
    ctx.tap(
      toolInput,
      async (call) => {
        const change = await (await rounds())?.calls.input(call);
        return change === undefined ? undefined : { ...call, ...change };
      },
      late,
    );
    ctx.tap(toolCall, async (call) => (await rounds())?.calls.call(call));
    ctx.tap(permissionAsk, async (question) => (await rounds())?.calls.permission(question));
    ctx.tap(permissionDecided, ({ tool, verdict, reason }) => {
      if (verdict === 'deny') made?.denied(tool, reason);
    });
    ctx.tap(
      toolResult,
      async (call) => {
        const result = await (await rounds())?.calls.result(call);
        return result === undefined ? undefined : { ...call, result };
      },
      late,
    );
    ctx.tap(toolEnd, ({ toolCallId }) => made?.calls.ended(toolCallId));
    ctx.tap(turnEnd, ({ sessionId, toolResults }) => made?.calls.turnEnded(sessionId, toolResults.length > 0));
    ctx.tap(agentBeforeEnd, async ({ sessionId, message, continued }) => {
      const goOn = await (await rounds())?.runs.stopping(sessionId, message, continued);
      return goOn === undefined ? undefined : { goOn };
    });
    ctx.tap(agentEnd, ({ sessionId, status }) => made?.runs.ended(sessionId, status));
    ctx.tap(sessionBeforeCompact, async ({ reason, job }) => {
      const refuse = await (await rounds())?.runs.compacting(reason, job);
      return refuse === undefined ? undefined : { refuse };
    });
    ctx.tap(sessionCompact, ({ sessionId, reason, result }) => made?.runs.compacted(sessionId, reason, result.summary));
    ctx.tap(modelSelect, ({ sessionId, model, previous }) => {
      // The one that a session begins with is no other.
      if (previous !== undefined) made?.runs.switchedModel(sessionId, model, previous);
    });
    ctx.tap(sessionShutdown, async ({ sessionId, reason }) => {
      await beginning.catch(() => {}); // told where it failed
      if (made !== undefined) await (await rounds())?.runs.leaving(sessionId, reason);
    });
    ctx.contribute(hooks, {
      states: async () => (await import('./rounds.ts')).statesOf(ctx),
      whyUnused: async (item) => (await import('./moments.ts')).whyUnused(item),
      stateOf: async (hook) => (await import('./gate.ts')).stateOf(ctx, hook),
      events: async () => (await import('./events.ts')).hookEvents,
    });
  },
});
