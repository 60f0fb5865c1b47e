import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { KernError, locatePackage, messageOf } from 'kern/plugin';
import { isMap, isPackageName, isVersion } from './lock.ts';
import {
  manifestIn,
  type OtherManifests,
  otherManifest,
  otherManifests,
  partKinds,
  type StatedParts,
  statedParts,
} from './parts.ts';
import { satisfies } from './range.ts';

/** A package in a folder, told without running anything of it. */
export interface Description {
  readonly name: string;
  readonly version: string;
  readonly description: string | undefined;
  /** Extensions, from the folder. */
  readonly entries: readonly string[];
  /** Everything else that it brings, by the names of `partKinds`. */
  readonly brings: Readonly<Record<string, readonly string[]>>;
  /** What it would run, in words. */
  readonly runs: readonly string[];
  /** Packages it needs, as it asks for them. */
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  /** Scripts of npm's life cycle, which do not run. */
  readonly scripts: Readonly<Record<string, string>>;
  /** Packages that it wants beside it, and which kern has not. */
  readonly peers: readonly string[];
  /** What is wrong with it, and does not stop it. */
  readonly warnings: readonly string[];
}

/** Run by npm around an installation, unless it is told not to. */
export const lifecycle: readonly string[] = [
  'preinstall',
  'install',
  'postinstall',
  'prepublish',
  'preprepare',
  'prepare',
  'postprepare',
];

/** What kern gives to extensions by itself. */
const given = /^(?:kern|zod|typebox|@sinclair\/typebox|@(?:earendil-works|mariozechner|oh-my-pi)\/.*)$/;

/** What a folder holds. Throws what makes it no package that kern could take. */
export async function describe(folder: string, kernVersion: string): Promise<Description> {
  const packageJson = jsonIn(folder, 'package.json');
  const others = othersIn(folder);
  const other = otherManifest(others);
  const { name, version, description } = identity(packageJson, other, folder);
  const wanted = kernRange(packageJson);
  if (wanted !== undefined && !satisfies(kernVersion, wanted)) {
    throw new KernError(
      'package_incompatible',
      `${name} ${version} is for kern ${wanted}, and this is kern ${kernVersion}`,
      {
        hint: 'Install a version of it that is for this kern, or update kern.',
      },
    );
  }
  // Of a package that was not made for kern, a file called index.js is no extension, nor a folder called rules one of rules.
  const isMeant = packageJson === undefined || other !== undefined || speaksToKern(packageJson);
  const located = isMeant ? await locatePackage(folder) : { found: [], problems: [] };
  const entries = located.found.map(({ entry }) => path.relative(folder, entry).split(path.sep).join('/'));
  const stated = statedParts(packageJson, others);
  const brings = isMeant ? bringsOf(folder, stated) : {};
  const scripts = textMap(fieldOf(packageJson, 'scripts'));
  const built = ['prepare', 'prepack', 'build'].find((one) => Object.hasOwn(scripts, one));
  const problems = located.problems.map(({ message }) =>
    / is not there, though/.test(message) && built !== undefined
      ? `${message.replace(folder + path.sep, '')}; its script ${built} would make it, and no script is run`
      : message.replaceAll(folder + path.sep, ''),
  );
  if (entries.length === 0 && Object.keys(brings).length === 0) {
    const index = isMeant ? undefined : ['index.ts', 'index.js'].find((one) => existsSync(path.join(folder, one)));
    throw new KernError(
      'package_empty',
      `${name} ${version} brings nothing that kern could use${problems[0] === undefined ? '' : `: ${problems[0]}`}`,
      {
        hint:
          index === undefined
            ? 'A package for kern says in its package.json what it brings: {"kern": {"extensions": ["./index.ts"]}}'
            : `It has ${index}, and its package.json does not say that this is for kern: {"kern": {"extensions": ["./${index}"]}}`,
      },
    );
  }
  return {
    name,
    version,
    description,
    entries,
    brings,
    runs: runsOf(folder, entries, brings, stated),
    dependencies: textMap(fieldOf(packageJson, 'dependencies')),
    optionalDependencies: textMap(fieldOf(packageJson, 'optionalDependencies')),
    scripts: Object.fromEntries(Object.entries(scripts).filter(([script]) => lifecycle.includes(script))),
    peers: peersOf(packageJson),
    warnings: [...problems, ...stated.problems, ...unversioned(packageJson, other), ...ownKern(packageJson)],
  };
}

