import { join } from 'node:path';
import type { Ground } from './ground.ts';
import { interleaved } from './median.ts';
import { openSessionHost } from './session-host.ts';
import { writeSession } from './session-lines.ts';
import type { Table } from './table.ts';

const mostRounds = 4;
const turns = 50;
const entries = 10_000;
/** More than all of them together. */
const contextWindow = 1_000_000_000;

/**
 * What a turn takes in a session in which much was said, none of it summed up, against one that begins. In processor
 * time: what a disk or another program takes is no matter of the history.
 */
export async function behind(ground: Ground): Promise<Table> {
  const place = ground.place();
  place.write('note.txt', 'One line.\n');
  const script = (name: string, usage: object): string => {
    const call = { calls: [{ name: 'read', args: { path: 'note.txt' } }], ...usage };
    const steps = [...Array.from({ length: turns - 1 }, () => call), { text: 'Done.', ...usage }];
    return `script/${place.write(`${name}.json`, JSON.stringify({ version: 1, model: { contextWindow }, turns: steps }))}`;
  };
  const counting = script('counting', { usage: { input: 1_000_000, output: 10 } });
  const silent = script('silent', {});
  await using host = openSessionHost(ground, place);
  let files = 0;
  const turn = async (model: string, tokens?: number): Promise<number> => {
    if (tokens === undefined) return (await host.ask({ do: 'run', model })).cpuMs / turns;
    files += 1;
    // Of its own: a script goes on where it was in a session.
    const id = `bench-${files}`;
    const file = join(place.cwd, `${id}.jsonl`);
    writeSession(file, { id, cwd: place.cwd, entries, bytes: 500, tokens });
    return (await host.ask({ do: 'run', model, file })).cpuMs / turns;
  };
  const samples = await interleaved(Math.min(ground.runs, mostRounds), {
    none: () => turn(counting),
    many: () => turn(counting, 1_000_000),
    noneSilent: () => turn(silent),
    manySilent: () => turn(silent, 0),
  });
  const more = (all: readonly number[], none: readonly number[]): readonly number[] =>
    all.map((ms, round) => ms - (none[round] ?? 0));
  const against = { counts: 'nothing behind it', silent: 'nothing behind it, replies count nothing' };
  return {
    name: 'behind',
    title: `processor time of a turn with ${entries} entries behind it, each with one file read (scripted model, session on disk)`,
    rows: [
      { label: against.counts, unit: 'ms', samples: samples.none },
      { label: `${entries} entries`, unit: 'ms', samples: samples.many, against: against.counts },
      { label: 'more', unit: 'ms', samples: more(samples.many, samples.none) },
      { label: against.silent, unit: 'ms', samples: samples.noneSilent },
      {
        label: `${entries} entries, replies count nothing`,
        unit: 'ms',
        samples: samples.manySilent,
        against: against.silent,
      },
      { label: 'more, replies count nothing', unit: 'ms', samples: more(samples.manySilent, samples.noneSilent) },
    ],
  };
}
