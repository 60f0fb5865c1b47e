import { join } from 'node:path';
import { writeLines } from './fixtures.ts';
import type { Ground } from './ground.ts';
import { interleaved } from './median.ts';
import type { Table } from './table.ts';
import { openToolHost } from './tool-host.ts';

const count = 16;
const lines = 10_000;

/** Many reads of a batch, each of another file and as much as one result takes. */
export async function parallel(ground: Ground): Promise<Table> {
  const place = ground.place();
  const calls = Array.from({ length: count }, (_, nth) => ({ name: 'read', args: { path: `${nth}.txt` } }));
  for (const { args } of calls) writeLines(join(place.cwd, args.path), lines);
  await using host = openToolHost(ground, place);
  const run = async (some: typeof calls, together: boolean): Promise<number> =>
    (await host.ask({ do: 'call', calls: some, together })).ms;
  const samples = await interleaved(ground.runs, {
    one: () => run(calls.slice(0, 1), false),
    ordered: () => run(calls, false),
    together: () => run(calls, true),
  });
  const against = 'one';
  return {
    name: 'parallel',
    title: `read: ${count} files at once, against one`,
    rows: [
      { label: against, unit: 'ms', samples: samples.one },
      { label: `${count}, one after the other`, unit: 'ms', samples: samples.ordered, against },
      { label: `${count} at once`, unit: 'ms', samples: samples.together, against },
    ],
  };
}
