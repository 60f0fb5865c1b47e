import { nearNames } from 'kern/plugin';

/**
 * Checks the form of a small file, fills in what was left out, and can say the form as JSON Schema. Made by hand, because
 * the scripted model is on the way of the fastest start: the same in zod takes 10 ms to build, and knows no near names.
 */
export interface Shape<T> {
  (value: unknown, place: Place): T;
  readonly schema: JsonSchema;
}

type JsonSchema = Readonly<Record<string, unknown>>;

export function shape<T>(schema: JsonSchema, check: (value: unknown, place: Place) => T): Shape<T> {
  return Object.assign((value: unknown, place: Place) => check(value, place), { schema });
}

/** The way to a value: `['turns', 1, 'calls', 0, 'name']`. */
export type Place = readonly (string | number)[];

/** What is wrong, and where. */
export class Misfit extends Error {
  readonly place: Place;

  constructor(place: Place, what: string) {
    super(what);
    this.name = 'Misfit';
    this.place = place;
  }
}

/** `turns[1].calls[0].name` */
export function placeName(place: Place): string {
  const parts = place.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`));
  return parts.join('').replace(/^\./, '');
}

export const text = shape<string>({ type: 'string' }, (value, place) => {
  if (typeof value === 'string') return value;
  throw expected(place, 'a text', value);
});

/** A text that says something. */
export const name = shape<string>({ type: 'string', minLength: 1 }, (value, place) => {
  if (typeof value === 'string' && value !== '') return value;
  throw expected(place, 'a text that is not empty', value);
});

export const flag = shape<boolean>({ type: 'boolean' }, (value, place) => {
  if (typeof value === 'boolean') return value;
  throw expected(place, 'true or false', value);
});

/** Any number from `least` to `most`. */
export function amount(least: number, most = Number.POSITIVE_INFINITY): Shape<number> {
  const limits = most === Number.POSITIVE_INFINITY ? { minimum: least } : { minimum: least, maximum: most };
  const words = most === Number.POSITIVE_INFINITY ? `a number from ${least}` : `a number from ${least} to ${most}`;
  return shape({ type: 'number', ...limits }, (value, place) => {
    if (typeof value === 'number' && value >= least && value <= most) return value;
    throw expected(place, words, value);
  });
}

/** A whole number from `least` to `most`. */
export function whole(least: number, most?: number): Shape<number> {
  const within = amount(least, most);
  return shape({ ...within.schema, type: 'integer' }, (value, place) => {
    const number = within(value, place);
    if (Number.isSafeInteger(number)) return number;
    throw expected(place, 'a whole number', value);
  });
}

export function oneOf<const T extends string | number | boolean>(...words: readonly T[]): Shape<T> {
  return shape({ enum: words }, (value, place) => {
    const word = words.find((one) => one === value);
    if (word !== undefined) return word;
    throw expected(place, words.join(', ').replace(/, (?=[^,]*$)/, ' or '), value);
  });
}

export function listOf<T>(item: Shape<T>): Shape<readonly T[]> {
  return shape({ type: 'array', items: item.schema }, (value, place) => {
    if (!Array.isArray(value)) throw expected(place, 'a list', value);
    return value.map((one: unknown, at) => item(one, [...place, at]));
  });
}

/** One of several shapes; `choose` tells by the value which. */
export function either<T>(shapes: readonly Shape<T>[], choose: (value: unknown, place: Place) => Shape<T>): Shape<T> {
  return shape({ anyOf: shapes.map(({ schema }) => schema) }, (value, place) => choose(value, place)(value, place));
}

/** A map with any keys and values. */
export const fields = shape<Readonly<Record<string, unknown>>>({ type: 'object' }, (value, place) => {
  if (isMap(value)) return value;
  throw expected(place, 'a map', value);
});

/** A part of a map: its shape, and what stands for it where it is missing. */
export interface Part<T> {
  readonly shape: Shape<T>;
  readonly isNeeded: boolean;
  readonly missing: (place: Place) => T;
}

export function must<T>(shape: Shape<T>): Part<T> {
  return { shape, isNeeded: true, missing: (place) => shape(undefined, place) };
}

export function may<T>(shape: Shape<T>): Part<T | undefined> {
  return { shape, isNeeded: false, missing: () => undefined };
}

export function or<T>(shape: Shape<T>, value: NoInfer<T>): Part<T> {
  return { shape, isNeeded: false, missing: () => value };
}

type Parts = Readonly<Record<string, Part<unknown>>>;
type Whole<P extends Parts> = { readonly [K in keyof P]: P[K] extends Part<infer T> ? T : never };

/** A map with these keys and no others. */
export function mapOf<P extends Parts>(parts: P): Shape<Whole<P>> {
  const list = Object.entries(parts);
  const properties = Object.fromEntries(list.map(([key, part]) => [key, part.shape.schema]));
  const required = list.flatMap(([key, { isNeeded }]) => (isNeeded ? [key] : []));
  return shape(
    { type: 'object', properties, ...(required.length === 0 ? {} : { required }), additionalProperties: false },
    (value, place) => {
      const given = fields(value, place);
      for (const key of Object.keys(given))
        if (!Object.hasOwn(parts, key)) throw unknownKey([...place, key], key, Object.keys(parts));
      const entries = list.map(([key, part]) => {
        const at = [...place, key];
        const one = Object.hasOwn(given, key) ? given[key] : undefined;
        return [key, one === undefined || one === null ? part.missing(at) : part.shape(one, at)] as const;
      });
      return Object.fromEntries(entries) as Whole<P>; // entry by entry what `parts` says
    },
  );
}

export function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unknownKey(place: Place, key: string, known: readonly string[]): Misfit {
  const [near] = nearNames(key, known);
  return new Misfit(
    place,
    near === undefined ? `is not known; there are ${known.join(', ')}` : `is not known; did you mean ${near}?`,
  );
}

/** The error for a value of another form. */
export function expected(place: Place, what: string, value: unknown): Misfit {
  if (value === undefined) return new Misfit(place, `is missing; expected ${what}`);
  const shown = JSON.stringify(value) ?? String(value);
  return new Misfit(place, `expected ${what}, not ${shown.length > 60 ? `${shown.slice(0, 60)}…` : shown}`);
}
