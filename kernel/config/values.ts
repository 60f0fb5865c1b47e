import type { Level } from '../capability.ts';
import { idsIn, type Target } from './keys.ts';
import {
  byDefault,
  check,
  type LastGood,
  type Layer,
  originOf,
  type Settled,
  sourceText,
  type Value,
  type ValueOrigin,
} from './layers.ts';
import { dig, emptyMap, isPlainObject, type MapNode, plain, withNode } from './node.ts';
import type { Found } from './places.ts';
import { type Spoken, soundly, spokenTo } from './plugin-settings.ts';
import { type Settings, switchLists } from './settings.ts';
import { listed, pluginSwitch, providerSwitch, type Switch, switchProblems } from './switches.ts';
import { unknownKeys } from './unknown.ts';

/** What config knows at one moment. */
export interface ConfigState {
  readonly settings: Settings;
  /** Weakest first. */
  readonly layers: readonly Layer[];
  readonly settled: ReadonlyMap<string, Settled>;
  /** The level of each plugin that is known. */
  readonly known: ReadonlyMap<string, Level>;
  /** The files of the person: what cannot be read in them must not be passed over by a keeper. */
  readonly personal: readonly Found[];
  /** Built-ins that nobody switches off. */
  readonly needed: readonly string[];
  /** What the layers said last to a plugin that was right. */
  good(plugin: string): LastGood;
}

type Answer = Omit<Value, 'key'>;

export function valueAt(state: ConfigState, target: Target): Answer {
  switch (target.kind) {
    case 'unknown':
      return { value: undefined, origin: byDefault };
    case 'list':
      return listed(state.layers, target.path[0] as (typeof switchLists)[number], 'user');
    case 'setting':
      return settingValue(state, target.path);
    case 'group':
      return groupValue(state, target.path);
    case 'plugins':
      return {
        value: Object.fromEntries(idsOf(state, 'plugins').map((id) => [id, pluginValue(state, id, []).value])),
        origin: byDefault,
      };
    case 'providers':
      return {
        value: Object.fromEntries(idsOf(state, 'providers').map((id) => [id, providerValue(state, id, []).value])),
        origin: byDefault,
      };
    case 'plugin':
      return pluginValue(state, target.id, target.rest);
    case 'provider':
      return providerValue(state, target.id, target.rest);
  }
}

function settingValue(state: ConfigState, path: readonly string[]): Answer {
  const row = state.settings.around(path);
  const settled = row === undefined ? undefined : state.settled.get(row.key);
  if (row === undefined || settled === undefined) return { value: undefined, origin: byDefault };
  return { value: inside(settled.value, path.slice(row.path.length)), origin: settled.origin };
}

/** A group is as its members are; its origin is that of the strongest layer among them. */
function groupValue(state: ConfigState, path: readonly string[]): Answer {
  let root: MapNode = emptyMap;
  const origins: ValueOrigin[] = [];
  for (const row of state.settings.below(path)) {
    const { value, origin } = settingValue(state, row.path);
    if (value !== undefined)
      root = withNode(root, row.path.slice(path.length), { kind: 'value', line: undefined, value });
    origins.push(origin);
  }
  return { value: plain(root), origin: strongest(origins) };
}

function pluginValue(state: ConfigState, id: string, rest: readonly string[]): Answer {
  const { on, origin } = switchOf(state, id);
  if (rest.length === 1 && rest[0] === 'enabled') return { value: on, origin };
  const { settings, origins } = spokenOf(state, id);
  if (rest.length === 0) {
    if (!on) return { value: false, origin };
    return { value: origins.size === 0 ? true : settings, origin: strongest([origin, ...origins.values()]) };
  }
  const row = state.settings.around(['plugins', id, ...rest]);
  const [name = ''] = rest;
  const spoken = Object.hasOwn(settings, name) ? settings[name] : undefined;
  // As the plugin itself reads it: what a map leaves out is at its default.
  const parsed = row === undefined || spoken === undefined ? undefined : check(row.schema, spoken);
  const value = spoken === undefined ? row?.default : parsed?.ok === true ? parsed.value : spoken;
  const found = inside(value, rest.slice(1));
  const isSpoken = inside(settings, rest) !== undefined;
  return { value: found, origin: isSpoken ? originAt(origins, rest) : byDefault };
}

/** What the layers say to a plugin, without what its schema refuses. */
function spokenOf(state: ConfigState, id: string): Spoken {
  const rows = state.settings.ofPlugin(id);
  return soundly(rows, (without) => spokenTo(state.layers, id, levelOf(state, id), rows, without), state.good(id));
}

/** Whether a plugin is on. What is needed to switch things on stays on, whatever stands in a file. */
export function switchOf(state: ConfigState, id: string, level: Level = levelOf(state, id)): Switch {
  if (level === 'builtin' && state.needed.includes(id)) return { on: true, origin: byDefault };
  return pluginSwitch(state.layers, id, level);
}

function providerValue(state: ConfigState, id: string, rest: readonly string[]): Answer {
  const [name] = rest;
  const user = providerSwitch(state.layers, id, 'user', true);
  const project = providerSwitch(state.layers, id, 'project', true);
  if (name === 'priority') return { value: user.priority, origin: user.origin };
  if (name === 'code') return { value: user.code, origin: user.origin };
  if (name === 'project') return { value: project.on, origin: project.origin };
  if (name !== undefined)
    return { value: name === 'user' || name === 'enabled' ? user.on : undefined, origin: user.origin };
  const value = {
    user: user.on,
    project: project.on,
    ...(user.priority === undefined ? {} : { priority: user.priority }),
    ...(user.saysCode === undefined ? {} : { code: user.saysCode }),
  };
  return { value, origin: strongest([user.origin, project.origin]) };
}

