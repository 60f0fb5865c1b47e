import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { isPluginId, locatePackage, messageOf } from 'kern/plugin';
import { fieldOf, kernRange, lifecycle, textMap } from '../describe.ts';
import { isMap, isPackageName, isVersion } from '../lock.ts';
import { manifestIn, partKinds, statedParts } from '../parts.ts';
import { satisfies } from '../range.ts';
import { error, type Finding, lineOf, warning } from './findings.ts';
import { unknownFields } from './names.ts';

const fields = [
  'extensions',
  'id',
  'contributes',
  'declares',
  'taps',
  'stubs',
  'looksFor',
  'provider',
  'config',
  ...partKinds.map(({ name }) => name),
];

/** What a package.json says, and what is wrong with it. `undefined` where there is none. */
export interface ManifestLook {
  readonly packageJson: unknown;
  readonly findings: readonly Finding[];
}

/** Looks through the package.json of a folder. */
export async function lookAtManifest(folder: string, kernVersion: string): Promise<ManifestLook> {
  const file = path.join(folder, 'package.json');
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true)
    return { packageJson: undefined, findings: await entryFindings(folder, '', undefined) };
  const text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  let packageJson: unknown;
  try {
    packageJson = JSON.parse(text);
  } catch (cause) {
    const line = Number(/line (\d+)/.exec(messageOf(cause))?.[1] ?? Number.NaN);
    return {
      packageJson: undefined,
      findings: [
        error(
          'manifest_json',
          { file, line: Number.isNaN(line) ? undefined : line },
          `is no JSON: ${messageOf(cause)}`,
          'Correct it; npm can read it only then, too.',
        ),
      ],
    };
  }
  const at = (key: string) => ({ file, line: lineOf(text, `"${key}"`) });
  const found = manifestIn(packageJson);
  const stated = statedParts(packageJson, {});
  const findings: Finding[] = [
    ...identityFindings(packageJson, at),
    ...(found?.reader === 'kern'
      ? unknownFields(found.manifest, fields).map(({ name, hint }) =>
          warning('manifest_field', at(name), `kern.${name} is nothing that kern reads`, hint),
        )
      : []),
    ...stated.problems.map((problem) =>
      error('manifest_path', at('kern'), problem, 'Paths are told from the folder of the package.'),
    ),
    ...missingParts(folder, packageJson, at),
    ...rangeFindings(packageJson, kernVersion, at),
    ...dependencyFindings(packageJson, at),
    ...scriptFindings(packageJson, at),
    ...(await entryFindings(folder, text, packageJson)),
  ];
  return { packageJson, findings };
}

type At = (key: string) => { readonly file: string; readonly line: number | undefined };

function identityFindings(packageJson: unknown, at: At): readonly Finding[] {
  const [name, version] = [fieldOf(packageJson, 'name'), fieldOf(packageJson, 'version')];
  const isPrivate = fieldOf(packageJson, 'private') === true;
  const wrongName =
    typeof name === 'string' && isPackageName(name)
      ? []
      : [
          error(
            'manifest_name',
            at('name'),
            'has no name that npm takes',
            'Small letters, digits and dashes: "name": "kern-weather"',
          ),
        ];
  const id = fieldOf(fieldOf(packageJson, 'kern'), 'id');
  const wrongId =
    id === undefined || isPluginId(id)
      ? []
      : [
          error(
            'id_illegal',
            at('id'),
            `kern.id ${JSON.stringify(id)} is none`,
            'Letters, digits, dots, dashes and _, at most 64.',
          ),
        ];
  if (version === undefined)
    return [
      ...wrongName,
      ...wrongId,
      ...(isPrivate
        ? []
        : [
            error(
              'manifest_version',
              at('version'),
              'has no version',
              '"version": "1.0.0"; or "private": true where it is never packed',
            ),
          ]),
    ];
  const isGood = typeof version === 'string' && isVersion(version) && /^\d+\.\d+\.\d+/.test(version);
  return [
    ...wrongName,
    ...wrongId,
    ...(isGood
      ? []
      : [error('manifest_version', at('version'), `${JSON.stringify(version)} is no version`, '"version": "1.0.0"')]),
  ];
}

