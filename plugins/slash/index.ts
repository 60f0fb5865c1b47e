import { input, inputText, slashed } from 'kern/contracts';
import { definePlugin, messageOf } from 'kern/plugin';

export default definePlugin({
  id: 'slash',
  description: 'What is typed behind a slash: commands, and prompt templates with their arguments.',
  setup(ctx) {
    /** Texts made while it was looked whether they can be, until they are sent a moment later. */
    const made = new Map<string, string>();
    const key = (text: string): string => `${ctx.where.cwd}\0${text}`;
    ctx.tap(input, async ({ text }) => {
      const typed = asked(text);
      if (typed === undefined) return undefined;
      const { meant } = await import('./find.ts');
      const { textFor } = await import('./text.ts');
      const found = await meant(ctx, typed);
      if (found.kind === 'words') return undefined;
      if (found.kind === 'near') return { handled: true, say: found.say };
      made.clear();
      try {
        if (found.kind === 'template') {
          made.set(key(text), await ctx.asking(ctx.run(found.entry, (one) => textFor(one, typed.args, ctx.signal))));
          return undefined;
        }
        const said = await ctx.asking(
          ctx.run(found.entry, async (command) => {
            if (command.run !== undefined) return { say: await command.run(typed.args, ctx.signal) };
            return { send: await textFor(command, typed.args, ctx.signal) };
          }),
        );
        if (said.send === undefined) return { handled: true, ...(said.say === undefined ? {} : { say: said.say }) };
        made.set(key(text), said.send);
        return undefined;
      } catch (error) {
        return { handled: true, say: `/${typed.name} failed: ${messageOf(error)}` };
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
