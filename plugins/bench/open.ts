import { join } from 'node:path';
import type { Ground } from './ground.ts';
import { type Cases, interleaved } from './median.ts';
import { askOnce } from './session-host.ts';
import { writeSession } from './session-lines.ts';
import type { Table } from './table.ts';

const mostRounds = 2;
const sizes = [1_000, 10_000, 100_000] as const;
const bytes = 2_000;
const compactedBefore = 500;

/** Sessions of many sizes, whose context is of one. Each is opened by a process of its own. */
export async function open(ground: Ground): Promise<Table> {
  const place = ground.place();
  const script = place.write('hello.json', JSON.stringify({ version: 1, turns: [{ text: 'Hello.' }] }));
  const model = `script/${script}`;
  const files = new Map(sizes.map((entries) => [entries, join(place.cwd, `${entries}.jsonl`)]));
  for (const [entries, file] of files)
    writeSession(file, { id: `bench-${entries}`, cwd: place.cwd, entries, bytes, compactedBefore });
  const largest = files.get(100_000) ?? '';
  const memory: Record<string, number[]> = {};
  const cases: Record<string, () => Promise<number>> = {};
  const measured = (name: string, work: 'open' | 'resume', file: string): void => {
    cases[name] = async () => {
      const took = await askOnce(ground, place, work === 'open' ? { do: 'open', file } : { do: 'resume', file, model });
      memory[name] = [...(memory[name] ?? []), took.memoryMb];
      return took.ms;
    };
  };
  for (const [entries, file] of files) {
    measured(`open ${entries}`, 'open', file);
    measured(`resume ${entries}`, 'resume', file);
  }
  cases.bare = async () => (await askOnce(ground, place, { do: 'bareParse', file: largest })).ms;
  const samples = await interleaved(Math.min(ground.runs, mostRounds), cases as Cases<string>);
  const growing = (what: string, unit: 'ms' | 'MB', all: Readonly<Record<string, readonly number[]>>): Table['rows'] =>
    sizes.map((entries, nth) => {
      const before = sizes[nth - 1];
      const label = (size: number): string => `${what}${unit === 'MB' ? ', memory' : ''}: ${size} entries`;
      // The first round only warms up.
      const own = (all[`${what} ${entries}`] ?? []).slice(unit === 'MB' ? 1 : 0);
      return { label: label(entries), unit, samples: own, ...(before === undefined ? {} : { against: label(before) }) };
    });
  return {
    name: 'open',
    title: `a session with entries of ${bytes} bytes, the last compaction ${compactedBefore} entries ago`,
    rows: [
      ...growing('open', 'ms', samples),
      ...growing('resume', 'ms', samples),
      { label: 'bare Node: 100000 lines read and parsed', unit: 'ms', samples: samples.bare ?? [] },
      ...growing('open', 'MB', memory),
      ...growing('resume', 'MB', memory),
    ],
  };
}
