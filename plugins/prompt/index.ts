import {
  type AgentSession,
  agentSessions,
  rules,
  sessionCompact,
  sessionShutdown,
  systemPrompt,
  toolResult,
} from 'kern/contracts';
import { type Context, definePlugin, messageOf } from 'kern/plugin';
import { whenTold } from './applies.ts';
import { ruleTriggered } from './contract.ts';
import { type PromptSettings, promptSettings } from './settings.ts';
import type { StreamRules } from './stream-rules.ts';
import { ToldOfFiles } from './told-of-files.ts';
import { ToldTexts } from './told-texts.ts';

/** How long what is found may take: a hook is given up after five seconds, and nothing of it would be told. */
const limitMs = 4_000;

export default definePlugin<PromptSettings>({
  id: 'prompt',
  description: 'What the person and the project have written down for agents is told to the model.',
  declares: [ruleTriggered],
  config: promptSettings,
  setup(ctx) {
    const texts = new ToldTexts(ctx.log);
    const told = new ToldOfFiles();
    const following = new Map<AgentSession, StreamRules>();
    /** Only where rules watch: who follows the replies of a session makes each piece of them cost more. */
    const follow = async (): Promise<void> => {
      const id = sessionOf(ctx);
      if (
        id === undefined ||
        !ctx
          .use(rules)
          .items()
          .some((rule) => whenTold(rule) === 'match')
      )
        return;
      const session = ctx
        .service(agentSessions)
        .open()
        .find((one) => one.id === id);
      if (session === undefined) return;
      const { StreamRules } = await import('./stream-rules.ts');
      const stream = following.get(session) ?? new StreamRules(session, texts, ctx.signal);
      following.set(session, stream);
      await stream.ready();
    };
    ctx.defer(() => {
      for (const stream of following.values()) stream.dispose();
    });
    /** Undefined where it takes so long that the hook would be given up, or fails; that is said. */
    const foundInTime = async (
      ...args: Parameters<typeof import('./sections.ts').withFound>
    ): Promise<import('./sections.ts').WithFound | undefined> => {
      const { withFound } = await import('./sections.ts');
      const { promise, resolve } = Promise.withResolvers<undefined>();
      const slow = (why: string): void => {
        texts.say('', `${why}; what was told of them before goes on to hold`);
        resolve(undefined);
      };
      const timer = ctx.timeout(() => slow(`the instructions in files are not read within ${limitMs} ms`), limitMs);
      const work = withFound(...args).catch((error: unknown) => {
        slow(`the instructions in files cannot be read: ${messageOf(error)}`);
        return undefined;
      });
      return Promise.race([work, promise]).finally(() => timer.dispose());
    };
    ctx.tap(systemPrompt, async (value) => {
      const { where } = value;
      const sources = { use: ctx.use.bind(ctx), where, texts, limits: ctx.config, signal: ctx.signal };
      const found = await foundInTime(value.sections, sources);
      // What is late or fails is not gone: what the model was told of it goes on to hold.
      if (found === undefined) return { ...value, isPartial: true };
      await follow();
      if (found.sections === undefined) return found.isPartial ? { ...value, isPartial: true } : undefined;
      return { ...value, sections: found.sections, ...(found.isPartial ? { isPartial: true } : {}) };
    });
    ctx.tap(toolResult, async (call) => {
      const session = sessionOf(ctx);
      if (session === undefined) return undefined;
      const { withFileRules } = await import('./file-rules.ts');
      const result = await withFileRules(ctx, { texts, told, session }, call);
      return result === undefined ? undefined : { ...call, result };
    });
    ctx.tap(sessionCompact, ({ sessionId }) => told.forget(sessionId));
    ctx.tap(sessionShutdown, ({ sessionId, reason }) => {
      told.forget(sessionId);
      // A session that goes on in another file is the same one.
      if (reason !== 'quit') return;
      for (const [session, stream] of following) {
        if (session.id !== sessionId) continue;
        stream.dispose();
        following.delete(session);
      }
    });
  },
});

/** Where no session runs, as on the command line, nobody is told anything. */
function sessionOf(ctx: Context<PromptSettings>): string | undefined {
  try {
    return ctx.session.id;
  } catch {
    return undefined;
  }
}
