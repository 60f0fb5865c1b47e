import { readFileSync } from 'node:fs';
import type { Ground, Started } from './ground.ts';
import { interleaved } from './median.ts';
import { benchModel } from './request.ts';
import { modelServer } from './server.ts';
import type { Table } from './table.ts';

/** Often enough for a run of a tenth of a second. */
const everyMs = 2;

/** The most memory a run of one turn had at once, as Linux counts it. */
export async function memory(ground: Ground): Promise<Table> {
  const place = ground.place();
  const script = place.write('hello.json', JSON.stringify({ version: 1, turns: [{ text: 'Hello.' }], repeat: 'last' }));
  const hello = ['-p', 'hello', '--no-session', '--model'];
  const overWire = async (model: string): Promise<number> => {
    await using server = await modelServer([{ pieces: ['Hello.'] }]);
    return await peak(ground, ground.start(place, [...hello, model], { model: server.url }));
  };
  const samples = await interleaved(ground.runs, {
    node: () => peak(ground, ground.startNode(['-e', '0'])),
    script: () => peak(ground, ground.start(place, [...hello, `script/${script}`])),
    chat: () => overWire(benchModel['openai-chat']),
    anthropic: () => overWire(benchModel.anthropic),
  });
  const against = 'node -e 0';
  return {
    name: 'memory',
    title: 'the most memory at once in a run of one turn (VmHWM)',
    rows: [
      { label: against, unit: 'MB', samples: samples.node },
      { label: 'kern -p, scripted model', unit: 'MB', samples: samples.script, against },
      { label: 'kern -p, OpenAI-compatible', unit: 'MB', samples: samples.chat, against },
      { label: 'kern -p, Anthropic', unit: 'MB', samples: samples.anthropic, against },
    ].map((row) => (process.platform === 'linux' ? row : { ...row, note: 'only Linux tells' })) as Table['rows'],
  };
}

/** The most memory a child had until its end, in MB. */
export async function peak(ground: Ground, started: Started): Promise<number> {
  let most = Number.NaN;
  const timer = setInterval(() => {
    const { pid } = started.child;
    const now = pid === undefined ? undefined : highWater(pid);
    if (now !== undefined) most = now;
  }, everyMs);
  try {
    await ground.ended(started);
  } finally {
    clearInterval(timer);
  }
  return most;
}

/** In MB of a million bytes. A process that has ended, and a system without /proc, tell nothing. */
export function highWater(pid: number): number | undefined {
  try {
    const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kilobytes === undefined ? undefined : (Number(kilobytes) * 1024) / 1e6;
  } catch {
    return undefined;
  }
}
