import { existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import path from 'node:path';
import { foreignModules } from 'kern/contracts';
import { didYouMean, nearNames } from 'kern/plugin';
import { error, type Finding, lineAt, warning } from './findings.ts';

/** A file of code, parsed and not run. Lines of `code` are those of the source. */
export interface ParsedFile {
  readonly file: string;
  readonly source: string;
  readonly code: string;
}

export interface CodeRoom {
  /** The folder of the package; of a single file the one it stands in. */
  readonly folder: string;
  readonly packageJson: unknown;
  /** Names that kern's own modules export. */
  readonly exported: Readonly<Record<string, ReadonlySet<string>>>;
}

const hostNames = ['kern/plugin', 'kern/contracts', 'kern/testing', 'zod', 'zod/v4', 'zod/mini'];
const given: ReadonlySet<string> = new Set([...hostNames, ...Object.values(foreignModules).flat()]);

/** Follows an entry through all files of its own. */
export async function parseAll(
  entries: readonly string[],
  room: CodeRoom,
): Promise<{ readonly files: readonly ParsedFile[]; readonly findings: readonly Finding[] }> {
  const { createJiti } = await import('jiti');
  const jiti = createJiti(room.folder, {
    fsCache: false,
    moduleCache: false,
    sourceMaps: false,
    tryNative: false,
    interopDefault: false,
  });
  const files = new Map<string, ParsedFile>();
  const findings: Finding[] = [];
  const seen = new Set<string>();
  const waiting = [...entries];
  for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
    if (seen.has(file)) continue;
    seen.add(file);
    const source = readFileSync(file, 'utf8');
    if (!/\.[cm]?[jt]sx?$/.test(file)) continue;
    const code = jiti.transform({
      source: source.replace(/^#!/, '//'),
      filename: file,
      ts: /\.[cm]?tsx?$/.test(file),
      async: true,
    });
    const failure = failureOf(code);
    if (failure !== undefined) {
      findings.push(
        error(
          'syntax',
          { file, line: failure.line },
          `cannot be parsed: ${failure.message.trim()}`,
          'Correct it; nothing of the extension loads until then.',
        ),
      );
      continue;
    }
    const parsed = { file, source, code };
    files.set(file, parsed);
    for (const { name, line } of importsOf(code)) {
      const target = lookUp(name, { file, line }, room);
      if (target.finding !== undefined) findings.push(target.finding);
      if (target.own !== undefined) waiting.push(target.own);
    }
    findings.push(...unknownNames(parsed, room));
  }
  return { files: [...files.values()], findings };
}

function failureOf(code: string): { readonly line?: number; readonly message: string } | undefined {
  const mark = 'exports.__JITI_ERROR__ = ';
  if (!code.startsWith(mark)) return undefined;
  const { line, message = 'unexpected code' } = JSON.parse(code.slice(mark.length).replace(/;\s*$/, '')) as {
    line?: number;
    message?: string;
  };
  return { message, ...(line === undefined ? {} : { line }) };
}

const importing = /\b(?:jitiImport|require)\(\s*(['"])((?:(?!\1)[^\\\n])*)\1\s*\)/g;

/** What is imported when it runs: types are gone by now. */
function importsOf(code: string): readonly { readonly name: string; readonly line: number }[] {
  return [...code.matchAll(importing)].map((found) => ({ name: found[2] ?? '', line: lineAt(code, found.index) }));
}

type Target = { readonly own?: string; readonly finding?: Finding };

function lookUp(
  name: string,
  place: { readonly file: string; readonly line: number },
  { folder, packageJson }: CodeRoom,
): Target {
  if (isBuiltin(name) || given.has(name))
    return name === 'child_process' || name === 'node:child_process' ? { finding: ownProcesses(place) } : {};
  if (/^(?:\.{1,2}(?:\/|$)|\/|file:)/.test(name)) {
    const own = fileOf(path.resolve(path.dirname(place.file), name.replace(/[?#].*$/, '')));
    if (own !== undefined) return isOwn(own, folder) ? { own } : { finding: outside(name, place) };
    return {
      finding: error(
        'import_missing',
        place,
        `imports ${name}, which is not there`,
        'Correct the path, or write the file.',
      ),
    };
  }
  if (name.startsWith('#')) return {};
  if (/^kern(?:\/|$)/.test(name))
    return {
      finding: error(
        'import_unknown',
        place,
        `imports ${name}, which kern does not have`,
        didYouMean(nearNames(name, hostNames)) ?? `There is: ${hostNames.join(', ')}`,
      ),
    };
  return packageTarget(name, place, folder, packageJson);
}

function packageTarget(
  name: string,
  place: { readonly file: string; readonly line: number },
  folder: string,
  packageJson: unknown,
): Target {
  const id = name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');
  const own = (field: string): Readonly<Record<string, unknown>> =>
    (packageJson as Record<string, Record<string, unknown>> | undefined)?.[field] ?? {};
  if ((own('name') as unknown) === id) return {};
  const isStated = ['dependencies', 'optionalDependencies', 'peerDependencies'].some((field) =>
    Object.hasOwn(own(field), id),
  );
  if (packageJson !== undefined && !isStated) {
    const isForAuthors = Object.hasOwn(own('devDependencies'), id);
    return {
      finding: error(
        'dependency_unstated',
        place,
        `imports ${name}, which is ${isForAuthors ? 'only among its devDependencies' : 'not among its dependencies'}`,
        `Whoever installs it would not have it: npm install ${id}`,
      ),
    };
  }
  try {
    createRequire(place.file).resolve(name);
    return {};
  } catch {
    const isThere = existsSync(path.join(folder, 'node_modules', id)); // with an entry only for ES modules
    return isThere
      ? {}
      : {
          finding: warning(
            'dependency_missing',
            place,
            `imports ${name}, which is not installed here`,
            `npm install in ${folder}`,
          ),
        };
  }
}

const ownProcesses = (place: { readonly file: string; readonly line: number }): Finding =>
  warning(
    'own_processes',
    place,
    'starts processes by itself',
    'ctx.spawn ends them with the plugin, and gives them no keys.',
  );

const outside = (name: string, place: { readonly file: string; readonly line: number }): Finding =>
  error(
    'import_outside',
    place,
    `imports ${name}, which lies outside of its folder`,
    'What is packed or trusted is its folder: move the file into it.',
  );

const isOwn = (file: string, folder: string): boolean => {
  const inside = path.relative(folder, file);
  return !inside.startsWith('..') && !path.isAbsolute(inside);
};

const endings = ['.ts', '.mts', '.cts', '.tsx', '.js', '.mjs', '.cjs', '.json'];

function fileOf(full: string): string | undefined {
  const asSource = full.replace(/\.([cm]?)js$/, '.$1ts');
  const candidates = [
    full,
    asSource,
    ...endings.map((ending) => full + ending),
    ...endings.map((ending) => path.join(full, `index${ending}`)),
  ];
  return candidates.find((file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true);
}

/** Names that a module of kern's does not have: they would be undefined, and fail only when they are used. */
function unknownNames({ file, code }: ParsedFile, { exported }: CodeRoom): readonly Finding[] {
  const found: Finding[] = [];
  for (const [, variable = '', module = ''] of code.matchAll(
    /\bvar (\w+) = (?:_interopRequire\w+\()?await jitiImport\("(kern\/[a-z]+)"\)/g,
  )) {
    const names = exported[module];
    if (names === undefined) continue;
    const used = new Map<string, number>();
    for (const use of code.matchAll(new RegExp(`\\b${variable}\\.(\\w+)`, 'g')))
      if (!used.has(use[1] ?? '')) used.set(use[1] ?? '', use.index);
    for (const [name, index] of used) {
      if (names.has(name) || name === 'default') continue;
      found.push(
        error(
          'name_unknown',
          { file, line: lineAt(code, index) },
          `${module} has no ${name}`,
          didYouMean(nearNames(name, names)) ?? 'See kern docs capabilities, and kern docs hooks.',
        ),
      );
    }
  }
  return found;
}
