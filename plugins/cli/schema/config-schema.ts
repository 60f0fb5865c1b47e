import { type SettingReport, workbench } from 'kern/contracts';
import type { View } from 'kern/plugin';
import { type JsonSchema, titled } from './draft.ts';

/** From the settings that are known: kern's own, and those of every plugin. */
export async function configSchema(view: View): Promise<JsonSchema> {
  await view.use(workbench).load();
  const settings = await view.service(workbench).config.settings();
  const own = settings.filter(({ path }) => path[0] !== 'plugins');
  const ofPlugins = settings.filter(({ path }) => path[0] === 'plugins');
  const { properties } = tree(own);
  return titled(
    'kern config',
    'config.yml in KERN_HOME, .kern/config.yml of a project, .kernrc, or kern.config in package.json',
    {
      type: 'object',
      properties: { ...(properties as object), ...switches(ofPlugins) },
      additionalProperties: false,
    },
  );
}

/** `tools.execution` is a key in a key. */
function tree(settings: readonly SettingReport[], depth = 0): JsonSchema {
  const byName = Map.groupBy(settings, ({ path }) => path[depth] ?? '');
  const properties = Array.from(byName, ([name, below]) => {
    const leaf = below.find(({ path }) => path.length === depth + 1);
    return [name, leaf === undefined ? tree(below, depth + 1) : described(leaf)] as const;
  });
  return { type: 'object', properties: Object.fromEntries(properties), additionalProperties: false };
}

function described({ schema = {}, summary, default: initial }: SettingReport): JsonSchema {
  return {
    ...schema,
    ...(summary === '' ? {} : { description: summary }),
    ...(initial === undefined ? {} : { default: initial }),
  };
}

const names = { type: 'array', items: { type: 'string' } };

function switches(settings: readonly SettingReport[]): JsonSchema {
  const byPlugin = Map.groupBy(settings, ({ path }) => path[1] ?? '');
  // By name: plugins wake in an order that is another one from run to run.
  const named = [...byPlugin].sort(([a], [b]) => (a < b ? -1 : 1));
  const plugins = named.map(([id, rows]) => {
    const own = Object.fromEntries(rows.map((row) => [row.path[2] ?? '', described(row)]));
    return [
      id,
      {
        anyOf: [
          { type: 'boolean' },
          { type: 'object', properties: { enabled: { type: 'boolean' }, ...own }, additionalProperties: false },
        ],
      },
    ] as const;
  });
  const providerSwitches = Object.fromEntries(
    ['enabled', 'user', 'project', 'code'].map((name) => [name, { type: 'boolean' }]),
  );
  return {
    plugins: {
      type: 'object',
      description: 'A plugin by its id: false, true, or its settings.',
      properties: Object.fromEntries(plugins),
      additionalProperties: { type: ['boolean', 'object'] },
    },
    providers: {
      type: 'object',
      description: 'A provider by its id: false, true, or { enabled, priority, user, project }.',
      additionalProperties: {
        anyOf: [
          { type: 'boolean' },
          {
            type: 'object',
            properties: { ...providerSwitches, priority: { type: 'number' } },
            additionalProperties: false,
          },
        ],
      },
    },
    disabledProviders: { ...names, description: 'Short for providers: { <id>: false }.' },
    enabledProviders: { ...names, description: 'Short for providers: { <id>: true }.' },
    disabledItems: { ...names, description: 'Single items, as kind:key.' },
  };
}
