// A file that people write, with a description that editors understand: `kern schema team > team.schema.json`. What is
// wrong with it is told where models are listed.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { modelProblems, schemas } from 'kern/contracts';
import { definePlugin, messageOf } from 'kern/plugin';
import { z } from 'zod';

const team = z.object({ favourite: z.string().regex(/^[^/]+\/.+$/, 'provider/model') });

export default definePlugin({
  id: 'file-shape',
  setup(ctx) {
    ctx.contribute(schemas, {
      name: 'team',
      summary: 'team.json: which model the team likes.',
      make: async () => z.toJSONSchema(team),
    });
    ctx.provide(modelProblems, {
      id: 'team',
      displayName: 'team.json',
      priority: 0,
      load({ root }) {
        const file = path.join(root, 'team.json');
        const wrong = whatIsWrong(file);
        return {
          items: wrong === undefined ? [] : [{ item: { text: `team.json: ${wrong}` }, path: file }],
          watch: [file],
        };
      },
    });
  },
});

function whatIsWrong(file: string): string | undefined {
  try {
    const { error } = team.safeParse(JSON.parse(readFileSync(file, 'utf8')));
    return error === undefined ? undefined : z.prettifyError(error);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : messageOf(error);
  }
}
