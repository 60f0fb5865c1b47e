import type { Ground } from './ground.ts';
import { interleaved, median } from './median.ts';
import type { Table } from './table.ts';
import { openToolHost, type Took } from './tool-host.ts';

/** Calls in a round; their median counts. */
const count = 10;

/** What the tool adds to the shell: both are started in the same way, in the same process. */
export async function bash(ground: Ground): Promise<Table> {
  await using host = openToolHost(ground, ground.place());
  const command = 'echo hello';
  const typical = async (call: () => Promise<Took>): Promise<number> => {
    const all: number[] = [];
    for (let nth = 0; nth < count; nth += 1) all.push((await call()).ms);
    return median(all);
  };
  const samples = await interleaved(ground.runs, {
    shell: () => typical(() => host.ask({ do: 'spawn', command: 'bash', args: ['-c', command] })),
    tool: () => typical(() => host.call('bash', { command })),
  });
  const against = `bash -c '${command}'`;
  return {
    name: 'bash',
    title: `bash: one call, the median of ${count}`,
    rows: [
      { label: against, unit: 'ms', samples: samples.shell },
      { label: 'bash', unit: 'ms', samples: samples.tool, against },
      { label: 'more', unit: 'ms', samples: samples.tool.map((ms, round) => ms - (samples.shell[round] ?? 0)) },
    ],
  };
}
