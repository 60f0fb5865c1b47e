import { sessionCompact, sessionShutdown, systemPrompt, toolResult } from 'kern/contracts';
import { type Context, definePlugin } from 'kern/plugin';
import { type PromptSettings, promptSettings } from './settings.ts';
import { ToldOfFiles } from './told-of-files.ts';
import { ToldTexts } from './told-texts.ts';

export default definePlugin<PromptSettings>({
  id: 'prompt',
  description: 'What the person and the project have written down for agents is told to the model.',
  config: promptSettings,
  setup(ctx) {
    const texts = new ToldTexts(ctx.log);
    const told = new ToldOfFiles();
    ctx.tap(systemPrompt, async (value) => {
      const { withFound } = await import('./sections.ts');
      const { where } = value;
      const sources = { use: ctx.use.bind(ctx), where, texts, limits: ctx.config, signal: ctx.signal };
      const sections = await withFound(value.sections, sources);
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
    ctx.tap(sessionShutdown, ({ sessionId }) => told.forget(sessionId));
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
