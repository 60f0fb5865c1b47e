import { join } from 'node:path';
import { searching } from 'kern/contracts';
import { KernError } from 'kern/plugin';
import { writeTree } from './fixtures.ts';
import type { Ground } from './ground.ts';
import { interleaved } from './median.ts';
import type { Table } from './table.ts';
import { openToolHost } from './tool-host.ts';

const count = 100_000;
const hits = 50;
const mostRounds = 3;

/** A search through very many files, against ripgrep itself: in any order, and in order of path as grep answers. */
export async function grep(ground: Ground): Promise<Table> {
  const rg = await searching.findRipgrep();
  if (rg === undefined)
    throw new KernError('bench_failed', 'grep is measured against ripgrep, and there is none', {
      hint: 'Install ripgrep, or choose other measurements with --only.',
    });
  const place = ground.place();
  writeTree(join(place.cwd, 'tree'), count, count / hits, 'the needle_1 is here');
  await using host = openToolHost(ground, place);
  const pattern = 'needle_[0-9]+';
  const ripgrep = async (...more: readonly string[]): Promise<number> => {
    const args = ['--no-config', '--line-number', '--with-filename', ...more, '-e', pattern, '--', 'tree'];
    return (await host.ask({ do: 'spawn', command: rg, args })).ms;
  };
  const samples = await interleaved(Math.min(ground.runs, mostRounds), {
    rg: () => ripgrep(),
    sorted: () => ripgrep('--sort=path'),
    tool: async () => (await host.call('grep', { pattern, path: 'tree' })).ms,
  });
  return {
    name: 'grep',
    title: `grep: ${hits} hits in ${count} files`,
    rows: [
      { label: 'rg', unit: 'ms', samples: samples.rg },
      { label: 'rg --sort=path', unit: 'ms', samples: samples.sorted, against: 'rg' },
      { label: 'grep', unit: 'ms', samples: samples.tool, against: 'rg' },
    ],
  };
}