/** What other programs would read in a folder. Throws `package_manifest` where it is no JSON. */
export function othersIn(folder: string): OtherManifests {
  return Object.fromEntries(Object.entries(otherManifests).map(([name, file]) => [name, jsonIn(folder, file)]));
}

function speaksToKern(packageJson: unknown): boolean {
  const keywords = fieldOf(packageJson, 'keywords');
  const words = Array.isArray(keywords) ? keywords : [];
  return manifestIn(packageJson) !== undefined || words.includes('kern-package') || words.includes('pi-package');
}

function identity(
  packageJson: unknown,
  other: unknown,
  folder: string,
): { name: string; version: string; description: string | undefined } {
  const said = packageJson ?? other;
  const name =
    fieldOf(packageJson, 'name') ?? fieldOf(other, 'name') ?? (other === undefined ? undefined : path.basename(folder));
  if (typeof name !== 'string' || !isPackageName(name))
    throw new KernError(
      'package_manifest',
      said === undefined
        ? `${folder} has no package.json`
        : name === undefined
          ? 'package.json has no "name"'
          : `package.json names no package: ${JSON.stringify(name)}`,
      {
        hint: 'A package.json with at least {"name": "weather", "version": "1.0.0", "kern": {"extensions": ["./index.ts"]}}',
      },
    );
  const version = fieldOf(packageJson, 'version') ?? fieldOf(other, 'version') ?? '0.0.0';
  if (typeof version !== 'string' || !isVersion(version))
    throw new KernError('package_manifest', `${name}: ${JSON.stringify(version)} is no version`, {
      hint: '"version": "1.0.0"',
    });
  const description = fieldOf(packageJson, 'description') ?? fieldOf(other, 'description');
  return { name, version, description: typeof description === 'string' ? description : undefined };
}

/** Which kern it is for: a peer dependency, or `engines`. */
export function kernRange(packageJson: unknown): string | undefined {
  const range =
    fieldOf(fieldOf(packageJson, 'peerDependencies'), 'kern') ?? fieldOf(fieldOf(packageJson, 'engines'), 'kern');
  return typeof range === 'string' ? range : undefined;
}

function peersOf(packageJson: unknown): readonly string[] {
  const optional = fieldOf(packageJson, 'peerDependenciesMeta');
  return Object.entries(textMap(fieldOf(packageJson, 'peerDependencies')))
    .filter(([name]) => !given.test(name) && fieldOf(fieldOf(optional, name), 'optional') !== true)
    .map(([name, range]) => `${name}@${range}`);
}

function unversioned(packageJson: unknown, other: unknown): readonly string[] {
  const isSaid = [packageJson, other].some((one) => fieldOf(one, 'version') !== undefined);
  return isSaid ? [] : ['it has no "version": it counts as 0.0.0, and npm does not pack it'];
}

function ownKern(packageJson: unknown): readonly string[] {
  const own = Object.keys(textMap(fieldOf(packageJson, 'dependencies'))).filter(
    (name) => given.test(name) && !/typebox|^zod$/.test(name),
  );
  return own.map(
    (name) => `${name} is among its dependencies, where kern gives its own: it belongs into peerDependencies`,
  );
}

