import { didYouMean, nearNames } from '../near.ts';
import { type Layer, originOf } from './layers.ts';
import type { ConfigNode } from './node.ts';
import type { ConfigProblem } from './places.ts';
import { providerSwitches, type Settings, switchKeys } from './settings.ts';

/** The keys of a layer that mean nothing to anyone, with the names they are near to. */
export function unknownKeys(
  layer: Layer,
  settings: Settings,
  plugins: Iterable<string>,
  providers?: Iterable<string>,
): readonly ConfigProblem[] {
  const found: ConfigProblem[] = [];
  const report = (
    node: ConfigNode,
    path: readonly string[],
    known: Iterable<string>,
    what = 'nothing reads this key.',
  ): void => {
    const { file, line } = originOf(layer, node);
    const key = path.join('.');
    const near = didYouMean(nearNames(path.at(-1) ?? '', known));
    const message = [what, near ?? (what.startsWith('write it') ? undefined : takenOutBy(key, layer))]
      .filter((part) => part !== undefined)
      .join(' ');
    found.push({
      ...(file === undefined ? {} : { file }),
      ...(line === undefined ? {} : { line }),
      key,
      message,
    });
  };
  const walk = (node: ConfigNode, path: readonly string[]): void => {
    if (node.kind === 'value') return;
    const below = settings.below(path);
    const names = new Set(below.map((row) => row.path[path.length] ?? ''));
    for (const [name, child] of node.entries) {
      const here = [...path, name];
      if (path.length === 0 && Object.hasOwn(switchKeys, name)) continue;
      if (!names.has(name)) {
        const nested = settings.all().some((row) => path.length === 0 && row.key === name);
        if (nested)
          report(
            child,
            here,
            [],
            `write it as a map: ${name.split('.').join(': { ')}: …${' }'.repeat(name.split('.').length - 1)}.`,
          );
        else report(child, here, path.length === 0 ? [...names, ...Object.keys(switchKeys)] : names);
      } else if (settings.below(here).length > 0) {
        walk(child, here);
      }
    }
  };
  walk(layer.root, []);

  const known = new Set(plugins);
  for (const [id, entry] of entriesOf(layer, 'plugins')) {
    const rows = settings.ofPlugin(id);
    if (!known.has(id)) report(entry, ['plugins', id], known, 'there is no such plugin here.');
    // A plugin that says what it reads says all of it.
    else if (rows.length > 0 && entry.kind === 'map') {
      const names = new Set(['enabled', ...rows.map((row) => row.path[2] ?? '')]);
      for (const [name, child] of entry.entries)
        if (!names.has(name)) report(child, ['plugins', id, name], names, 'the plugin does not read this key.');
    }
  }
  const switches = new Set<string>(providerSwitches);
  const ids = providers === undefined ? undefined : new Set(providers);
  for (const [id, entry] of entriesOf(layer, 'providers')) {
    if (ids !== undefined && !ids.has(id)) report(entry, ['providers', id], ids, 'there is no such provider here.');
    if (entry.kind === 'map')
      for (const [name, child] of entry.entries)
        if (!switches.has(name)) report(child, ['providers', id, name], switches);
  }
  return found;
}

/** The next step with what a plugin that is gone has left behind. */
function takenOutBy(key: string, { name, file }: Layer): string | undefined {
  if (file === undefined || (name !== 'user' && name !== 'project')) return undefined;
  return `\`kern config set ${key} --unset${name === 'project' ? ' --project' : ''}\` takes it out.`;
}

function entriesOf(layer: Layer, key: string): Iterable<[string, ConfigNode]> {
  const node = layer.root.entries.get(key);
  return node?.kind === 'map' ? node.entries : [];
}
