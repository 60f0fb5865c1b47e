import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { isatty } from 'node:tty';
import { type CommandArgs, type CommandHost, processes, terminalUi, type Workbench, workbench } from 'kern/contracts';
import { type Context, KernError, visible } from 'kern/plugin';
import { describe } from './describe.ts';
import { newest } from './fetch.ts';
import { type Locked, lockFileOf, readLock, type Shelf, shelvesOf } from './lock.ts';
import { discard, type Plan, type PlanPorts, planOf, stagingOf } from './plan.ts';
import { folderOf, stagingReady, take, takeOff, unknown, whatIsWrong } from './shelf.ts';
import { sourceOf } from './source.ts';
import { planJson, planLines } from './words.ts';

/** What a command works with. */
interface Desk {
  readonly bench: Workbench;
  readonly host: CommandHost;
  readonly args: CommandArgs;
  readonly shelves: readonly Shelf[];
  readonly shelf: Shelf;
  readonly ports: PlanPorts;
  readonly user: string;
}

async function deskOf(ctx: Context, args: CommandArgs, host: CommandHost): Promise<Desk> {
  await Promise.all([host.view.use(workbench).load(), host.view.use(processes).load()]);
  const bench = host.view.service(workbench);
  const shelves = shelvesOf(bench);
  const level = args.options.project === true ? 'project' : 'user';
  const shelf = shelves.find((one) => one.level === level);
  if (shelf === undefined)
    throw new KernError('usage', `${bench.root} is your own folder, and no project`, { hint: 'Leave --project away.' });
  return {
    bench,
    host,
    args,
    shelves,
    shelf,
    user: host.env.HOME ?? homedir(),
    ports: {
      run: (command, words, options) => ctx.spawn(command, words, options).result,
      signal: host.signal,
      kernVersion: bench.program.version,
      say: (line) => host.say(visible(line)),
    },
  };
}

/** `kern plugins install [source…]`. */
export async function install(ctx: Context, args: CommandArgs, host: CommandHost): Promise<number> {
  const desk = await deskOf(ctx, args, host);
  if (args.positionals.length === 0) return installLocked(desk);
  const { shelf, ports, user } = desk;
  const sources = args.positionals.map((text) => sourceOf(text, host.view.where.cwd, user));
  for (const source of sources) {
    if (source.kind !== 'folder' || shelf.level === 'user' || isBelow(source.folder, shelf.base)) continue;
    throw new KernError('usage', `${source.folder} lies outside of this project, where nobody who clones it has it`, {
      hint: 'Install it for yourself, without --project, or put it into the project.',
    });
  }
  await stagingReady(shelf);
  const plans: Plan[] = [];
  try {
    for (const source of sources) plans.push(await parsed(await planOf(source, shelf, ports)));
    return await offer(plans, desk);
  } finally {
    for (const plan of plans) await discard(plan);
  }
}

/** What the lock files name and is not here, or not as it was. */
async function installLocked(desk: Desk): Promise<number> {
  const { args, bench, host, ports, user } = desk;
  const shelves = args.options.project === true ? [desk.shelf] : desk.shelves;
  const plans: Plan[] = [];
  try {
    for (const shelf of shelves) {
      for (const [name, locked] of readLock(shelf)) {
        const wrong = await whatIsWrong(shelf, name, locked, bench.home);
        if (wrong === undefined) continue;
        if (locked.content === undefined) throw wrong;
        await stagingReady(shelf);
        const plan = await planOf(sourceOf(locked.source, shelf.base, user), shelf, ports, locked);
        plans.push(plan);
        if (plan.about.name !== name)
          throw new KernError(
            'package_integrity',
            `${locked.source} is ${plan.about.name}, and the lock file calls it ${name}`,
            {
              hint: `Look at ${lockFileOf(shelf)}.`,
            },
          );
      }
    }
    if (plans.length > 0) return await offer(plans, desk);
    if (args.shared.json) host.json({ packages: [] });
    else host.print('Everything that the lock files name is installed.');
    return 0;
  } finally {
    for (const plan of plans) await discard(plan);
  }
}

