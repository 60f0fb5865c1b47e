import { join } from 'node:path';
import type { Ground } from './ground.ts';
import { interleaved } from './median.ts';
import { openSessionHost } from './session-host.ts';
import { writeSession } from './session-lines.ts';
import type { Table } from './table.ts';

const mostRounds = 4;
const folders = 30;
const each = 100;
const shape = { entries: 24, bytes: 1_000 };

/** A list of very many sessions: of which nothing is known yet, and later. */
export async function list(ground: Ground): Promise<Table> {
  const place = ground.place();
  for (let nth = 0; nth < folders * each; nth += 1) {
    const project = `project-${nth % folders}`;
    const file = join(place.home, 'sessions', `--${project}--`, `2026-01-01T00-00-00-000Z_bench-${nth}.jsonl`);
    writeSession(file, { id: `bench-${nth}`, cwd: join('/', project), ...shape });
  }
  await using host = openSessionHost(ground, place);
  const samples = await interleaved(Math.min(ground.runs, mostRounds), {
    read: async () => (await host.ask({ do: 'bareList', whole: true })).ms,
    first: async () => (await host.ask({ do: 'list', anew: true })).ms,
    stat: async () => (await host.ask({ do: 'bareList', whole: false })).ms,
    later: async () => (await host.ask({ do: 'list', anew: false })).ms,
  });
  const bare = { read: 'bare Node: each file read', stat: 'bare Node: stat of each' };
  return {
    name: 'list',
    title: `the list of ${folders * each} sessions of ${shape.entries} entries each`,
    rows: [
      { label: bare.read, unit: 'ms', samples: samples.read },
      { label: 'the first time', unit: 'ms', samples: samples.first, against: bare.read },
      { label: bare.stat, unit: 'ms', samples: samples.stat },
      { label: 'later', unit: 'ms', samples: samples.later, against: bare.stat },
    ],
  };
}
