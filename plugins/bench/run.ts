import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { type CommandArgs, type CommandHost, workbench } from 'kern/contracts';
import type { Context } from 'kern/plugin';
import { chosenOf, roundsOf } from './choice.ts';
import { type Ground, openGround } from './ground.ts';
import { measures } from './measure.ts';
import type { Name } from './names.ts';
import { figures, lines, type Table } from './table.ts';

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