/** Shows what there is, asks, and takes it. */
async function offer(fetched: readonly Plan[], desk: Desk): Promise<number> {
  const { host, args, bench } = desk;
  const plans = fetched.map((plan): Plan => ({ ...plan, before: readLock(plan.shelf).get(plan.about.name) }));
  const isQuiet = args.shared.json;
  for (const plan of plans) {
    const lines = planLines(plan, await ranBefore(plan, desk));
    // Where nobody reads stdout as data, it is what was asked for.
    if (!isQuiet) for (const line of lines) host.say(line);
  }
  // What a person has taken before needs no second word; what others put into the lock file of a project does.
  const isTaken = ({ before, locked, shelf }: Plan): boolean =>
    shelf.level === 'user' && before !== undefined && locked.content !== undefined && before.content === locked.content;
  const isAsked = !plans.every(isTaken);
  if (isAsked && args.options.yes !== true && !(await isWanted(plans, desk))) {
    host.say('Nothing was installed.');
    return 1;
  }
  for (const plan of plans) await take(plan, bench.home);
  await grant(plans, desk);
  if (isQuiet) host.json({ packages: plans.map(planJson) });
  else
    for (const { about, locked, shelf } of plans)
      host.print(
        visible(`${about.name} ${locked.version} is installed${shelf.level === 'project' ? ' in this project' : ''}`),
      );
  return 0;
}

/** With what would keep its code from loading: better known before it is taken. */
async function parsed(plan: Plan): Promise<Plan> {
  const { about, staged, locked, shelf } = plan;
  const folder = staged === undefined ? folderOf(shelf, about.name, locked) : path.join(staged, 'package');
  const { parseAll } = await import('./lint/code.ts');
  const entries = about.entries.map((entry) => path.join(folder, entry));
  const { findings, files } = await parseAll(entries, { folder, packageJson: undefined, exported: {} });
  const shown = ({ file, line, message }: (typeof findings)[number]): string =>
    `${path.relative(folder, file)}${line === undefined ? '' : `:${line}`} ${message.replaceAll(folder + path.sep, '')}`;
  // Of a folder that is used where it lies, whoever installs it is who mends it.
  const broken = findings.filter(
    (one) => staged !== undefined && (one.code === 'syntax' || (one.code === 'import_missing' && isStatic(one, files))),
  );
  if (broken.length > 0) {
    const isThere = readLock(shelf).has(about.name);
    throw new KernError(
      'package_broken',
      `${about.name} ${about.version} would not load, and was not taken: ${broken.map(shown).join('; ')}`,
      {
        hint: `Its author has to mend it, or take another version${isThere ? '; what is installed stays as it is' : ''}.`,
      },
    );
  }
  const stops = findings.filter(({ severity }) => severity === 'error').map(shown);
  return { ...plan, about: { ...about, warnings: [...about.warnings, ...stops] } };
}

