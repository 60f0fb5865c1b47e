import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import {
  type CommandArgs,
  type CommandHost,
  commands,
  discoveryFiles,
  slashCommands,
  tools,
  workbench,
} from 'kern/contracts';
import { KernError, locateExtensions, locatePackage, visible } from 'kern/plugin';
import { describe, othersIn } from '../describe.ts';
import { statedParts } from '../parts.ts';
import { isArchive, unpacked } from './archive.ts';
import { type CodeRoom, parseAll } from './code.ts';
import { error, type Finding } from './findings.ts';
import { lookAtManifest, packedBy } from './manifest.ts';
import { defaultExport, lookAtNames, type Registered, type Taken } from './names.ts';
import { lookAtTexts } from './texts.ts';

/** What was looked through: a package, or a single file. */
interface Look {
  readonly path: string;
  readonly name?: string;
  readonly version?: string;
  readonly entries: readonly string[];
  readonly brings: Readonly<Record<string, readonly string[]>>;
  readonly registers: Registered;
  readonly runs: readonly string[];
  readonly findings: readonly Finding[];
}

interface Room {
  readonly host: CommandHost;
  readonly taken: Taken;
  readonly exported: CodeRoom['exported'];
  readonly kernVersion: string;
}

/** `kern plugins lint [path…]`: nothing of what is looked at runs. */
export async function lint(args: CommandArgs, host: CommandHost): Promise<number> {
  const { cwd } = host.view.where;
  const paths = (args.positionals.length > 0 ? args.positionals : ['.']).map((one) => path.resolve(cwd, one));
  for (const one of paths)
    if (!existsSync(one))
      throw new KernError('usage', `${one} is not there`, {
        hint: 'Give a file, a package, or a folder of extensions.',
      });
  await using archives = new AsyncDisposableStack();
  const opened = await openAll(paths, archives);
  const targets = [...new Set((await Promise.all(opened.map(({ at }) => targetsIn(at)))).flat())];
  if (targets.length === 0)
    throw new KernError('usage', `there is no extension in ${paths.join(', ')}`, {
      hint: 'An extension is a .ts or .js file, or a folder with a package.json or an index.ts.',
    });
  const room = await roomOf(host);
  const looks: Look[] = [];
  for (const target of targets) {
    const look = await lookAt(target, room);
    looks.push(opened.reduce((told, { named }) => named(told), look));
  }
  const findings = looks.flatMap((look) => look.findings);
  const isGood = findings.every(({ severity }) => severity !== 'error');
  if (args.shared.json) host.json({ ok: isGood, packages: looks.map(({ findings: _, ...look }) => look), findings });
  else for (const line of linesOf(looks, cwd)) host.print(line);
  return isGood ? 0 : 1;
}

interface Opened {
  readonly at: string;
  /** What was found, by the path that was given. */
  named(look: Look): Look;
}

/** Tarballs are unpacked, and what is neither an extension nor a package is refused. */
async function openAll(paths: readonly string[], archives: AsyncDisposableStack): Promise<readonly Opened[]> {
  const opened: Opened[] = [];
  for (const one of paths) {
    if (statSync(one).isDirectory() || /\.[cm]?[jt]sx?$/.test(one)) opened.push({ at: one, named: (look) => look });
    else if (!statSync(one).isFile() || !isArchive(one))
      throw new KernError('usage', `${one} is no extension, no package and no tarball`, {
        hint: 'Give a .ts or .js file, a folder, or the .tgz that `npm pack` writes.',
      });
    else {
      const { folder, named } = archives.use(await unpacked(one));
      opened.push({
        at: folder,
        named: (look) => ({
          ...look,
          path: named(look.path),
          findings: look.findings.map((finding) => ({
            ...finding,
            file: named(finding.file),
            message: named(finding.message),
            hint: named(finding.hint),
          })),
        }),
      });
    }
  }
  return opened;
}

/** A file, a package, or what stands in a folder of extensions. */
async function targetsIn(full: string): Promise<readonly string[]> {
  if (!statSync(full).isDirectory()) return [full];
  const isPackage = ['package.json', 'index.ts', 'index.js', '.claude-plugin/plugin.json'].some((name) =>
    existsSync(path.join(full, name)),
  );
  if (isPackage) return [full];
  const { found } = await locateExtensions(full);
  return found.map(({ entry, root }) => (root === full ? entry : root));
}

async function roomOf(host: CommandHost): Promise<Room> {
  const { view } = host;
  await Promise.all([
    view.use(workbench).load(),
    view.use(tools).load(),
    view.use(slashCommands).load(),
    view.use(commands).load(),
    view.use(discoveryFiles).load(),
  ]);
  const bench = view.service(workbench);
  const plugins = await bench.plugins();
  const builtin = new Set(plugins.filter(({ level }) => level === 'builtin').map(({ id }) => id));
  const own = <T>(
    entries: readonly {
      readonly key: string | undefined;
      readonly item: T;
      readonly origin: { readonly level: string };
    }[],
  ): ReadonlySet<string> =>
    new Set(entries.filter(({ origin }) => origin.level === 'builtin').flatMap(({ key }) => key ?? []));
  const [plugin, contracts] = await Promise.all([import('kern/plugin'), import('kern/contracts')]);
  return {
    host,
    kernVersion: bench.program.version,
    taken: {
      plugins: builtin,
      tools: own(view.use(tools).entries()),
      slashCommands: own(view.use(slashCommands).entries()),
      commands: own(view.use(commands).entries()),
    },
    exported: {
      'kern/plugin': new Set(Object.keys(plugin)),
      'kern/contracts': new Set(Object.keys(contracts)),
    },
  };
}

