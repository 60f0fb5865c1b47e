import { type InvokedTexts, input, inputText, invokedTexts, slashed } from 'kern/contracts';
import { definePlugin, messageOf } from 'kern/plugin';
import { type SlashSettings, slashSettings } from './settings.ts';

export default definePlugin<SlashSettings>({
  id: 'slash',
  description: 'What is typed behind a slash: commands, and prompt templates with their arguments and shell lines.',
  declares: [invokedTexts],
  config: slashSettings,
  setup(ctx) {
    const told = new Set<string>();
    const tell = (text: string): void => {
      if (told.has(text)) return;
      told.add(text);
      ctx.log.warn(text);
    };
    const texts: InvokedTexts = {
      async textFor(invoked, signal) {
        const { invokedText } = await import('./text.ts');
        const { runLine } = await import('./shell-run.ts');
        const run = (line: import('./shell-run.ts').ShellRun, until: AbortSignal) => runLine(ctx, line, until);
        return invokedText(invoked, { ctx, run, tell }, signal);
      },
    };
    ctx.contribute(invokedTexts, texts);
    /** Texts made while it was looked whether they can be, until they are sent a moment later. */
    const made = new Map<string, string>();
    const key = (text: string): string => `${ctx.where.cwd}\0${text}`;
    ctx.tap(input, async ({ text, signal: givenUp }) => {
      const typed = asked(text);
      if (typed === undefined) return undefined;
      const { meant } = await import('./find.ts');
      const { answerTo } = await import('./answer.ts');
      const found = await meant(ctx, typed);
      if (found.kind === 'words') return undefined;
      if (found.kind === 'near')
        return { handled: true, refused: { code: 'usage', message: found.message, hint: found.hint } };
      made.clear();
      const signal = givenUp === undefined ? ctx.signal : AbortSignal.any([ctx.signal, givenUp]);
      try {
        const answer = await ctx.asking(answerTo(ctx, found, typed.args, texts, signal));
        if ('say' in answer) return { handled: true, ...(answer.say === undefined ? {} : { say: answer.say }) };
        made.set(key(text), answer.send);
        return undefined;
      } catch (error) {
        return {
          handled: true,
          refused: { code: 'command_failed', message: `/${typed.name} failed: ${messageOf(error)}` },
        };
      }
    });
    ctx.tap(inputText, (value) => {
      const text = made.get(key(value.text));
      made.delete(key(value.text));
      return text === undefined ? undefined : { ...value, text };
    });
  },
});

/** Skills have a plugin of their own. A blank before the slash says that it is meant as it stands. */
function asked(text: string): ReturnType<typeof slashed> {
  const typed = text.startsWith('/') ? slashed(text) : undefined;
  return typed?.name.startsWith('skill:') === true ? undefined : typed;
}
