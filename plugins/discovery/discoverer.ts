import { type Capability, type Context, definePlugin, type PluginDefinition } from 'kern/plugin';
import {
  agentDefinitions,
  contextFiles,
  customTools,
  discoveryFiles,
  extensionManifests,
  extensionModules,
  hookItems,
  instructions,
  mcpServers,
  placesTables,
  promptTemplates,
  rules,
  settingsFiles,
  skills,
  slashCommands,
  sshHosts,
  systemPrompts,
} from './contract.ts';
import type { FoundItems, FoundKind, Places } from './places.ts';

/** The capability of each discovered kind. */
export const foundCapabilities: { readonly [K in FoundKind]: Capability<FoundItems[K]> } = {
  'context-file': contextFiles,
  skill: skills,
  rule: rules,
  prompt: promptTemplates,
  'slash-command': slashCommands,
  instruction: instructions,
  hook: hookItems,
  'mcp-server': mcpServers,
  'ssh-host': sshHosts,
  'extension-module': extensionModules,
  'extension-manifest': extensionManifests,
  'custom-tool': customTools,
  'system-prompt': systemPrompts,
  'settings-file': settingsFiles,
  'agent-definition': agentDefinitions,
};

/** The kinds that a table has places of, in the order of the table. */
export const kindsOf = ({ places }: Places): readonly FoundKind[] => [...new Set(places.map(({ kind }) => kind))];

/** A plugin that provides what lies at the places of a table. */
export function discoverer(table: Places): PluginDefinition {
  return definePlugin({
    id: `discovery.${table.id}`,
    description: table.description,
    ...(table.replaces === undefined ? {} : { replaces: table.replaces }),
    setup(ctx) {
      ctx.contribute(placesTables, table);
      for (const kind of kindsOf(table)) provide(ctx, kind, table);
    },
  });
}

function provide<K extends FoundKind>(ctx: Context, kind: K, table: Places): void {
  const { id, displayName, description, priority } = table;
  const known = new Map<string, ReadonlyMap<string, object>>();
  ctx.provide(foundCapabilities[kind], {
    id,
    displayName,
    description,
    priority,
    async load(where, signal, levels) {
      const { answer } = await import('./files/answer.ts');
      await ctx.use(discoveryFiles).load();
      const { schema } = foundCapabilities[kind];
      return answer({ table, kind, schema, where, signal, levels, files: ctx.service(discoveryFiles), known });
    },
  });
}
