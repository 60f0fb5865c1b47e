import type { Schema } from '../schema.ts';

/** Schemas of the kernel's own settings. Written by hand: zod costs more to load than all of this does to run. */
export function schemaOf<T>(
  expected: string,
  holds: (value: unknown) => value is T,
  json: Readonly<Record<string, unknown>> = {},
): Schema<T> {
  return {
    '~standard': {
      validate: (value) =>
        holds(value) ? { value } : { issues: [{ message: `expected ${expected}, got ${show(value)}` }] },
      jsonSchema: { input: () => ({ ...json }) },
    },
  };
}

export const text: Schema<string> = schemaOf(
  'a text',
  (value): value is string => typeof value === 'string' && value !== '',
  { type: 'string', minLength: 1 },
);

export const trueOrFalse: Schema<boolean> = schemaOf(
  'true or false',
  (value): value is boolean => typeof value === 'boolean',
  { type: 'boolean' },
);

export const texts: Schema<readonly string[]> = schemaOf('a list of texts', isTexts, {
  type: 'array',
  items: { type: 'string' },
});

export function oneOf<const T extends string>(...choices: readonly T[]): Schema<T> {
  return schemaOf(`one of ${choices.join(', ')}`, (value): value is T => choices.some((choice) => choice === value), {
    enum: choices,
  });
}

/** `deny`, `ask` or `allow`, and what it is about: `{ deny: "bash(git push *)" }`. */
export type PermissionRule = Readonly<Partial<Record<'deny' | 'ask' | 'allow', string>>>;

const rulePattern = { type: 'string', minLength: 1 };

export const permissionRules: Schema<readonly PermissionRule[]> = schemaOf(
  'a list of rules, each with one of deny, ask or allow, such as { deny: "bash(git push *)" }',
  (value): value is readonly PermissionRule[] => Array.isArray(value) && value.every(isRule),
  {
    type: 'array',
    items: {
      type: 'object',
      properties: { deny: rulePattern, ask: rulePattern, allow: rulePattern },
      additionalProperties: false,
      minProperties: 1,
      maxProperties: 1,
    },
  },
);

function isRule(value: unknown): value is PermissionRule {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const [entry, ...more] = Object.entries(value);
  if (entry === undefined || more.length > 0) return false;
  return ['deny', 'ask', 'allow'].includes(entry[0]) && typeof entry[1] === 'string' && entry[1] !== '';
}

export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

/** A value as it may stand in a message: short, on one line. */
export function show(value: unknown): string {
  const shown = typeof value === 'bigint' ? `${value}` : (JSON.stringify(value) ?? String(value));
  return shown.length > 60 ? `${shown.slice(0, 57)}…` : shown;
}
