import { join } from 'node:path';
import { line, writeLines } from './fixtures.ts';
import type { Ground } from './ground.ts';
import { interleaved } from './median.ts';
import type { Table } from './table.ts';
import { openToolHost } from './tool-host.ts';

const count = Math.floor(50_000_000 / line.length);
const mostRounds = 5;

/** One line in the middle of a large file, which the limit of edit has to be raised for. */
export async function edit(ground: Ground): Promise<Table> {
  const place = ground.place();
  place.write('home:config.yml', 'plugins:\n  tools.edit:\n    maxBytes: 100000000\n');
  for (const name of ['bare.txt', 'tool.txt'])
    writeLines(join(place.cwd, name), count, new Map([[Math.floor(count / 2), mark(0)]]));
  await using host = openToolHost(ground, place);
  let [bareTurn, toolTurn] = [0, 0];
  const samples = await interleaved(Math.min(ground.runs, mostRounds), {
    async bare() {
      const [from, to] = [mark(bareTurn), mark(bareTurn + 1)];
      bareTurn += 1;
      return (await host.ask({ do: 'edit', path: join(place.cwd, 'bare.txt'), from, to })).ms;
    },
    async tool() {
      const edits = [{ oldText: mark(toolTurn), newText: mark(toolTurn + 1) }];
      toolTurn += 1;
      return (await host.call('edit', { path: 'tool.txt', edits })).ms;
    },
  });
  const against = 'bare Node: read, replace, write, fsync, rename';
  return {
    name: 'edit',
    title: 'edit: one line of a file of 50 MB',
    rows: [
      { label: against, unit: 'ms', samples: samples.bare },
      { label: 'edit', unit: 'ms', samples: samples.tool, against },
    ],
  };
}

const mark = (nth: number): string => `the line that is changed: ${nth} times`;
