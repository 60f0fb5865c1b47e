import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { type CommandArgs, type CommandHost, didYouMean, near, workbench } from 'kern/contracts';
import { type Context, KernError } from 'kern/plugin';
import { type Ground, openGround } from './ground.ts';
import { measures } from './measure.ts';
import { type Name, names } from './names.ts';
import { figures, lines, type Table } from './table.ts';

const defaultRuns = 10;

/** Measures, and prints each table as soon as it is there; with `--json` all at the end. */
export async function run(ctx: Context, { options, shared }: CommandArgs, host: CommandHost): Promise<number> {
  const runs = roundsOf(options.runs);
  const chosen = chosenOf(options.only);
  using ground = await openGround(ctx, host, runs);
  const about = {
    version: ctx.service(workbench).program.version,
    node: process.versions.node,
    platform: process.platform,
    arch: process.arch,
    cpus: availableParallelism(),
    runs,
    built: existsSync(join(ground.root, 'dist', 'main.js')),
  };
  if (!about.built)
    host.say('There is no dist/: what is measured runs from the sources. `npm run bench` builds first.');
  if (!shared.json)
    host.print(
      `kern ${about.version}, Node ${about.node}, ${about.platform} ${about.arch}, ${about.cpus} CPUs, rounds: ${runs}. Medians; – between: the middle half.`,
    );
  const tables: Table[] = [];
  for (const name of chosen) {
    const table = await measured(name, ground, host);
    tables.push(table);
    if (!shared.json) for (const line of ['', ...lines(table)]) host.print(line);
  }
  if (shared.json)
    host.json({
      ...about,
      tables: tables.map((table) => ({ name: table.name, title: table.title, rows: figures(table) })),
    });
  return 0;
}

async function measured(name: Name, ground: Ground, { stderr, signal }: CommandHost): Promise<Table> {
  signal.throwIfAborted();
  if (stderr.isTTY) stderr.write(`${name} …`);
  try {
    return await (await measures[name]())(ground);
  } finally {
    if (stderr.isTTY) stderr.write('\r\x1b[K');
  }
}

function roundsOf(given: CommandArgs['options'][string]): number {
  if (given === undefined) return defaultRuns;
  const runs = Number(given);
  if (Number.isInteger(runs) && runs >= 1 && runs <= 1000) return runs;
  throw new KernError('usage', `--runs takes a whole number from 1 to 1000, not ${String(given)}`);
}

function chosenOf(given: CommandArgs['options'][string]): readonly Name[] {
  const wanted = Array.isArray(given) ? given.flatMap((text: string) => text.split(',')) : [];
  if (wanted.length === 0) return names;
  const unknown = wanted.find((text) => !(names as readonly string[]).includes(text));
  if (unknown === undefined) return names.filter((name) => wanted.includes(name));
  throw new KernError('usage', `there is no measurement ${unknown}`, {
    hint: didYouMean(near(unknown, names, 3)) ?? `There is: ${names.join(', ')}`,
  });
}
