// A setting outside of plugins.<id>, with what follows from it at once:
//   manners: { polite: true }
// The tool changes it through the service `settings`, which keeps it in the person's config.yml.
import { settings, tools } from 'kern/contracts';
import { definePlugin, settingSchemas } from 'kern/plugin';
import { z } from 'zod';

export default definePlugin({
  id: 'manners',
  requires: ['settings.store'],
  settings: [
    {
      key: 'manners.polite',
      schema: settingSchemas.trueOrFalse,
      default: false,
      summary: 'Whether greetings are polite.',
      project: true,
      effect: (polite, ctx) => ctx.events.emit('manners/changed', polite),
    },
  ],
  setup(ctx) {
    let greeting = 'Hi';
    ctx.events.on('manners/changed', (polite) => {
      greeting = polite === true ? 'Good day' : 'Hi';
    });
    ctx.contribute(tools, {
      name: 'greet',
      description: 'Greets. `polite` says how from now on.',
      parameters: z.object({ polite: z.boolean().optional() }),
      effects: () => [],
      execute: async (_id, { polite }) => {
        if (polite !== undefined) ctx.service(settings).set('manners.polite', polite);
        return { content: [{ type: 'text', text: `${greeting}.` }] };
      },
    });
  },
});
