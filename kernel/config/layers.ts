import { messageOf } from '../error.ts';
import { parse, type Schema } from '../schema.ts';
import { type ConfigNode, dig, emptyMap, type MapNode, nodeOf, plain, withNode } from './node.ts';
import type { ConfigProblem } from './places.ts';
import { show } from './schemas.ts';
import { type Row, variableOf } from './settings.ts';

/** From the weakest to the strongest. `override` is what this process says of itself, and no file. */
export type LayerName = 'default' | 'user' | 'project' | 'overlay' | 'environment' | 'flags' | 'override';

export interface Layer {
  readonly name: LayerName;
  readonly file?: string;
  readonly root: MapNode;
}

/** Where a value comes from: `{ layer: 'user', file: '…/config.yml', line: 3 }`. */
export interface ValueOrigin {
  readonly layer: LayerName;
  readonly file?: string;
  readonly line?: number;
}

export interface Value {
  readonly key: string;
  readonly value: unknown;
  readonly origin: ValueOrigin;
}

export const byDefault: ValueOrigin = { layer: 'default' };

export function originOf(layer: Layer, node: ConfigNode): ValueOrigin {
  return {
    layer: layer.name,
    ...(layer.file === undefined ? {} : { file: layer.file }),
    ...(node.line === undefined ? {} : { line: node.line }),
  };
}

/** `config.yml:3`, `the environment`, `the command line`: whose word it is, for messages. */
export function sourceText(origin: ValueOrigin): string {
  if (origin.file !== undefined) return `${origin.file}${origin.line === undefined ? '' : `:${origin.line}`}`;
  return {
    default: 'the default',
    environment: 'the environment',
    flags: 'the command line',
    user: 'your config',
    project: "the project's config",
    overlay: 'the --config file',
    override: 'this run',
  }[origin.layer];
}

export function problemWith(layer: Layer, node: ConfigNode, key: string, message: string): ConfigProblem {
  const { file, line } = originOf(layer, node);
  return {
    ...(file === undefined ? {} : { file }),
    ...(line === undefined ? {} : { line }),
    key,
    message: file === undefined ? `${message} (${sourceText({ layer: layer.name })})` : message,
  };
}

export interface Settled {
  readonly value: unknown;
  readonly origin: ValueOrigin;
  readonly problems: readonly ConfigProblem[];
  /** The plugin that a bad value fails, and why. */
  readonly failure?: string;
}

/** What layers said last that was right, by layer and key: where an edit makes it wrong, it stays in force. */
export type LastGood = Map<string, ConfigNode>;

/**
 * The value of one setting. Layers come weakest first. A bad value costs only itself: what its layer said before counts,
 * else the next lower layer speaks.
 */
export function settle(row: Row, layers: readonly Layer[], good: LastGood = new Map()): Settled {
  const problems: ConfigProblem[] = [];
  let failure: string | undefined;
  let won: { value: unknown; origin: ValueOrigin } | undefined;
  for (const layer of layers.toReversed()) {
    const { node, blocked } = dig(layer.root, row.path);
    const spoken = node ?? blocked?.node;
    const place = `${layer.name} ${row.key}`;
    if (spoken === undefined) {
      good.delete(place);
      continue;
    }
    if (layer.name === 'project' && row.project !== true) {
      problems.push(problemWith(layer, spoken, row.key, 'is not for a project to set; it is left out'));
      continue;
    }
    const answer =
      node === undefined
        ? {
            ok: false as const,
            issues: [
              `expected a map at ${row.path.slice(0, blocked?.depth ?? 0).join('.')}, got ${show(plain(spoken))}`,
            ],
          }
        : check(row.schema, plain(node));
    if (!answer.ok) {
      const kept = row.keeper === undefined ? good.get(place) : undefined;
      if (kept !== undefined) won ??= { value: plain(kept), origin: originOf(layer, spoken) };
      const problem = problemWith(
        layer,
        spoken,
        row.key,
        `${answer.issues.join('; ')}${kept === undefined ? '' : keptText}`,
      );
      problems.push(problem);
      if (row.keeper !== undefined)
        failure ??= `${row.key}: ${problem.message}${problem.file === undefined ? '' : ` (${sourceText(originOf(layer, spoken))})`}`;
    } else {
      good.set(place, spoken);
      won ??= { value: answer.value, origin: originOf(layer, spoken) };
    }
  }
  return {
    ...(won ?? { value: row.default, origin: byDefault }),
    problems,
    ...(failure === undefined ? {} : { failure }),
  };
}

/** For what is wrong and was right before. */
export const keptText = '; what it said before stays in force';

/** A schema of a stranger may throw; that is a bad value too. */
export function check<T>(schema: Schema<T>, value: unknown): ReturnType<typeof parse<T>> {
  try {
    return parse(schema, value);
  } catch (thrown) {
    return { ok: false, issues: [messageOf(thrown)] };
  }
}

/** What the environment says, for the settings that may be set there. An empty variable says nothing. */
export function environmentLayer(rows: readonly Row[], env: Readonly<Record<string, string | undefined>>): Layer {
  let root: MapNode = emptyMap;
  for (const row of rows) {
    const variable = variableOf(row);
    const text = variable === undefined ? undefined : env[variable];
    if (text !== undefined && text !== '') root = withNode(root, row.path, nodeOf(fromText(text, row.schema)));
  }
  return { name: 'environment', root };
}

/** Text from outside as the schema wants it: as it stands if that is allowed, else as the number, list or truth value it spells. */
export function fromText(text: string, schema: Schema<unknown>): unknown {
  if (check(schema, text).ok) return text;
  const read = readValue(text);
  return check(schema, read).ok ? read : text;
}

/** `true`, `12` and `["a"]` are what they look like; everything else is text. */
export function readValue(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' && !text.trimStart().startsWith('"') ? text : value;
  } catch {
    return text;
  }
}
