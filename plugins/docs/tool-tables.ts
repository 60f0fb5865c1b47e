import { type AnyTool, inputSchemaOf } from 'kern/contracts';
import { code, table } from './blocks.ts';

type Schema = Readonly<Record<string, unknown>>;

/** The tools in a table, and for each a table of its arguments: blocks `tools` and `tool-<name>`. */
export function toolBlocks(tools: readonly AnyTool[]): Readonly<Record<string, readonly string[]>> {
  // What a machine happens to have must not change the pages.
  const ours = tools.filter(({ name }) => name !== 'powershell').toSorted((a, b) => placeOf(a) - placeOf(b));
  return {
    tools: table(
      ['tool', 'what it needs', 'in a batch', 'a model has it'],
      ours.map((tool) => [
        code(tool.name),
        argumentsInShort(inputSchemaOf(tool)),
        tool.executionMode === 'sequential' ? 'one after the other' : 'side by side',
        whenOffered(tool),
      ]),
    ),
    ...Object.fromEntries(ours.map((tool) => [blockOf(tool.name), argumentTable(inputSchemaOf(tool))])),
  };
}

const order = ['read', 'write', 'edit', 'bash', 'jobs', 'grep', 'find', 'ls'];

/** A tool that is not named here stands at the end. */
function placeOf({ name }: AnyTool): number {
  const place = order.indexOf(name);
  return place === -1 ? order.length : place;
}

const blockOf = (name: string): string => `tool-${name.replaceAll('_', '-')}`;

function whenOffered({ hidden, defaultActive }: AnyTool): string {
  if (hidden === true) return 'when there is use for it';
  return defaultActive === false ? 'when it is asked for' : 'always';
}

function argumentsInShort(schema: Schema): string {
  const required = requiredOf(schema);
  return fieldsOf(schema)
    .map(([name]) => name)
    .filter((name) => required.includes(name))
    .map(code)
    .join(' ');
}

function argumentTable(schema: Schema): readonly string[] {
  const required = requiredOf(schema);
  return table(
    ['argument', 'what it may be', 'needed', 'what it is'],
    fieldsOf(schema).map(([name, field]) => [
      code(name),
      shapeOf(field),
      required.includes(name) ? 'yes' : '',
      typeof field.description === 'string' ? field.description : '',
    ]),
  );
}

function fieldsOf({ properties }: Schema): readonly (readonly [string, Schema])[] {
  return typeof properties === 'object' && properties !== null
    ? (Object.entries(properties) as [string, Schema][])
    : [];
}

const requiredOf = ({ required }: Schema): readonly string[] => (Array.isArray(required) ? required : []);

/** A JSON Schema in few words. */
function shapeOf(schema: Schema): string {
  const { enum: choices, type, minimum, exclusiveMinimum, maximum, items, anyOf } = schema;
  if (Array.isArray(choices)) return choices.map((choice) => code(String(choice))).join(' ');
  if (Array.isArray(anyOf)) return anyOf.map((one: Schema) => shapeOf(one)).join(' or ');
  if (type === 'array') return `a list: ${shapeOf((items ?? {}) as Schema)}`;
  if (type === 'object') {
    const fields = fieldsOf(schema).map(([name]) => name);
    return fields.length === 0 ? 'a map' : code(`{${fields.join(', ')}}`);
  }
  const low =
    typeof minimum === 'number'
      ? ` from ${minimum}`
      : typeof exclusiveMinimum === 'number'
        ? ` above ${exclusiveMinimum}`
        : '';
  const high = typeof maximum === 'number' ? ` to ${maximum}` : '';
  return `${words[String(type)] ?? 'anything'}${low}${high}`;
}

const words: Readonly<Record<string, string>> = {
  string: 'a text',
  boolean: '`true` `false`',
  number: 'a number',
  integer: 'a whole number',
};
