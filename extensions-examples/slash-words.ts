// What can be typed behind a slash: /pick does something itself, /elsewhere says something to the model, and /explain is
// a text with arguments. And a key and a way of drawing, for modes with a screen.
import { fileURLToPath } from 'node:url';
import { keybindings, promptTemplates, renderers, slashCommands } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';

export default definePlugin({
  id: 'slash-words',
  setup(ctx) {
    const pick = (words: string): string => words.split(/\s+/).toSorted()[0] ?? '';

    ctx.contribute(slashCommands, {
      name: 'pick',
      description: 'Picks one of some words. The model hears nothing of it.',
      argumentHint: '<word> <word>…',
      run: async (args) => (args.trim() === '' ? 'Pick from what?' : `Take ${pick(args)}.`),
    });
    ctx.contribute(slashCommands, {
      name: 'elsewhere',
      description: 'Asks how others solve it.',
      expand: async (args) => `How do other projects solve this: ${args}? Name three, and what each pays for it.`,
    });
    ctx.contribute(promptTemplates, {
      name: 'explain',
      description: 'Explains a file.',
      argumentHint: '<file>',
      path: fileURLToPath(import.meta.url),
      read: async () => 'Explain $1 to somebody who sees it for the first time.',
    });

    ctx.contribute(keybindings, {
      action: 'slash-words.model',
      keys: ['ctrl+shift+m'],
      summary: 'Says which model answers.',
      run: () => ctx.ui.notify(ctx.session.model()?.id ?? 'none'),
    });
    ctx.contribute(renderers, {
      kind: 'tool-result:slow_count',
      render: (_result, { width }) => ['counted'.padEnd(Math.min(width, 12), '.')],
    });
  },
});