/** Everything that is settled, set or switched, by key. */
export function allValues(state: ConfigState): readonly Value[] {
  const values: Value[] = [];
  for (const row of state.settings.all())
    if (row.path[0] !== 'plugins') values.push({ key: row.key, ...settingValue(state, row.path) });
  for (const id of idsOf(state, 'plugins')) {
    const whole = pluginValue(state, id, []);
    const { origins } = spokenOf(state, id);
    if (typeof whole.value === 'boolean') values.push({ key: `plugins.${id}`, ...whole });
    else
      for (const path of origins.keys())
        values.push({ key: `plugins.${id}.${path}`, ...pluginValue(state, id, path.split('.')) });
  }
  for (const id of idsOf(state, 'providers')) values.push({ key: `providers.${id}`, ...providerValue(state, id, []) });
  const project = state.layers.find((layer) => layer.name === 'project');
  for (const list of switchLists) {
    values.push({ key: list, ...listed(state.layers, list, 'user') });
    // What a project switches off of its own stands beside, since it does not mix.
    const own = dig(project?.root ?? emptyMap, [list]).node;
    if (own !== undefined && project !== undefined)
      values.push({ key: list, value: plain(own), origin: originOf(project, own) });
  }
  return values.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

/** One text for all that is said about a key, to tell what a reload changed. */
export function fingerprints(state: ConfigState): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [key, { value, failure }] of state.settled) found.set(key, JSON.stringify([value, failure]));
  for (const key of ['plugins', 'providers'] as const) {
    for (const id of spokenIds(state.layers, key)) {
      const words = state.layers.map((layer) => dig(layer.root, [key, id]).node);
      found.set(`${key}.${id}`, JSON.stringify(words.map((word) => (word === undefined ? null : plain(word)))));
    }
  }
  for (const list of switchLists)
    found.set(
      list,
      JSON.stringify([listed(state.layers, list, 'user').value, listed(state.layers, list, 'project').value]),
    );
  return found;
}

/** Why a keeper must not run: it would run on defaults because what the person wrote could not be read. */
export function failureOf(state: ConfigState, id: string): string | undefined {
  const rows = state.settings.all().filter((row) => row.keeper === id);
  if (rows.length === 0) return undefined;
  for (const { broken, problems } of state.personal) {
    const [problem] = problems;
    if (broken && problem !== undefined) return `${sourceText({ layer: 'user', ...problem })} ${problem.message}`;
  }
  for (const row of rows) {
    const failure = state.settled.get(row.key)?.failure;
    if (failure !== undefined) return failure;
  }
  // A rule under a misspelt name would be a rule that does not hold.
  const groups = new Set(rows.map((row) => `${row.path[0]}.`));
  for (const layer of state.layers) {
    if (layer.name === 'project') continue;
    const stray = unknownKeys(layer, state.settings, []).find(({ key = '' }) =>
      Array.from(groups).some((group) => key.startsWith(group)),
    );
    const bad =
      stray ?? switchProblems(layer).find(({ key = '' }) => key === `plugins.${id}` || key === `plugins.${id}.enabled`);
    if (bad !== undefined) return `${bad.key}: ${bad.message} (${sourceText({ layer: layer.name, ...bad })})`;
  }
  return undefined;
}

/** Every id that is known or spoken of. */
export function idsOf(
  state: Pick<ConfigState, 'settings' | 'layers' | 'known'>,
  key: 'plugins' | 'providers',
): readonly string[] {
  const registered =
    key === 'plugins'
      ? [...state.known.keys(), ...state.settings.below(['plugins']).map((row) => row.path[1] ?? '')]
      : [];
  return Array.from(new Set([...registered, ...spokenIds(state.layers, key)]));
}

export function levelOf(state: Pick<ConfigState, 'known'>, id: string): Level {
  return state.known.get(id) ?? 'user';
}

function spokenIds(layers: readonly Layer[], key: 'plugins' | 'providers'): readonly string[] {
  return layers.flatMap((layer) => idsIn(layer.root, key));
}

const order = ['default', 'user', 'project', 'overlay', 'environment', 'flags', 'override'] as const;

function strongest(origins: readonly ValueOrigin[]): ValueOrigin {
  return origins.reduce((best, one) => (order.indexOf(one.layer) > order.indexOf(best.layer) ? one : best), byDefault);
}

function inside(value: unknown, path: readonly string[]): unknown {
  let current = value;
  for (const name of path) {
    if (Array.isArray(current) && /^\d+$/.test(name)) current = current[Number(name)];
    else if (isPlainObject(current) && Object.hasOwn(current, name)) current = current[name];
    else return undefined;
  }
  return current;
}

/** The origin of a value, of the list or map it lies in, or of what lies in it. */
function originAt(origins: ReadonlyMap<string, ValueOrigin>, path: readonly string[]): ValueOrigin {
  for (let length = path.length; length > 0; length--) {
    const origin = origins.get(path.slice(0, length).join('.'));
    if (origin !== undefined) return origin;
  }
  return strongest(
    Array.from(origins).flatMap(([key, origin]) => (key.startsWith(`${path.join('.')}.`) ? [origin] : [])),
  );
}
