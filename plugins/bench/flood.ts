import type { Ground } from './ground.ts';
import { interleaved } from './median.ts';
import { peak } from './memory.ts';
import type { Table } from './table.ts';

const mostRounds = 2;

/** The most memory of a run whose shell prints a gigabyte, against one whose shell prints a line. */
export async function flood(ground: Ground): Promise<Table> {
  const place = ground.place();
  const run = async (name: string, command: string): Promise<number> => {
    const turns = [{ calls: [{ name: 'bash', args: { command } }] }, { text: 'Done.' }];
    const script = place.write(`${name}.json`, JSON.stringify({ version: 1, turns }));
    return peak(ground, ground.start(place, ['-p', 'go', '--no-session', '--yolo', '--model', `script/${script}`]));
  };
  const samples = await interleaved(Math.min(ground.runs, mostRounds), {
    little: () => run('little', 'echo A line'),
    much: () => run('much', 'yes A line, and the next, and so on | head -c 1000000000'),
  });
  const against = 'a line';
  const note = process.platform === 'linux' ? {} : { note: 'only Linux tells' };
  return {
    name: 'flood',
    title: 'bash: the most memory at once in a run whose shell prints (VmHWM)',
    rows: [
      { label: against, unit: 'MB', samples: samples.little, ...note },
      { label: '1 GB', unit: 'MB', samples: samples.much, against, ...note },
      { label: 'more', unit: 'MB', samples: samples.much.map((most, round) => most - (samples.little[round] ?? 0)) },
    ],
  };
}
