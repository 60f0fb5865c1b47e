import { join } from 'node:path';
import { line, writeLines } from './fixtures.ts';
import type { Ground } from './ground.ts';
import { interleaved } from './median.ts';
import type { Table } from './table.ts';
import { openToolHost } from './tool-host.ts';

const count = 1_000_000_000 / line.length;
const pageLines = 100;
const mostRounds = 3;

/** A page of a file of a gigabyte: what is in front of it has to be counted, and nothing else. */
export async function pages(ground: Ground): Promise<Table> {
  const place = ground.place();
  writeLines(join(place.cwd, 'large.txt'), count);
  writeLines(join(place.cwd, 'small.txt'), pageLines);
  await using host = openToolHost(ground, place);
  const from = count - pageLines + 1;
  const page = async (path: string, offset: number): Promise<number> =>
    (await host.call('read', { path, offset, limit: pageLines })).ms;
  const samples = await interleaved(Math.min(ground.runs, mostRounds), {
    small: () => page('small.txt', 1),
    first: () => page('large.txt', 1),
    tail: async () => (await host.ask({ do: 'spawn', command: 'tail', args: ['-n', `+${from}`, 'large.txt'] })).ms,
    last: () => page('large.txt', from),
  });
  const tail = `tail -n +${from}`;
  return {
    name: 'pages',
    title: `read: a page of ${pageLines} lines of a file of 1 GB`,
    rows: [
      { label: 'a small file', unit: 'ms', samples: samples.small },
      { label: 'the first page', unit: 'ms', samples: samples.first, against: 'a small file' },
      { label: tail, unit: 'ms', samples: samples.tail },
      { label: 'the last page', unit: 'ms', samples: samples.last, against: tail },
    ],
  };
}
