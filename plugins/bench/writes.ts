import { join } from 'node:path';
import { line } from './fixtures.ts';
import type { Ground } from './ground.ts';
import { interleaved } from './median.ts';
import type { Table } from './table.ts';
import { openToolHost } from './tool-host.ts';

const count = 100;
const mostRounds = 5;

/** Many writes that are asked for at once: those of one file come one after the other, each under its lock. */
export async function writes(ground: Ground): Promise<Table> {
  const place = ground.place();
  await using host = openToolHost(ground, place);
  const content = (nth: number): string => `${nth}\n${line.repeat(16)}`;
  const bare = async (nameOf: (nth: number) => string): Promise<number> => {
    const files = each((nth) => ({ path: join(place.cwd, nameOf(nth)), content: content(nth) }));
    return (await host.ask({ do: 'write', files })).ms;
  };
  const tool = async (nameOf: (nth: number) => string): Promise<number> => {
    const calls = each((nth) => ({ name: 'write', args: { path: nameOf(nth), content: content(nth) } }));
    return (await host.ask({ do: 'call', calls, together: true })).ms;
  };
  const samples = await interleaved(Math.min(ground.runs, mostRounds), {
    bare: () => bare(() => 'bare.txt'),
    one: () => tool(() => 'one.txt'),
    many: () => tool((nth) => `many-${nth}.txt`),
  });
  const against = 'bare Node: write, fsync, rename';
  return {
    name: 'writes',
    title: `write: ${count} calls at once`,
    rows: [
      { label: against, unit: 'ms', samples: samples.bare, note: 'one after the other' },
      { label: 'one file, in order', unit: 'ms', samples: samples.one, against },
      { label: `${count} files`, unit: 'ms', samples: samples.many, against },
    ],
  };
}

const each = <T>(make: (nth: number) => T): readonly T[] => Array.from({ length: count }, (_, nth) => make(nth));