/** What is imported only when it is needed may be missing, and its absence be expected. */
function isStatic(
  { file, line }: { readonly file: string; readonly line?: number },
  files: readonly { readonly file: string; readonly source: string }[],
): boolean {
  const source = files.find((one) => one.file === file)?.source.split('\n')[(line ?? 0) - 1] ?? '';
  return !/\b(?:import|require)\s*\(/.test(source) && /^\s*import\b|\bfrom\s*['"]/.test(source);
}

async function ranBefore({ about, before, shelf }: Plan, { bench }: Desk): Promise<readonly string[] | undefined> {
  if (before === undefined) return undefined;
  const old = await describe(folderOf(shelf, about.name, before), bench.program.version).catch(() => undefined);
  return old?.runs ?? []; // what is not there any more ran nothing
}

async function isWanted(plans: readonly Plan[], { host, args }: Desk): Promise<boolean> {
  if (args.shared.json || !isatty(0) || !host.stderr.isTTY)
    throw new KernError('usage', 'nobody is here to say yes to installing this', {
      hint: 'Look at what is shown, then add --yes.',
    });
  const what = plans.map(({ about, locked }) => visible(`${about.name} ${locked.version}`)).join(', ');
  return (await terminalUi(host.stdin, host.stderr).confirm(`Install ${what}?`, '')) === true;
}

/** A person who took a package for a project has looked at it: what it would run may run, as it is now. */
async function grant(plans: readonly Plan[], { bench, host }: Desk): Promise<void> {
  const folders = plans
    .filter(({ shelf }) => shelf.level === 'project')
    .map(({ shelf, about, locked }) => folderOf(shelf, about.name, locked));
  if (folders.length === 0) return;
  await bench.reload();
  const { items } = await bench.trust.status();
  const own = items.filter(({ path: file }) => file !== undefined && folders.some((folder) => isBelow(file, folder)));
  if (own.length === 0) return;
  await bench.trust.grant(own.map(({ kind, id }) => `${kind}:${id}`));
  host.say('What it would run in this project is trusted as it is now; kern trust shows it.');
}

const isBelow = (file: string, folder: string): boolean => {
  const inside = path.relative(folder, file);
  return inside === '' || (inside !== '..' && !inside.startsWith(`..${path.sep}`) && !path.isAbsolute(inside));
};

/** `kern plugins remove <name…>`. */
export async function remove(ctx: Context, args: CommandArgs, host: CommandHost): Promise<number> {
  const desk = await deskOf(ctx, args, host);
  const names = [...new Set(args.positionals)];
  for (const name of names) known(name, desk);
  const removed: object[] = [];
  for (const name of names) {
    const { version } = await takeOff(desk.shelf, name);
    removed.push({ name, version, level: desk.shelf.level });
    if (!args.shared.json) host.print(visible(`${name} ${version} is removed`));
  }
  if (args.shared.json) host.json({ removed });
  return 0;
}

function known(name: string, { shelf, shelves }: Desk): Locked {
  const locked = readLock(shelf).get(name);
  if (locked !== undefined) return locked;
  const other = shelves.find((one) => one !== shelf && readLock(one).has(name));
  if (other === undefined) throw unknown(name, shelf);
  throw new KernError(
    'package_unknown',
    `${name} is installed ${other.level === 'project' ? 'in this project, and not for you' : 'for you, and not in this project'}`,
    {
      hint: other.level === 'project' ? 'Add --project.' : 'Leave --project away.',
    },
  );
}

/** `kern plugins update [name…]`. */
export async function update(ctx: Context, args: CommandArgs, host: CommandHost): Promise<number> {
  const desk = await deskOf(ctx, args, host);
  const { ports, user } = desk;
  const names = [...new Set(args.positionals)];
  // Looking changes nothing, and so it looks everywhere.
  const shelves = args.options.check === true && args.options.project !== true ? desk.shelves : [desk.shelf];
  const wanted =
    names.length > 0
      ? names.map((name) => {
          const shelf = shelves.find((one) => readLock(one).has(name)) ?? desk.shelf;
          return { name, shelf, locked: known(name, { ...desk, shelf }) };
        })
      : shelves.flatMap((shelf) => [...readLock(shelf)].map(([name, locked]) => ({ name, shelf, locked })));
  const looked = [];
  for (const { name, shelf, locked } of wanted) {
    await stagingReady(shelf);
    const source = sourceOf(locked.source, shelf.base, user);
    const found = await newest(source, path.join(stagingOf(shelf), 'looks'), ports);
    const isSame = found !== undefined && (found === locked.version || found === locked.resolved);
    looked.push({
      name,
      shelf,
      locked,
      source,
      found,
      state: source.kind === 'folder' ? 'linked' : isSame ? 'newest' : found === undefined ? 'unknown' : 'newer',
    });
  }
  if (args.options.check === true) {
    const lines = looked.map(({ name, shelf, locked, found, state }) => ({
      name,
      level: shelf.level,
      version: locked.version,
      newest: found ?? null,
      state,
    }));
    if (args.shared.json) host.json({ packages: lines });
    else if (lines.length === 0) host.print('No package is installed.');
    else
      for (const { name, version, level, state, newest } of lines)
        host.print(
          visible(
            `${name} ${version}${level === 'project' ? ' (in this project)' : ''}: ${told[state] ?? ''}${state === 'newer' ? newest : ''}`,
          ),
        );
    return 0;
  }
  const plans: Plan[] = [];
  try {
    for (const { shelf, locked, source, state } of looked) {
      if (state === 'newest' || state === 'linked') continue;
      const plan = await parsed(await planOf(source, shelf, ports));
      plans.push({ ...plan, locked: { ...plan.locked, source: locked.source } });
    }
    const changed = plans.filter(
      ({ about, locked, shelf }) => readLock(shelf).get(about.name)?.content !== locked.content,
    );
    if (changed.length > 0) return await offer(changed, desk);
    if (args.shared.json) host.json({ packages: [] });
    else host.print(wanted.length === 0 ? nothingHere(desk) : 'There is nothing newer.');
    return 0;
  } finally {
    for (const plan of plans) await discard(plan);
  }
}

function nothingHere({ shelf, shelves }: Desk): string {
  const isElsewhere = shelves.some((one) => one !== shelf && existsSync(lockFileOf(one)));
  if (!isElsewhere) return 'No package is installed.';
  return shelf.level === 'user'
    ? 'No package is installed for you; of this project: kern plugins update --project'
    : 'No package is installed in this project; of yours: kern plugins update';
}

const told: Readonly<Record<string, string>> = {
  newest: 'there is nothing newer',
  linked: 'used where it lies',
  unknown: 'what is newer is known only by fetching it: kern plugins update',
  newer: 'there is ',
};
