import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import type { ProvidedItem, ProviderAnswer, Schema, Where } from 'kern/plugin';
import type { DiscoveryFiles, Files } from '../contract.ts';
import type { At, FoundItems, FoundKind, PlaceOf, PlaceOptions, Places } from '../places.ts';
import { formats } from './formats.ts';
import { guarded, told } from './guard.ts';
import { makerOf, type Stamps, type Workshop } from './make.ts';
import { type Base, basesOf } from './walk.ts';

/** What is asked of a table. */
export interface Question<K extends FoundKind> {
  readonly table: Places;
  readonly kind: K;
  readonly where: Where;
  readonly signal: AbortSignal;
  readonly levels: readonly ('user' | 'project')[];
  readonly files: DiscoveryFiles;
  /** The environment. Default the one of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What was answered before: what is the same is handed out as the same object, so that nobody hears of a change. */
  readonly known: Known;
  /** What an item has to be. */
  readonly schema: Schema<FoundItems[K]>;
}

/** Items of earlier answers by what they say. */
export type Known = Map<string, ReadonlyMap<string, object>>;

/** Places looked at are at most so many: one a working directory. */
const mostKnown = 16;

/** How often an answer is begun anew because a file of it turned out to be broken. */
const mostRounds = 8;

/** The items at the places of a table, with what is wrong with them and what they depend on. */
export async function answer<K extends FoundKind>(question: Question<K>): Promise<ProviderAnswer<FoundItems[K]>> {
  for (let round = 1; ; round += 1) {
    const { again, ...answered } = await look(question);
    if (!again || round === mostRounds) return answered;
  }
}

/** `again`: a file was found to be broken, and what it held before stands in for it when it is read anew. */
async function look<K extends FoundKind>(
  question: Question<K>,
): Promise<ProviderAnswer<FoundItems[K]> & { readonly again: boolean }> {
  const { table, kind, where, signal, levels, schema } = question;
  const files = question.files.open(where, signal);
  const stamps: Stamps = new WeakMap();
  const user = where.user ?? homedir();
  let again = false;
  const isHeld = (path: string, why: string): boolean => {
    const held = files.broken(path, why);
    if (held) again = true;
    return held;
  };
  const broken = (path: string, why: string): void => {
    if (!isHeld(path, why)) files.warn(path, why);
  };
  const places = table.places.filter(
    (place): place is PlaceOf<K> & (typeof table.places)[number] => place.kind === kind,
  );
  const found = await Promise.all(
    places.map(async (place) => {
      const level = levelIn(place, { ...question, user });
      if (!levels.includes(level)) return [];
      const all = await spotsOf(place, { ...question, user, reading: files });
      const isWhole = typeof place.format === 'object' && place.format.readsAll === true;
      const spots = isWhole ? all.filter(({ givesWayTo }) => givesWayTo === undefined) : all;
      const items = await Promise.all(
        spots.map((spot) => itemsAt(spot, place, { ...question, user, reading: files, stamps, broken })),
      );
      return items.flat();
    }),
  );
  signal.throwIfAborted();
  // What is no use and has nothing to stand in for it is told where it is validated.
  for (const { item, path } of found.flat()) {
    const wrong = path === undefined ? [] : issuesOf(schema, item);
    if (path !== undefined && wrong.length > 0) isHeld(path, wrong.join('; '));
  }
  const items = again ? [] : await same(found.flat(), question, stamps, files);
  return { items, warnings: files.warnings, watch: files.watch, again };
}

/** What a schema has against an item; the schemas of found kinds tell at once. */
function issuesOf<T>(schema: Schema<T>, item: T): readonly string[] {
  const result = schema['~standard'].validate(item);
  return result instanceof Promise ? [] : (result.issues ?? []).map(({ message }) => message);
}

interface Inside<K extends FoundKind> extends Question<K> {
  readonly user: string;
  readonly reading: Files;
}

export const levelOf = ({ path }: Pick<PlaceOf<FoundKind>, 'path'>): 'user' | 'project' =>
  /^(?:~|\$KERN_HOME)\//.test([path].flat()[0] ?? '') || isAbsolute([path].flat()[0] ?? '') ? 'user' : 'project';

/** What the environment puts into the project is the project's: anybody who writes there has a say in it. */
function levelIn<K extends FoundKind>(
  place: PlaceOf<K>,
  question: Pick<Inside<K>, 'table' | 'where' | 'user' | 'env'>,
): 'user' | 'project' {
  const level = levelOf(place);
  if (level === 'project' || question.table.folders === undefined) return level;
  const { root } = question.where;
  const isNamed = [place.path].flat().some((path) => {
    const { base, isGiven = false } = personal(path, question);
    return isGiven && isWithin(realOf(base), realOf(root));
  });
  // Where the home folder itself is the project, what lies in it is the person's all the same.
  return isNamed && !isWithin(realOf(question.user), realOf(root)) ? 'project' : 'user';
}

const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(folder + sep);

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path); // nothing is there to be read either
  }
}

/** A place that is there. */
interface Spot {
  readonly path: string;
  readonly isFolder: boolean;
  readonly base: string;
  readonly depth: number | undefined;
  /** Another of the names of its place, which is there too and comes first. */
  readonly givesWayTo: string | undefined;
}

/** Of places that are named from the project's folder, and looked for nowhere else. */
const inProject = '$PROJECT/';

