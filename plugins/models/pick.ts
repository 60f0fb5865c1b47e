import { nearNames } from 'kern/plugin';
import type { Model } from './contract.ts';
import { familyOf, generationOf, isGlob, type NameParts, nameParts, namePattern } from './names.ts';

/** What a name that a person wrote comes to among some models. */
export type Pick =
  | { readonly found: 'none' }
  /** `isExact`: it is its name, and not only like it. */
  | { readonly found: 'one'; readonly model: Model; readonly isExact: boolean }
  | { readonly found: 'many'; readonly candidates: readonly Model[] };

/** A model with the reading of its name that fits best. */
interface Named {
  readonly model: Model;
  readonly parts: NameParts;
}

/**
 * Finds a model by a name, of models in the order of their providers. What can be used comes before what cannot; then the
 * first provider decides that has something of that name, and there the newest of one family. Several families are
 * ambiguous, unless one is exactly what was said: `flash` is Gemini Flash and not Flash-Lite.
 */
export function pick(wanted: string, models: readonly Model[]): Pick {
  if (isGlob(wanted)) {
    return choose(undefined, models.filter(namePattern(wanted)).map(named));
  }
  const exact = preferred(models.filter((model) => isNamed(model, wanted.toLowerCase())));
  if (exact[0] !== undefined) return { found: 'one', model: exact[0], isExact: true };
  const said = nameParts(wanted);
  const folder = folderOf(wanted);
  const beside = folder === '' ? models : models.filter(({ model }) => folderOf(model) === folder);
  if (said.words.length === 0) return { found: 'none' };
  for (const fits of [isWord, isStart]) {
    const fitting = beside.flatMap((model) => reading(model, said, fits) ?? []);
    if (fitting.length > 0) return choose(said, fitting);
  }
  return { found: 'none' };
}

/** The models that a name with slips may mean: in `snnet-4.5` one word is Sonnet's. */
export function meant(wanted: string, models: readonly Model[]): readonly string[] {
  const said = nameParts(wanted);
  const known = new Set(models.flatMap(({ model }) => nameParts(model).words));
  const words = said.words.map((word) => (known.has(word) ? word : nearNames(word, known, { parts: false })[0]));
  if (words.length === 0 || words.includes(undefined)) return [];
  for (const name of [[...words, said.version.join('.')].join('-'), words.join('-')]) {
    const picked = pick(name, models);
    if (picked.found === 'one') return [picked.model.id];
    if (picked.found === 'many') return picked.candidates.map(({ id }) => id);
  }
  return [];
}

/** Whose model it is, before the last slash: there is nothing to guess. */
const folderOf = (name: string): string => name.slice(0, name.lastIndexOf('/') + 1).toLowerCase();

/** Also the part behind the last slash, and the name that people see. */
function isNamed({ id, model, name, aliases = [] }: Model, wanted: string): boolean {
  const names = [id, model, model.slice(model.lastIndexOf('/') + 1), name, ...aliases];
  return names.some((one) => one.toLowerCase() === wanted);
}

const named = (model: Model): Named => ({ model, parts: nameParts(model.model) });
const isWord = (word: string, said: string): boolean => word === said;
const isStart = (word: string, said: string): boolean => word === said || (said.length > 2 && word.startsWith(said));

function reading(model: Model, said: NameParts, fits: typeof isWord): Named | undefined {
  for (const name of [model.model, model.name]) {
    const parts = nameParts(name);
    const hasWords = said.words.every((one) => parts.words.some((word) => fits(word, one)));
    const hasVersion = said.version.every((number, at) => parts.version[at] === number);
    if (hasWords && hasVersion && (said.date === undefined || said.date === parts.date)) return { model, parts };
  }
  return undefined;
}

function preferred(models: readonly Model[]): readonly Model[] {
  const usable = models.filter(({ available }) => available);
  return usable.length > 0 ? usable : models;
}

function choose(said: NameParts | undefined, fitting: readonly Named[]): Pick {
  const usable = fitting.filter(({ model }) => model.available);
  const among = usable.length > 0 ? usable : fitting;
  const [first] = among;
  if (first === undefined) return { found: 'none' };
  const families = familiesOf(among.filter(({ model }) => model.provider === first.model.provider));
  const family = families.size === 1 ? [...families.values()][0] : exactFamily(said, families);
  if (family === undefined)
    return { found: 'many', candidates: [...familiesOf(among).values()].map((members) => best(said, members).model) };
  return { found: 'one', model: best(said, family).model, isExact: false };
}

const familiesOf = (models: readonly Named[]): ReadonlyMap<string, readonly Named[]> =>
  Map.groupBy(models, ({ parts }) => familyOf(parts));

/** The family that was said in full, with its brand or without. */
function exactFamily(
  said: NameParts | undefined,
  families: ReadonlyMap<string, readonly Named[]>,
): readonly Named[] | undefined {
  if (said === undefined) return undefined;
  const wanted = familyOf(said);
  const whole = families.get(wanted);
  const newest = Math.max(...[...families.values()].map((members) => age(best(said, members))));
  // A brand alone, `gpt`, means the family of that name only where no other is newer.
  if (whole !== undefined && (said.words.length > 1 || said.version.length > 0 || age(best(said, whole)) >= newest))
    return whole;
  const branded = [...families.values()].filter((members) =>
    members.some(({ parts: { words, ...parts } }) => familyOf({ ...parts, words: words.slice(1) }) === wanted),
  );
  return branded.length === 1 ? branded[0] : undefined;
}

const age = ({ model: { generation, model } }: Named): number => generation ?? generationOf(model) ?? 0;

/**
 * Of the version that was said, to the last number, else the newest; what is not dated and no preview comes before what is.
 */
function best(said: NameParts | undefined, members: readonly Named[]): Named {
  const [first] = members;
  if (first === undefined) throw new Error('a family has members');
  const { provider } = first.model;
  const isSaid = ({ parts }: Named): boolean =>
    said !== undefined && said.version.length > 0 && said.version.length === parts.version.length;
  const ordered = members
    .filter(({ model }) => model.provider === provider)
    .sort(
      (a, b) =>
        Number(isSaid(b)) - Number(isSaid(a)) ||
        age(b) - age(a) ||
        Number(a.parts.isPreview) - Number(b.parts.isPreview) ||
        Number(a.parts.date !== undefined) - Number(b.parts.date !== undefined) ||
        Number(b.parts.date ?? 0) - Number(a.parts.date ?? 0) ||
        a.model.model.length - b.model.model.length,
    );
  return ordered[0] ?? first;
}

/** Whether a name differs from that of a listed model in its version only: then it is a model that nobody has listed yet. */
export function isOtherVersion(wanted: string, model: Model): boolean {
  const said = nameParts(wanted);
  const known = nameParts(model.model);
  return familyOf(said) === familyOf(known) && said.version.length > 0;
}