function bringsOf(folder: string, { paths, servers }: StatedParts): Readonly<Record<string, readonly string[]>> {
  const found = partKinds.flatMap(({ name, format }): [string, readonly string[]][] => {
    const names = (paths[name] ?? []).flatMap((one) => namesAt(path.join(folder, one), format));
    const inside = name === 'mcpServers' ? Object.keys(servers ?? {}) : [];
    return names.length + inside.length === 0 ? [] : [[name, [...new Set([...names, ...inside])].sort()]];
  });
  return Object.fromEntries(found);
}

/** What people call the things of a place. */
function namesAt(at: string, format: string): readonly string[] {
  const kind = statSync(at, { throwIfNoEntry: false });
  if (kind === undefined) return [];
  if (format === 'data') {
    if (kind.isDirectory()) return filesBelow(at);
    const data = jsonIn(path.dirname(at), path.basename(at));
    const inside = fieldOf(data, 'mcpServers') ?? fieldOf(data, 'hooks') ?? data;
    return isMap(inside) ? Object.keys(inside) : [];
  }
  if (!kind.isDirectory()) return [path.basename(at).replace(/\.[^.]+$/, '')];
  if (format !== 'skills') return filesBelow(at).map((name) => name.replace(/\.[^.]+$/, ''));
  if (existsSync(path.join(at, 'SKILL.md'))) return [path.basename(at)];
  return filesBelow(at).flatMap((file) =>
    path.basename(file) === 'SKILL.md' ? [path.basename(path.dirname(file))] : [],
  );
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules') && !entry.name.startsWith('.'))
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'))
    .sort();
}

/** Everything of it that would run, so that nobody takes it unknowingly. */
function runsOf(
  folder: string,
  entries: readonly string[],
  brings: Description['brings'],
  { paths, servers }: StatedParts,
): readonly string[] {
  const serverMaps = [
    servers,
    ...(paths.mcpServers ?? []).map((one) => {
      const data = jsonIn(folder, one);
      return fieldOf(data, 'mcpServers') ?? data;
    }),
  ];
  const commands = serverMaps
    .flatMap((map) => (isMap(map) ? Object.entries(map) : []))
    .map(([name, server]) => {
      const line = [fieldOf(server, 'command'), ...listOf(fieldOf(server, 'args'))]
        .filter((one) => typeof one === 'string')
        .join(' ');
      return `MCP server ${name}: ${line === '' ? String(fieldOf(server, 'url') ?? '') : line}`;
    });
  const hooks = (paths.hooks ?? []).flatMap((one) => {
    const at = path.join(folder, one);
    if (statSync(at, { throwIfNoEntry: false })?.isFile() !== true) return [];
    return commandsIn(jsonIn(folder, one)).map((line) => `hook: ${line}`);
  });
  const files = (brings.hooks ?? []).filter((name) => /\.\w+$/.test(name)).map((name) => `hook: ${name}`);
  return [
    ...entries.map((entry) => `extension ${entry}, as part of kern`),
    ...(brings.tools ?? []).map((name) => `tool ${name}`),
    ...hooks,
    ...files,
    ...commands,
  ];
}

/** Every `command` of a file of hooks, wherever it stands. */
function commandsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(commandsIn);
  if (!isMap(value)) return [];
  const own = typeof value.command === 'string' ? [[value.command, ...listOf(value.args)].join(' ')] : [];
  return [...own, ...Object.values(value).flatMap((inside) => (typeof inside === 'object' ? commandsIn(inside) : []))];
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The content of a JSON file; undefined where it is not there. Throws `package_manifest` where it is none. */
export function jsonIn(folder: string, name: string): unknown {
  const file = path.join(folder, name);
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isFile() !== true || found.size > 4 * 1_048_576) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''));
  } catch (cause) {
    throw new KernError('package_manifest', `${name} is no JSON: ${messageOf(cause)}`, {
      cause,
      hint: `Correct ${name}.`,
    });
  }
}

export function fieldOf(value: unknown, name: string): unknown {
  return isMap(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

export function textMap(value: unknown): Readonly<Record<string, string>> {
  const entries = isMap(value) ? Object.entries(value) : [];
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}
