import type { Level } from '../capability.ts';
import { byDefault, type Layer, originOf, problemWith, sourceText, type ValueOrigin } from './layers.ts';
import { type ConfigNode, dig, plain } from './node.ts';
import type { ConfigProblem } from './places.ts';
import { isTexts, show } from './schemas.ts';
import { providerSwitches, switchLists } from './settings.ts';

/** Whether something is on, and who said so: nobody, when `origin` is the default. */
export interface Switch {
  readonly on: boolean;
  readonly origin: ValueOrigin;
  /** `plugins.hello: false in /home/ada/.kern/config.yml:3`. */
  readonly by?: string;
}

/**
 * The layers that may speak about a thing of a level, strongest first. A project speaks only about what it
 * brought itself, and there after the person: what a person switched off, no project switches on.
 */
function speakers(layers: readonly Layer[], level: Level): readonly Layer[] {
  const persons = layers.filter((layer) => layer.name !== 'project').toReversed();
  return level === 'project' ? [...persons, ...layers.filter((layer) => layer.name === 'project')] : persons;
}

/** Says on, off or nothing about a plugin: `false`, `true`, or `enabled` among its settings. */
export function pluginSwitch(layers: readonly Layer[], id: string, level: Level): Switch {
  for (const layer of speakers(layers, level)) {
    const { node } = dig(layer.root, ['plugins', id]);
    const spoken = node?.kind === 'map' ? node.entries.get('enabled') : node;
    if (spoken?.kind === 'value' && typeof spoken.value === 'boolean')
      return said(layer, spoken, `plugins.${id}${node === spoken ? '' : '.enabled'}: ${spoken.value}`, spoken.value);
  }
  return { on: true, origin: byDefault };
}

export interface ProviderSwitch extends Switch {
  readonly priority?: number;
  /** Its code may run, once it is trusted. Only a person says so. */
  readonly code: boolean;
  /** That, where the person has said it: a no is another thing than nothing. */
  readonly saysCode?: boolean;
}

/** Whether a provider's items of a level are taken, and its own priority. */
export function providerSwitch(layers: readonly Layer[], id: string, level: Level, byItself: boolean): ProviderSwitch {
  const able = speakers(layers, level);
  let found: Switch | undefined;
  let priority: number | undefined;
  let code: boolean | undefined;
  for (const layer of able) {
    found ??= providerWord(layer, id, level);
    const { node } = dig(layer.root, ['providers', id, 'priority']);
    if (node?.kind === 'value' && isNumber(node.value)) priority ??= node.value;
    const run = layer.name === 'project' ? undefined : dig(layer.root, ['providers', id, 'code']).node;
    if (run?.kind === 'value' && typeof run.value === 'boolean') code ??= run.value;
  }
  return {
    ...(found ?? { on: byItself, origin: byDefault }),
    ...(priority === undefined ? {} : { priority }),
    code: code ?? false,
    ...(code === undefined ? {} : { saysCode: code }),
  };
}

/** Within a layer the word about a level goes before the word about the whole, and the map before the lists. */
function providerWord(layer: Layer, id: string, level: Level): Switch | undefined {
  const { node } = dig(layer.root, ['providers', id]);
  for (const name of [level, 'enabled']) {
    const named = name === 'enabled' ? id : `${id}:${name}`;
    const spoken = node?.kind === 'map' ? node.entries.get(name) : name === 'enabled' ? node : undefined;
    if (spoken?.kind === 'value' && typeof spoken.value === 'boolean')
      return said(layer, spoken, `providers.${id}${spoken === node ? '' : `.${name}`}: ${spoken.value}`, spoken.value);
    for (const [list, on] of [
      ['disabledProviders', false],
      ['enabledProviders', true],
    ] as const) {
      const entry = listIn(layer, list);
      if (entry?.names.includes(named)) return said(layer, entry.node, `${list}: [${named}]`, on);
    }
  }
  return undefined;
}

/** Whether a single item is left out: `disabledItems: ["skill:review"]`. */
export function itemSwitch(layers: readonly Layer[], item: string, level: Level): Switch {
  for (const layer of speakers(layers, level)) {
    const entry = listIn(layer, 'disabledItems');
    if (entry?.names.includes(item)) return said(layer, entry.node, `disabledItems: [${item}]`, false);
  }
  return { on: true, origin: byDefault };
}

/** The names in a list of switches, of all layers that speak for a level. */
export function listed(
  layers: readonly Layer[],
  list: (typeof switchLists)[number],
  level: Level,
): { value: readonly string[]; origin: ValueOrigin } {
  const entries = speakers(layers, level).flatMap((layer) => {
    const entry = listIn(layer, list);
    return entry === undefined ? [] : [{ names: entry.names, origin: originOf(layer, entry.node) }];
  });
  return {
    value: Array.from(new Set(entries.flatMap((entry) => entry.names))),
    origin: entries[0]?.origin ?? byDefault,
  };
}

function listIn(layer: Layer, list: string): { names: readonly string[]; node: ConfigNode } | undefined {
  const { node } = dig(layer.root, [list]);
  return node?.kind === 'value' && Array.isArray(node.value)
    ? { names: node.value.filter((name) => typeof name === 'string'), node }
    : undefined;
}

function said(layer: Layer, node: ConfigNode, words: string, on: boolean): Switch {
  const origin = originOf(layer, node);
  return { on, origin, by: `${words} in ${sourceText(origin)}` };
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** What is wrong among the switches of a layer. A bad one costs only itself. */
export function switchProblems(layer: Layer): readonly ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const bad = (node: ConfigNode, key: string, expected: string): void => {
    problems.push(problemWith(layer, node, key, `expected ${expected}, got ${show(plain(node))}`));
  };
  for (const list of switchLists) {
    const { node } = dig(layer.root, [list]);
    if (node !== undefined && (node.kind !== 'value' || !isTexts(node.value))) bad(node, list, 'a list of texts');
  }
  for (const key of ['plugins', 'providers']) {
    const { node } = dig(layer.root, [key]);
    if (node?.kind === 'value') bad(node, key, 'a map of ids');
    if (node?.kind !== 'map') continue;
    for (const [id, entry] of node.entries) {
      if (entry.kind === 'value') {
        const expected =
          key === 'plugins'
            ? 'true, false or a map of settings'
            : 'true, false or { enabled, priority, user, project, code }';
        if (typeof entry.value !== 'boolean' && entry.value !== null) bad(entry, `${key}.${id}`, expected);
        continue;
      }
      for (const [name, child] of entry.entries) {
        const value = plain(child);
        const wantsNumber = name === 'priority';
        if (key === 'plugins' ? name !== 'enabled' : !providerSwitches.some((one) => one === name)) continue;
        if (wantsNumber ? !isNumber(value) : typeof value !== 'boolean')
          bad(child, `${key}.${id}.${name}`, wantsNumber ? 'a number' : 'true or false');
      }
    }
  }
  return problems;
}

/** Switches that are not obeyed, because nothing could be switched on again. */
export function neededProblems(layer: Layer, needed: readonly string[]): readonly ConfigProblem[] {
  return needed.flatMap((id) => {
    const { node } = dig(layer.root, ['plugins', id]);
    const spoken = node?.kind === 'map' ? node.entries.get('enabled') : node;
    if (spoken?.kind !== 'value' || spoken.value !== false || layer.name === 'project') return [];
    return [problemWith(layer, spoken, `plugins.${id}`, 'stays on: it is needed to switch plugins on and off')];
  });
}
