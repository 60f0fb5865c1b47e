import type { Ground } from './ground.ts';
import { interleaved } from './median.ts';
import type { Table } from './table.ts';

const count = 50;

/** A long run with the scripted model; each turn but the last reads a file. */
export async function turns(ground: Ground): Promise<Table> {
  const place = ground.place();
  place.write('note.txt', 'One line.\n');
  const call = { calls: [{ name: 'read', args: { path: 'note.txt' } }] };
  const script = (length: number): string => {
    const steps = [...Array.from({ length: length - 1 }, () => call), { text: 'Done.' }];
    return `script/${place.write(`${length}.json`, JSON.stringify({ version: 1, turns: steps }))}`;
  };
  const [long, short] = [script(count), script(1)];
  const run = async (model: string, ...more: readonly string[]): Promise<number> =>
    (await ground.kern(place, ['-p', 'go', '--model', model, ...more])).ms;
  const samples = await interleaved(ground.runs, {
    short: () => run(short, '--no-session'),
    long: () => run(long, '--no-session'),
    kept: () => run(long),
  });
  const each = (runs: readonly number[]): readonly number[] =>
    runs.map((ms, round) => (ms - (samples.short[round] ?? 0)) / (count - 1));
  return {
    name: 'turns',
    title: `a run of ${count} turns, each with one file read (scripted model)`,
    rows: [
      { label: '1 turn', unit: 'ms', samples: samples.short },
      { label: `${count} turns`, unit: 'ms', samples: samples.long, against: '1 turn' },
      { label: `${count} turns, session on disk`, unit: 'ms', samples: samples.kept, against: '1 turn' },
      { label: 'a turn', unit: 'ms', samples: each(samples.long) },
      { label: 'a turn, session on disk', unit: 'ms', samples: each(samples.kept), against: 'a turn' },
    ],
  };
}
