import { systemPrompt } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { type PromptSettings, promptSettings } from './settings.ts';
import { ToldTexts } from './told-texts.ts';

export default definePlugin<PromptSettings>({
  id: 'prompt',
  description: 'What the person and the project have written down for agents is told to the model.',
  config: promptSettings,
  setup(ctx) {
    const texts = new ToldTexts(ctx.log);
    ctx.tap(systemPrompt, async (value) => {
      const { withFound } = await import('./sections.ts');
      const { where } = value;
      const sources = { use: ctx.use.bind(ctx), where, texts, limits: ctx.config, signal: ctx.signal };
      const sections = await withFound(value.sections, sources);
      return sections === undefined ? undefined : { ...value, sections };
    });
  },
});
