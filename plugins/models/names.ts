/** A model's name, taken apart: `claude-sonnet-4-5-20250929` is of the family claude, sonnet, of version 4.5, and dated. */
export interface NameParts {
  /** In the order of the name; the first one is the brand. */
  readonly words: readonly string[];
  readonly version: readonly number[];
  readonly date: string | undefined;
  readonly isPreview: boolean;
}

/** Where Bedrock and others put regions and makers: `us.anthropic.claude-…`, `anthropic/claude-…`. */
const leading = /^(?:.*\/)?(?:[a-z][a-z-]*\.)*(?=[a-z])/;
/** Bedrock's counting of its own. */
const trailing = /-v\d+:\d+$/;
const version = /^\d{1,3}(?:[.p]\d{1,3})*$/;
const wordWithVersion = /^([a-z]+)(\d{1,2}(?:[.p]\d{1,3})*)$/;

/** Takes a name apart, as servers write it or as a person does. */
export function nameParts(name: string): NameParts {
  const lower = name.toLowerCase();
  const bare = lower
    .replace(leading, '')
    .replace(trailing, '')
    .replace(/\b(20\d\d)-(\d\d)-(\d\d)\b/, '$1$2$3');
  const words: string[] = [];
  let numbers: readonly number[] = [];
  let date: string | undefined;
  let isPreview = false;
  let wasVersion = false;
  for (const token of bare.split(/[^a-z0-9.]+/)) {
    const follows: boolean = wasVersion;
    wasVersion = false;
    if (token === '' || token === 'latest') continue;
    if (token === 'preview' || token === 'exp') isPreview = true;
    else if (/^(\d{4}|\d{6}|\d{8})$/.test(token)) date ??= token;
    else if (version.test(token) && (numbers.length === 0 || follows)) {
      numbers = [...numbers, ...numbersOf(token)];
      wasVersion = true;
    } else if (/^v\d+$/.test(token) && numbers.length > 0) continue;
    else {
      const [, word, number] = numbers.length === 0 ? (wordWithVersion.exec(token) ?? []) : [];
      if (word === undefined || number === undefined) words.push(token);
      else {
        if (word !== 'v') words.push(word);
        numbers = numbersOf(number);
        wasVersion = true;
      }
    }
  }
  return { words, version: numbers, date, isPreview };
}

const numbersOf = (text: string): readonly number[] => text.split(/[.p]/).map(Number);

/** The version as one number that grows with it: 4.5 is 405. Undefined where a name has none. */
export function generationOf(...names: readonly string[]): number | undefined {
  for (const name of names) {
    const [major, minor = 0, patch = 0] = nameParts(name).version;
    // Codestral 25.08 is a month.
    if (major !== undefined && major < 20) return major * 100 + minor + patch / 100;
  }
  return undefined;
}

/** The words of a family, whatever their order: `claude-3-5-sonnet` and `claude-sonnet-5` are one. */
export function familyOf({ words }: NameParts): string {
  return [...words].sort().join(' ');
}

/** A pattern with `*` and `?`, which also stand for slashes. */
export function isGlob(text: string): boolean {
  return /[*?]/.test(text);
}

/** Tells models that a name or pattern means: with a slash by provider and model, without one by the model alone. */
export function namePattern(name: string): (model: { readonly id: string; readonly model: string }) => boolean {
  const source = name
    .replace(/[\\^$.|+()[\]{}]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  const pattern = new RegExp(`^${source}$`, 'i');
  return ({ id, model }) => pattern.test(name.includes('/') ? id : model);
}
