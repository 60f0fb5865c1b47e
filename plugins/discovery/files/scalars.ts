/** What a head or a file of settings says, read leniently: a text where it is one, a list of texts however it is written. */

export const textOf = (value: unknown): string | undefined => {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value.trim();
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
};

/** `true`, `"true"`, `"1"`, `yes`, `on` and their opposites. */
export const flagOf = (value: unknown): boolean | undefined => {
  if (typeof value === 'boolean') return value;
  const text = textOf(value)?.toLowerCase() ?? '';
  if (['true', '1', 'yes', 'on'].includes(text)) return true;
  return ['false', '0', 'no', 'off'].includes(text) ? false : undefined;
};

export const numberOf = (value: unknown): number | undefined => {
  const number =
    typeof value === 'number' ? value : typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
};

/** A list, or a text with its parts between commas; commas within braces or parentheses divide nothing. */
export const textsOf = (value: unknown, divider: 'commas' | 'blanks' = 'commas'): readonly string[] => {
  const parts = Array.isArray(value) ? value : typeof value === 'string' ? divided(value, divider) : [];
  return parts.map(textOf).filter((part) => part !== undefined);
};

function divided(text: string, divider: 'commas' | 'blanks'): readonly string[] {
  const parts: string[] = [''];
  let depth = 0;
  for (const letter of text) {
    if ('({['.includes(letter)) depth += 1;
    if (')}]'.includes(letter)) depth -= 1;
    const isDivider = letter === ',' || letter === '\n' || (divider === 'blanks' && letter === ' ');
    if (isDivider && depth <= 0) parts.push('');
    else parts[parts.length - 1] += letter;
  }
  return parts;
}

export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A map whose values are texts; what is none is left out. */
export const textMapOf = (value: unknown): Readonly<Record<string, string>> | undefined => {
  if (!isFields(value)) return undefined;
  const entries = Object.entries(value).flatMap(([name, one]): [string, string][] => {
    if (typeof one === 'string') return [[name, one]];
    return typeof one === 'number' || typeof one === 'boolean' ? [[name, String(one)]] : [];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
};

/** The fields that are there. */
export const present = <T extends Fields>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };
