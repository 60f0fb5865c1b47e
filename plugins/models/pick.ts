import type { Model } from './contract.ts';
import { familyOf, generationOf, globPattern, isGlob, type NameParts, nameParts } from './names.ts';

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
 * Finds a model by a name, of models in the order of their providers. What can be used comes before what cannot; of one
 * family the first provider's newest. Several families are ambiguous, unless one is exactly what was said: `flash` is
 * Gemini Flash and not Flash-Lite.
 */
export function pick(wanted: string, models: readonly Model[]): Pick {
  if (isGlob(wanted)) {
    const pattern = globPattern(wanted);
    const fitting = models.filter(({ id, model }) => pattern.test(id) || pattern.test(model));
    return choose(undefined, fitting.map(named));
  }
  const exact = preferred(models.filter((model) => isNamed(model, wanted.toLowerCase())));
  if (exact[0] !== undefined) return { found: 'one', model: exact[0], isExact: true };
  const said = nameParts(wanted);
  if (said.words.length === 0) return { found: 'none' };
  for (const fits of [isWord, isStart]) {
    const fitting = models.flatMap((model) => reading(model, said, fits) ?? []);
    if (fitting.length > 0) return choose(said, fitting);
  }
  return { found: 'none' };
}

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
  const families = Map.groupBy(among, ({ parts }) => familyOf(parts));
  const family = families.size > 1 && said !== undefined ? exactFamily(said, families) : [...families.values()][0];
  if (family === undefined || (families.size > 1 && said === undefined)) {
    if (families.size === 0) return { found: 'none' };
    return { found: 'many', candidates: [...families.values()].map((members) => best(members).model) };
  }
  return { found: 'one', model: best(family).model, isExact: false };
}

/** The family that was said in full, with its brand or without. */
function exactFamily(said: NameParts, families: ReadonlyMap<string, readonly Named[]>): readonly Named[] | undefined {
  const wanted = familyOf(said);
  const whole = families.get(wanted);
  const newest = Math.max(...[...families.values()].map((members) => age(best(members))));
  // A brand alone, `gpt`, means the family of that name only where no other is newer.
  if (whole !== undefined && (said.words.length > 1 || said.version.length > 0 || age(best(whole)) >= newest))
    return whole;
  const branded = [...families.values()].filter((members) =>
    members.some(({ parts: { words, ...parts } }) => familyOf({ ...parts, words: words.slice(1) }) === wanted),
  );
  return branded.length === 1 ? branded[0] : undefined;
}

const age = ({ model: { generation, model } }: Named): number => generation ?? generationOf(model) ?? 0;

/** The newest of the first provider that has it; what is not dated and no preview comes before what is. */
function best(members: readonly Named[]): Named {
  const [first] = members;
  if (first === undefined) throw new Error('a family has members');
  const { provider } = first.model;
  const ordered = members
    .filter(({ model }) => model.provider === provider)
    .sort(
      (a, b) =>
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
