import {
  type AgentSession,
  agentSessions,
  rules,
  sessionCompact,
  sessionShutdown,
  systemPrompt,
  toolResult,
} from 'kern/contracts';
import { type Context, definePlugin } from 'kern/plugin';
import { whenTold } from './applies.ts';
import { ruleTriggered } from './contract.ts';
import { type PromptSettings, promptSettings } from './settings.ts';
import type { StreamRules } from './stream-rules.ts';
import { ToldOfFiles } from './told-of-files.ts';
import { ToldTexts } from './told-texts.ts';

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
      if (session === undefined || following.has(session)) return;
      const { StreamRules } = await import('./stream-rules.ts');
      following.set(session, new StreamRules(session, texts, ctx.signal));
    };
    ctx.defer(() => {
      for (const stream of following.values()) stream.dispose();
    });
    ctx.tap(systemPrompt, async (value) => {
      const { withFound } = await import('./sections.ts');
      const { where } = value;
      const sources = { use: ctx.use.bind(ctx), where, texts, limits: ctx.config, signal: ctx.signal };
      const sections = await withFound(value.sections, sources);
      await follow();
      return sections === undefined ? undefined : { ...value, sections };
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
