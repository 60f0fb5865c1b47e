import type { Ground } from './ground.ts';
import { interleaved } from './median.ts';
import type { Table } from './table.ts';

/** Whole runs, from exec to exit. */
export async function start(ground: Ground): Promise<Table> {
  const place = ground.place();
  const script = place.write('hello.json', JSON.stringify({ version: 1, turns: [{ text: 'Hello.' }], repeat: 'last' }));
  const kern = async (...args: readonly string[]): Promise<number> => (await ground.kern(place, args)).ms;
  const samples = await interleaved(ground.runs, {
    node: async () => (await ground.node(['-e', '0'])).ms,
    version: () => kern('--version'),
    help: () => kern('--help'),
    hello: () => kern('-p', 'hello', '--no-session', '--model', `script/${script}`),
  });
  const against = 'node -e 0';
  return {
    name: 'start',
    title: 'from exec to exit',
    rows: [
      { label: against, unit: 'ms', samples: samples.node },
      { label: 'kern --version', unit: 'ms', samples: samples.version, against },
      { label: 'kern --help', unit: 'ms', samples: samples.help, against },
      { label: 'kern -p hello, scripted model', unit: 'ms', samples: samples.hello, against },
    ],
  };
}