function missingParts(folder: string, packageJson: unknown, at: At): readonly Finding[] {
  const found = manifestIn(packageJson);
  if (found === undefined) return [];
  return partKinds.flatMap(({ name }) => {
    if (found.manifest[name] === undefined || isMap(found.manifest[name])) return [];
    const paths = statedParts(packageJson, {}).paths[name] ?? [];
    return paths
      .filter((one) => statSync(path.join(folder, one), { throwIfNoEntry: false }) === undefined)
      .map((one) =>
        error(
          'manifest_path',
          at(name),
          `${found.reader}.${name} names ${one}, which is not there`,
          'Correct the path, or leave it out.',
        ),
      );
  });
}

function rangeFindings(packageJson: unknown, kernVersion: string, at: At): readonly Finding[] {
  const range = kernRange(packageJson);
  if (range !== undefined)
    return satisfies(kernVersion, range)
      ? []
      : [
          error(
            'kern_range',
            at('kern'),
            `is for kern ${range}, and this is kern ${kernVersion}`,
            `"engines": {"kern": "^${kernVersion}"}`,
          ),
        ];
  if (fieldOf(packageJson, 'private') === true) return [];
  return [
    warning(
      'kern_range',
      at('version'),
      'does not say which kern it is for',
      `"engines": {"kern": ">=${kernVersion}"}`,
    ),
  ];
}

function dependencyFindings(packageJson: unknown, at: At): readonly Finding[] {
  const own = textMap(fieldOf(packageJson, 'dependencies'));
  const local = Object.entries(own).filter(([, range]) => /^(?:file|link|workspace|portal):|^[./~]/.test(range));
  const hosts = Object.keys(own).filter((name) => /^kern$|^@(?:earendil-works|mariozechner|oh-my-pi)\//.test(name));
  return [
    ...local.map(([name, range]) =>
      error('dependency_local', at(name), `needs ${name} from ${range}, which nobody else has`, 'Name a version.'),
    ),
    ...hosts.map((name) =>
      warning(
        'dependency_host',
        at(name),
        `brings a ${name} of its own, where kern gives one`,
        'Name it under peerDependencies.',
      ),
    ),
  ];
}

function scriptFindings(packageJson: unknown, at: At): readonly Finding[] {
  const scripts = Object.keys(textMap(fieldOf(packageJson, 'scripts')));
  // Run when it is packed, not when it is installed.
  const unheard = scripts.filter((name) => lifecycle.includes(name) && !/^pre?publish|prepare$/.test(name));
  return unheard.map((name) =>
    warning(
      'script_not_run',
      at(name),
      `its script ${name} is not run when kern installs it`,
      'Do what it does when it is packed: "prepack".',
    ),
  );
}

async function entryFindings(folder: string, text: string, packageJson: unknown): Promise<readonly Finding[]> {
  const file = path.join(folder, 'package.json');
  const { found, problems } = await locatePackage(folder);
  const clean = (message: string): string => message.replaceAll(folder + path.sep, '').replace(/^package\.json: /, '');
  const wrong = problems.map(({ path: where, message }) =>
    error(
      'entry',
      { file: path.basename(where) === 'package.json' ? where : file, line: lineOf(text, `"extensions"`) },
      clean(message),
      'Entries are paths of files in the package: {"kern": {"extensions": ["./index.ts"]}}',
    ),
  );
  const isPacked = packedBy(packageJson);
  const left = found
    .map(({ entry }) => path.relative(folder, entry).split(path.sep).join('/'))
    .filter((entry) => !isPacked(entry));
  return [
    ...wrong,
    ...left.map((entry) =>
      error(
        'entry_not_packed',
        { file, line: lineOf(text, '"files"') },
        `${entry} is an entry, and "files" leaves it out of the package`,
        `"files": ["${entry}"]`,
      ),
    ),
  ];
}

/** Whether `files` lets npm pack a file, as far as that can be told from the names. */
export function packedBy(packageJson: unknown): (file: string) => boolean {
  const said = fieldOf(packageJson, 'files');
  if (!Array.isArray(said)) return () => true;
  const patterns = said
    .filter((one) => typeof one === 'string')
    .map((one) => one.replace(/^\.?\//, '').replace(/\/(?:\*\*?\/?\*?)?$/, ''));
  return (file) =>
    patterns.some(
      (one) => one === file || file.startsWith(`${one}/`) || (/[*?{[]/.test(one) && !one.startsWith('!')) || one === '',
    );
}