async function spotsOf<K extends FoundKind>(place: PlaceOf<K>, inside: Inside<K>): Promise<readonly Spot[]> {
  const paths = [place.path].flat();
  if (levelOf(place) === 'user')
    return spotsAt(
      paths.map((path) => personal(path, inside)),
      undefined,
      inside.reading,
    );
  const rooted = paths.filter((path) => path.startsWith(inProject));
  if (rooted.length > 0) {
    const names = rooted.map((path) => ({ base: inside.where.root, name: path.slice(inProject.length) }));
    return spotsAt(names, undefined, inside.reading);
  }
  const bases = await basesOf(place.up, { where: inside.where, user: inside.user, files: inside.reading });
  const spotsIn = ({ folder, depth }: Base): Promise<readonly Spot[]> =>
    spotsAt(
      paths.map((name) => ({ base: folder, name })),
      depth,
      inside.reading,
    );
  if (place.up !== 'nearest') return (await Promise.all(bases.map(spotsIn))).flat();
  for (const base of bases) {
    const spots = await spotsIn(base);
    if (spots.length > 0) return spots;
  }
  return [];
}

interface Named {
  readonly base: string;
  /** Below the base, with slashes. */
  readonly name: string;
  /** The environment names the folder. */
  readonly isGiven?: boolean;
}

/** Where a place of the person is: in a folder that the environment names, or where it usually is. */
function personal<K extends FoundKind>(
  path: string,
  { user, where, table, env = process.env }: Pick<Inside<K>, 'table' | 'where' | 'user' | 'env'>,
): Named {
  if (path.startsWith('$KERN_HOME/')) return { base: where.home, name: path.slice('$KERN_HOME/'.length) };
  if (isAbsolute(path)) return { base: dirname(path), name: basename(path) };
  for (const [variable, folder] of Object.entries(table.folders ?? {})) {
    const given = env[variable];
    if (given === undefined || given === '' || !path.startsWith(`${folder}/`)) continue;
    const base = given.startsWith('~/') ? join(user, given.slice(2)) : given;
    return { base, name: path.slice(folder.length + 1), isGiven: true };
  }
  return { base: user, name: path.slice(2) };
}

/** Of several names the first that is there counts; the others that are there give way to it. */
async function spotsAt(names: readonly Named[], depth: number | undefined, files: Files): Promise<readonly Spot[]> {
  const spots: Spot[] = [];
  for (const { base, name } of names) {
    // The first folder by itself: where `.claude` is not there, or does not answer, nothing below it is asked for.
    const [top = ''] = name.split('/');
    if (depth !== undefined && !(await files.has(base, top))) continue;
    if (top !== name && (await files.kind(join(base, top))) !== 'folder') continue;
    const path = join(base, name);
    const kind = await files.kind(path);
    if (kind === undefined) continue;
    // Where capitals do not count `AGENTS.md` and `AGENTS.MD` are one file.
    const isAgain = spots.some((spot) => spot.path !== path && spot.path.toLowerCase() === path.toLowerCase());
    if (isAgain && (await isSameFile(spots, path, files))) continue;
    spots.push({ path, isFolder: kind === 'folder', base, depth, givesWayTo: spots[0]?.path });
  }
  return spots;
}

async function isSameFile(spots: readonly Spot[], path: string, files: Files): Promise<boolean> {
  const mark = await files.mark(path);
  const marks = await Promise.all(spots.map((spot) => files.mark(spot.path)));
  return marks.includes(mark);
}

async function itemsAt<K extends FoundKind>(
  spot: Spot,
  place: PlaceOf<K>,
  inside: Inside<K> & Pick<Workshop, 'stamps' | 'broken'>,
): Promise<readonly ProvidedItem<FoundItems[K]>[]> {
  const { kind: _, path: __, up: ___, format, ...options } = place;
  const level = levelIn(place, inside);
  const { where, user, env = process.env, levels, reading, stamps, broken, files } = inside;
  const { givesWayTo, ...there } = spot;
  const seen = told.has(inside.kind)
    ? guarded(reading, { level, base: spot.base, user, where, secretIn: files.secretIn })
    : reading;
  const base = { ...there, level, levels, where, user, env, files: seen, options: options as PlaceOptions };
  const at: At = { ...base, make: makerOf({ at: base, files, stamps, broken }) };
  const items =
    typeof format === 'string'
      ? // Each makes the items of the kind it is asked for.
        ((await formats[format](at, inside.kind)) as readonly FoundItems[K][])
      : await format.read(at);
  const way = givesWayTo === undefined ? {} : { givesWayTo };
  return items.map((item) => ({ item, level, path: item.path ?? spot.path, ...way }));
}

/** Whose file is code: the file is what they are, and a change of it is one of the item. */
const ofCode: ReadonlySet<FoundKind> = new Set<FoundKind>(['hook', 'custom-tool', 'extension-module']);

/** The items, where one says what an earlier one said that one. */
async function same<K extends FoundKind>(
  items: readonly ProvidedItem<FoundItems[K]>[],
  { known, where, kind }: Question<K>,
  stamps: Stamps,
  files: Files,
): Promise<readonly ProvidedItem<FoundItems[K]>[]> {
  const place = `${where.root}\0${where.cwd}`;
  const before = known.get(place);
  const now = new Map<string, object>();
  const settled = await Promise.all(
    items.map(async (provided) => {
      const { item, level, path } = provided;
      const read = 'read' in item ? item.read : undefined;
      const stamp = read === undefined ? undefined : stamps.get(read);
      const mark = ofCode.has(kind) && path !== undefined ? await files.mark(path) : undefined;
      const says = `${level}\0${path}\0${JSON.stringify(item)}\0${stamp ?? ''}\0${mark ?? ''}`;
      // Of what is said twice in one answer each stays by itself.
      if (now.has(says)) return provided;
      const earlier = (before?.get(says) ?? item) as FoundItems[K];
      now.set(says, earlier);
      return { ...provided, item: earlier };
    }),
  );
  known.delete(place);
  known.set(place, now);
  for (const oldest of known.keys()) if (known.size > mostKnown) known.delete(oldest);
  return settled;
}