async function lookAt(target: string, room: Room): Promise<Look> {
  const isFolder = statSync(target).isDirectory();
  const folder = isFolder ? target : path.dirname(target);
  const { packageJson, findings } = isFolder
    ? await lookAtManifest(target, room.kernVersion)
    : { packageJson: undefined, findings: [] };
  const entries = isFolder ? (await locatePackage(target)).found.map(({ entry }) => entry) : [target];
  const code = await parseAll(entries, { folder, packageJson, exported: room.exported });
  const names = lookAtNames(code.files, room.taken);
  const shapes = code.files
    .filter(({ file }) => entries.includes(file))
    .flatMap((file) => defaultExport(file).finding ?? []);
  const isPacked = packedBy(packageJson);
  const unpacked = code.files
    .filter(({ file }) => !entries.includes(file) && !isPacked(path.relative(folder, file).split(path.sep).join('/')))
    .map(({ file }) =>
      error(
        'file_not_packed',
        { file },
        'is imported, and "files" leaves it out of the package',
        'Add it to "files" in package.json.',
      ),
    );
  const texts = isFolder ? await textFindings(target, packageJson, room) : [];
  const whole =
    isFolder && findings.every(({ code: what }) => what !== 'manifest_json')
      ? await wholeOf(target, packageJson, room, findings)
      : undefined;
  const all = [
    ...findings,
    ...code.findings,
    ...names.findings,
    ...shapes,
    ...unpacked,
    ...texts,
    ...(whole?.findings ?? []),
  ];
  return {
    path: target,
    ...(whole?.name === undefined ? {} : { name: whole.name }),
    ...(whole?.version === undefined ? {} : { version: whole.version }),
    entries: entries.map((entry) => path.relative(folder, entry)),
    brings: whole?.brings ?? {},
    registers: names.registered,
    runs: [...(whole?.runs ?? []), ...names.registered.programs.map((program) => `program ${program}`)],
    findings: all,
  };
}

async function textFindings(folder: string, packageJson: unknown, { host }: Room): Promise<readonly Finding[]> {
  const files = host.view.service(discoveryFiles).open(host.view.where, host.signal);
  return lookAtTexts(folder, statedParts(packageJson, othersOf(folder)), files);
}

function othersOf(folder: string): ReturnType<typeof othersIn> {
  try {
    return othersIn(folder);
  } catch {
    return {}; // said by who describes the package
  }
}

type Whole = Partial<Pick<Look, 'name' | 'version' | 'brings' | 'runs'>> & { readonly findings: readonly Finding[] };

/** What whoever installs it is shown, and whether it could be installed at all. */
async function wholeOf(
  folder: string,
  packageJson: unknown,
  { kernVersion }: Room,
  known: readonly Finding[],
): Promise<Whole> {
  try {
    const { name, version, brings, runs } = await describe(folder, kernVersion);
    return { name, version, brings, runs, findings: [] };
  } catch (cause) {
    // An extension folder needs no package.json; and what is wrong with one has been said.
    if (
      !(cause instanceof KernError) ||
      packageJson === undefined ||
      known.some(({ severity }) => severity === 'error')
    )
      return { findings: [] };
    return {
      findings: [error(cause.code, { file: path.join(folder, 'package.json') }, cause.message, cause.hint ?? '')],
    };
  }
}

function linesOf(looks: readonly Look[], cwd: string): readonly string[] {
  const shown = (file: string): string => {
    const short = path.relative(cwd, file);
    return visible(short === '' ? '.' : short.startsWith('..') ? file : short);
  };
  return looks.flatMap((look) => {
    const counts = (['error', 'warning'] as const).map(
      (kind) => look.findings.filter(({ severity }) => severity === kind).length,
    );
    const [errors = 0, warnings = 0] = counts;
    const verdict =
      errors + warnings === 0
        ? 'nothing to complain of'
        : [
            `${errors} ${errors === 1 ? 'error' : 'errors'}`,
            `${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`,
          ].join(', ');
    const { ids, tools: named, slashCommands: slash, commands: verbs, flags } = look.registers;
    const registers = [
      ...ids.map((id) => `plugin ${id}`),
      ...named.map((name) => `tool ${name}`),
      ...slash.map((name) => `/${name}`),
      ...verbs.map((name) => `kern ${name}`),
      ...flags.map((name) => `--${name}`),
    ];
    const brings = Object.entries(look.brings).map(([kind, list]) => `${kind}: ${list.join(', ')}`);
    return [
      ...look.findings.flatMap(({ severity, file, line, message, hint }) => [
        `${shown(file)}${line === undefined ? '' : `:${line}`}: ${severity}: ${visible(message)}`,
        ...(hint === '' ? [] : [`  ${visible(hint)}`]),
      ]),
      `${look.name === undefined ? shown(look.path) : visible(`${look.name} ${look.version}`)}: ${verdict}`,
      ...(registers.length === 0 ? [] : [`  registers ${visible(registers.join(', '))}`]),
      ...brings.map((line) => `  brings ${visible(line)}`),
      ...look.runs.map((line) => `  runs ${visible(line)}`),
    ];
  });
}
