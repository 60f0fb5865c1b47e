// A plugin that others can plug into: it declares a kind of thing and a moment of its own.
// Ids start with the plugin's id and a slash; others import the tokens from this file.
import { tools } from 'kern/contracts';
import { defineCapability, definePlugin, transform } from 'kern/plugin';
import { z } from 'zod';

export interface Joke {
  readonly topic: string;
  readonly text: string;
}

export const jokes = defineCapability<Joke>({
  id: 'jokes/joke',
  schema: z.object({ topic: z.string(), text: z.string() }),
  key: ({ topic }) => topic,
});

/** Changes a joke before it is told. */
export const jokeTold = transform<{ readonly text: string }>({ id: 'jokes/told' });

export default definePlugin({
  id: 'jokes',
  declares: [jokes, jokeTold],
  setup: (ctx) => {
    ctx.contribute(jokes, {
      topic: 'tabs',
      text: 'Tabs and spaces walk into a bar. Nobody can tell who stands where.',
    });
    ctx.contribute(tools, {
      name: 'joke',
      description: 'Tells a joke about a topic.',
      parameters: z.object({ topic: z.string() }),
      effects: () => [],
      execute: async (_id, { topic }) => {
        const found = ctx.use(jokes).get(topic);
        const known = ctx
          .use(jokes)
          .items()
          .map((joke) => joke.topic);
        if (found === undefined)
          return {
            content: [{ type: 'text', text: `No joke about ${topic}. There is one about: ${known.join(', ')}.` }],
            isError: true,
          };
        const { text } = await ctx.call(jokeTold, { text: found.item.text });
        return { content: [{ type: 'text', text }] };
      },
    });
  },
});
