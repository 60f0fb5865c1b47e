import { KernError } from '../error.ts';
import type { PluginDefinition } from '../plugin.ts';

/** The plugin that a module exports by default. Throws what is wrong with it. */
export function definitionOf(exports: unknown, file: string): PluginDefinition {
  if (typeof exports !== 'object' || exports === null || !('id' in exports) || !('setup' in exports)) {
    throw new KernError('plugin_no_default', `${file} has no plugin as its default export`, {
      hint: "export default definePlugin({ id: '…', setup(ctx) { … } })",
    });
  }
  const { id, setup } = exports;
  if (typeof setup !== 'function')
    throw new KernError('plugin_no_setup', `${file}: setup is no function`, {
      hint: 'export default definePlugin({ id, setup(ctx) { … } })',
    });
  if (!isPluginId(id))
    throw new KernError('plugin_bad_id', `${file}: the id ${JSON.stringify(id)} is none`, {
      hint: 'letters, digits, dots, dashes and _, at most 64',
    });
  for (const name of ['requires', 'after', 'declares'] as const) {
    const list: unknown = Reflect.get(exports, name);
    if (list !== undefined && !Array.isArray(list))
      throw new KernError('plugin_bad_shape', `${file}: ${name} is no list`, {
        hint: name === 'declares' ? 'declares: [token]' : `${name}: ['another-plugin']`,
      });
  }
  return exports as PluginDefinition;
}

export function isPluginId(id: unknown): id is string {
  return typeof id === 'string' && /^[a-z0-9][a-z0-9._-]{0,63}$/i.test(id);
}
