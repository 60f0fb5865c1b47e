import { readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { codeOf, KernError, messageOf } from '../error.ts';
import { makeFolder } from '../folders.ts';
import { replaceFile } from '../home.ts';
import { didYouMean, nearNames } from '../near.ts';
import { withLock } from '../trust/lock.ts';
import { broken, editText } from './edit.ts';
import type { Target } from './keys.ts';
import { check, type Layer } from './layers.ts';
import { dig, emptyMap, isPlainObject, type MapNode, nodeOf, withNode } from './node.ts';
import { placeText } from './places.ts';
import { largestFile, readConfigText } from './read.ts';
import type { Settings } from './settings.ts';
import { switchProblems } from './switches.ts';

/** What a write changed. */
export interface Written {
  readonly file: string;
  readonly changed: boolean;
}

/** The file of a level. */
export interface FilePlace {
  readonly level: 'user' | 'project';
  readonly home: string;
  /** The project; missing where there is none. */
  readonly root: string | undefined;
  readonly file: string | undefined;
}

/** Where a value is to be written. */
export interface Place extends FilePlace {
  readonly key: string;
  readonly target: Target;
  readonly settings: Settings;
  readonly isKnown: boolean;
  /** The plugin that the key is about came with the project. */
  readonly isProjects: boolean;
  readonly ids: readonly string[];
}

/** A value that a key is to have; `undefined`: none. */
export interface Wanted {
  readonly key: string;
  readonly target: Target;
  readonly value: unknown;
}

export async function writeIn(place: Place, value: unknown): Promise<Written> {
  refuse(place, value);
  return editFile(place, [{ ...place, value }]);
}

export function unsetIn(place: Place): Promise<Written> {
  return editFile(place, [{ ...place, value: undefined }]);
}

/** Throws where a key may not have this value, in words that say which it may. */
export function refuse(place: Place, value: unknown): void {
  refuseUnknown(place);
  refuseForeign(place);
  refuseBad(place, value);
}

function refuseUnknown({ isKnown, target, key, ids, settings }: Place): void {
  if (target.kind === 'plugin') {
    if (!isKnown) {
      const near = nearNames(target.id, ids);
      throw new KernError(
        'config_unknown_key',
        `there is no plugin ${target.id}. ${didYouMean(near) ?? ''}`.trimEnd(),
        {
          hint: 'kern plugins list shows what there is.',
        },
      );
    }
    const rows = settings.ofPlugin(target.id);
    const [name] = target.rest;
    if (name === undefined || name === 'enabled' || rows.length === 0 || rows.some((row) => row.path[2] === name))
      return;
    const near = nearNames(
      name,
      rows.map((row) => row.path[2] ?? ''),
    );
    throw new KernError(
      'config_unknown_key',
      `the plugin ${target.id} has no setting ${name}. ${didYouMean(near) ?? ''}`.trimEnd(),
    );
  }
  if (target.kind === 'unknown') throw settings.unknown(key);
}

/** A project, or a plugin of it, sets only what is marked for it. */
export function refuseForeign({ level, target, settings, isProjects, key }: Place): void {
  if (
    level !== 'project' ||
    isProjects ||
    target.kind === 'provider' ||
    target.kind === 'providers' ||
    target.kind === 'list'
  )
    return;
  const rows =
    target.kind === 'plugin'
      ? settings.ofPlugin(target.id).filter((row) => row.path[2] === target.rest[0])
      : settings.all().filter((row) => row === settings.around(target.path));
  if (rows.some((row) => row.project === true)) return;
  throw new KernError('config_not_project', `${key} is not for a project to set.`, {
    hint: 'Set it without --project, in your own config.',
  });
}

function refuseBad({ target, settings, key }: Place, value: unknown): void {
  const bad = (what: string): KernError => new KernError('config_bad_value', `${key}: ${what}`);
  if (!isData(value)) throw bad('only text, numbers, true, false, lists and maps can be written');
  if (target.kind === 'group') {
    throw bad(
      `is a group; set one of ${settings
        .below(target.path)
        .map((row) => row.key)
        .join(', ')}`,
    );
  }
  if (target.kind === 'plugins' || target.kind === 'providers') throw bad(`set ${key}.<id>`);
  const row = settings.around(target.path);
  if (row !== undefined && row.path.length < target.path.length && !(target.kind === 'plugin'))
    throw bad(`set ${row.key} as a whole`);
  if (row !== undefined && row.path.length === target.path.length) {
    const answer = check(row.schema, value);
    if (!answer.ok) throw bad(answer.issues.join('; '));
  }
  const layer: Layer = { name: 'user', file: '', root: withNode(emptyMap, target.path, nodeOf(value)) };
  const [problem] = switchProblems(layer);
  if (problem !== undefined) throw bad(problem.message);
}

/** What YAML and JSON can hold; `null` would say nothing. */
function isData(value: unknown, depth = 0): boolean {
  if (typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (depth > 32) return false;
  if (value === null) return depth > 0;
  const inner = Array.isArray(value) ? value : isPlainObject(value) ? Object.values(value) : undefined;
  return inner?.every((one) => isData(one, depth + 1)) ?? false;
}

/** Makes the changes on top of what stands in the file at that moment, while no other kern writes it. All, or with an error none. */
export async function editFile(place: FilePlace, wanted: readonly Wanted[]): Promise<Written> {
  const file = fileToWrite(place);
  try {
    return await edit(file, place, wanted);
  } catch (cause) {
    const why = unwritable[codeOf(cause) ?? ''];
    if (why === undefined) throw cause;
    throw new KernError(
      'config_unwritable',
      `${file} cannot be written: ${why} (${codeOf(cause)}). Nothing was changed.`,
      {
        hint: 'Make room or give write access there, or set KERN_HOME to a folder of your own.',
        cause,
      },
    );
  }
}

/** What a system says of a place where nothing can be written, in words. */
const unwritable: Readonly<Record<string, string>> = {
  EACCES: 'you have no permission to write there',
  EPERM: 'you have no permission to write there',
  EROFS: 'only reading is possible there',
  ENOSPC: 'there is no room left',
  EDQUOT: 'no more may be stored there',
  ENOTDIR: 'something above it is not a folder',
  ENOENT: 'its folder cannot be made',
  EEXIST: 'something above it is not a folder',
};

async function edit(file: string, place: FilePlace, wanted: readonly Wanted[]): Promise<Written> {
  return withLock(path.join(place.home, 'config.lock'), async () => {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found !== undefined && (!found.isFile() || found.size > largestFile))
      throw broken(`${file} is not a config file`);
    const before = found === undefined ? '' : readFileSync(file, 'utf8');
    const after = await edited(file, before, wanted).catch((cause: unknown) => {
      throw codeOf(cause) === 'config_unreadable' ? broken(`${file} ${messageOf(cause)}`) : cause;
    });
    if (after === before) return { file, changed: false };
    const isPrivate = place.level === 'user';
    if (found === undefined) await makeFolder(path.dirname(file), isPrivate ? 0o700 : 0o755);
    await replaceFile(file, after, found === undefined ? (isPrivate ? 0o600 : 0o644) : found.mode & 0o777);
    return { file, changed: true };
  });
}

async function edited(file: string, before: string, wanted: readonly Wanted[]): Promise<string> {
  const start = path.basename(file) === 'package.json' ? ['kern', 'config'] : [];
  let text = before;
  for (const { key, target, value } of wanted) {
    if (value === undefined && text.trim() === '') continue;
    const { root } = await readConfigText(text).catch((cause: unknown) => {
      throw broken(messageOf(cause));
    });
    const { node } = dig(root, start);
    const whole = pathToWrite(node?.kind === 'map' ? node : emptyMap, { key, target, value }, file);
    text = await editText(text, { path: [...start, ...whole], value }, isJson(file, text));
  }
  return text;
}

/** A switch beside settings goes among them, so that switching off loses none. */
export function pathToWrite(root: MapNode, { key, target, value }: Wanted, file?: string): readonly string[] {
  if ((target.kind !== 'plugin' && target.kind !== 'provider') || value === undefined) return target.path;
  const { node } = dig(root, [target.path[0] ?? '', target.id]);
  if (target.rest.length === 0)
    return typeof value === 'boolean' && node?.kind === 'map' ? [...target.path, 'enabled'] : target.path;
  if (node?.kind === 'value' && node.value === false) {
    const place = placeText({
      ...(file === undefined ? {} : { file }),
      ...(node.line === undefined ? {} : { line: node.line }),
    });
    const where = place === '' ? '' : ` (${place})`;
    throw new KernError('config_bad_value', `${key}: ${target.path[0]}.${target.id} is switched off${where}.`, {
      hint: 'Switch it on first.',
    });
  }
  return target.path;
}

/** A link of the user's own is followed and stays a link; one that leads out of a project is refused. */
function fileToWrite({ level, file, root, home }: FilePlace): string {
  if (file === undefined || (level === 'project' && root === undefined)) {
    throw new KernError('config_no_project', 'there is no project here to write config for.', {
      hint: 'Leave out --project.',
    });
  }
  const real = realOf(file);
  const folder = level === 'user' ? home : (root ?? home);
  const inside = path.relative(realOf(folder), real);
  if (level === 'project' && (inside.startsWith('..') || path.isAbsolute(inside))) {
    throw new KernError('config_outside_project', `${file} leads out of the project, to ${real}: it is not written.`, {
      hint: 'Remove the link.',
    });
  }
  return real;
}

/** The real path of a file, also of one that is not there yet. */
function realOf(file: string): string {
  try {
    return realpathSync.native(file);
  } catch {
    const folder = path.dirname(file);
    return folder === file ? file : path.join(realOf(folder), path.basename(file));
  }
}

function isJson(file: string, text: string): boolean {
  if (file.endsWith('.json')) return true;
  // `.kernrc` may be either; JSON is kept JSON.
  if (path.extname(file) !== '' || !text.trimStart().startsWith('{')) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
