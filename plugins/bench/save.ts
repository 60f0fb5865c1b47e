import { writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { KernError } from 'kern/plugin';
import type { Ground, Place } from './ground.ts';
import { interleaved, median } from './median.ts';
import { benchModel } from './request.ts';
import { modelServer } from './server.ts';
import type { Table } from './table.ts';

/** Saves after the first, in each process. */
const later = 5;
/** What an editor does not do within this time after the first request has left. */
const pauseMs = 400;
const limitMs = 20_000;

/** From writing an extension's file to its new tool, in a process that runs. */
export async function save(ground: Ground): Promise<Table> {
  const place = ground.place();
  place.write('home:extensions/witness.ts', witness);
  const first: number[] = [];
  let saved = 0;
  const samples = await interleaved(ground.runs, {
    later: async () => {
      // What was there at the start is compiled from the round before on, what is saved never was.
      const [opening = Number.NaN, ...others] = await saves(ground, place, () => {
        saved += 1;
        return saved;
      });
      first.push(opening);
      return median(others);
    },
  });
  return {
    name: 'save',
    title: 'from saving an extension to its tool being the new one',
    rows: [
      { label: 'the first save of a process', unit: 'ms', samples: first.slice(1) },
      { label: `the ${later} after it`, unit: 'ms', samples: samples.later, against: 'the first save of a process' },
    ],
  };
}

/** Edits a tool while a reply is held open, and hears from a second extension when the new one is there. */
async function saves(ground: Ground, place: Place, next: () => number): Promise<readonly number[]> {
  const file = place.write('home:extensions/edited.ts', edited(0));
  const held = Promise.withResolvers<void>();
  await using server = await modelServer([{ pieces: ['I wait.'], until: held.promise }]);
  const heard = new Map<string, number>();
  let text = '';
  const started = ground.start(place, ['-p', 'wait', '--no-session', '--model', benchModel['openai-chat']], {
    model: server.url,
    onOutput: (chunk, stream) => {
      const now = performance.now();
      if (stream !== 'stderr') return;
      text += Buffer.from(chunk).toString('utf8');
      for (const [mark] of text.matchAll(/edited-\d+/g)) if (!heard.has(mark)) heard.set(mark, now);
    },
  });
  const ended = ground.ended(started);
  const times: number[] = [];
  try {
    await Promise.race([ended, until(() => server.arrivals.length > 0, 'the first request')]);
    await setTimeout(pauseMs);
    for (let count = 0; count <= later; count += 1) {
      const nth = next();
      const from = performance.now();
      writeFileSync(file, edited(nth));
      await Promise.race([ended, until(() => heard.has(`edited-${nth}`), `the new tool after save ${nth}`)]);
      times.push((heard.get(`edited-${nth}`) ?? Number.NaN) - from);
      await setTimeout(pauseMs / 4);
    }
  } finally {
    held.resolve();
    await ended.catch(() => undefined);
  }
  await ended;
  return times;
}

async function until(isSo: () => boolean, what: string): Promise<void> {
  const end = performance.now() + limitMs;
  while (!isSo()) {
    if (performance.now() > end) throw new KernError('bench_failed', `${what} did not come within ${limitMs / 1000} s`);
    await setTimeout(5);
  }
}

/** A tool that says in its description which save it is of. */
const edited = (nth: number): string => `import { tools } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { z } from 'zod';

export default definePlugin({
  id: 'edited',
  setup: (ctx) =>
    ctx.contribute(tools, {
      name: 'edited',
      description: 'edited-${nth}',
      parameters: z.object({ name: z.string() }),
      execute: async () => ({ content: [{ type: 'text', text: 'edited-${nth}' }] }),
    }),
});
`;

const witness = `import { tools } from 'kern/contracts';
import { definePlugin, pluginChanged } from 'kern/plugin';

export default definePlugin({
  id: 'witness',
  setup: (ctx) =>
    ctx.tap(pluginChanged, ({ id, state }) => {
      if (id === 'edited' && state === 'live') process.stderr.write(\`\${ctx.use(tools).get('edited')?.item.description}\\n\`);
    }),
});
`;
