import type { SettingReport } from 'kern/contracts';
import { code, table } from './blocks.ts';

/** The settings, those of kern first, then those of plugins. */
export function settingsTable(settings: readonly SettingReport[]): readonly string[] {
  const rows = settings.toSorted((a, b) => Number(isOfPlugin(a)) - Number(isOfPlugin(b)) || (a.key < b.key ? -1 : 1));
  return table(
    ['setting', 'default', 'what it may be', 'variable', 'project may set it', 'what it does'],
    rows.map(({ key, default: initial, schema, variable, project, summary }) => [
      code(key),
      initial === undefined ? '' : code(JSON.stringify(initial)),
      shapeOf(schema),
      variable === undefined ? '' : code(variable),
      project ? 'yes' : '',
      summary,
    ]),
  );
}

const isOfPlugin = ({ key }: SettingReport): boolean => key.startsWith('plugins.');

/** A JSON Schema in few words. */
function shapeOf(schema: SettingReport['schema']): string {
  if (schema === undefined) return '';
  const { enum: choices, type, items } = schema;
  if (Array.isArray(choices)) return choices.map((choice) => code(String(choice))).join(' ');
  if (type === 'array') return `a list of ${plurals[typeOf(items)] ?? 'values'}`;
  return `${words[typeOf(schema)] ?? ''}${rangeOf(schema)}`;
}

function rangeOf({ minimum, exclusiveMinimum, maximum }: Readonly<Record<string, unknown>>): string {
  const low = typeof minimum === 'number' && Number.isSafeInteger(minimum - 1) ? ` from ${minimum}` : '';
  const above = typeof exclusiveMinimum === 'number' ? ` above ${exclusiveMinimum}` : '';
  // zod says of every whole number how large it can be.
  const high = typeof maximum === 'number' && maximum < Number.MAX_SAFE_INTEGER ? ` to ${maximum}` : '';
  return `${low}${above}${high}`;
}

function typeOf(schema: unknown): string {
  return typeof schema === 'object' && schema !== null && 'type' in schema ? String(schema.type) : '';
}

const words: Readonly<Record<string, string>> = {
  string: 'a text',
  boolean: '`true` `false`',
  number: 'a number',
  integer: 'a whole number',
  object: 'a map',
};

const plurals: Readonly<Record<string, string>> = {
  string: 'texts',
  boolean: 'truth values',
  number: 'numbers',
  integer: 'whole numbers',
  object: 'maps',
};
