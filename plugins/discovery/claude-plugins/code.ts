import { join } from 'node:path';
import {
  type At,
  type CustomTool,
  type Fields,
  type HookItem,
  isFields,
  type McpServer,
  textMapOf,
  textOf,
} from 'kern/contracts';
import { agentPluginAt } from './agent-plugin.ts';
import { serversOf } from './agent-plugin-parts.ts';
import { type InstalledPlugin, installedPlugins, pathsOf, rootVariable } from './installed.ts';

async function ofEach<T>(at: At, items: (plugin: InstalledPlugin) => Promise<readonly T[]>): Promise<readonly T[]> {
  return (await Promise.all((await installedPlugins(at)).map(items))).flat();
}

const list = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value];

/** Maps that stand in a manifest, and those of the files that it names. */
async function mapsOf(plugin: InstalledPlugin, usual: string, said: unknown, at: At): Promise<readonly Part[]> {
  const inside = list(said).filter(isFields);
  const named = list(said).filter((one) => typeof one === 'string');
  const files = pathsOf(plugin, usual, named, at);
  const found = await Promise.all(
    files.map(async (path): Promise<readonly Part[]> => {
      if ((await at.files.kind(path)) === undefined) return [];
      const data = await at.files.json(path);
      return isFields(data) ? [{ path, data }] : [];
    }),
  );
  return [...found.flat(), ...inside.map((data) => ({ path: plugin.manifestPath, data }))];
}

interface Part {
  readonly path: string;
  readonly data: Fields;
}

/** Both spellings: with the name of the section around it, and without. */
const inSection = (data: Fields, section: string): unknown => (isFields(data[section]) ? data[section] : data);

export const pluginServers = (at: At): Promise<readonly McpServer[]> =>
  ofEach(at, async (plugin) => {
    if (plugin.isPortable) {
      const portable = await agentPluginAt(plugin.folder, at.files);
      return portable === undefined ? [] : serversOf(portable, at);
    }
    const variables = environmentOf(plugin, at);
    const parts = await mapsOf(plugin, '.mcp.json', plugin.manifest.mcpServers, at);
    return parts.flatMap(({ path, data }) => {
      const servers = inSection(data, 'mcpServers');
      const found = at.make.mcpServers(servers, path, { prefix: `${plugin.name}:`, root: plugin.folder, variables });
      return found.map((server) => withOwnEnvironment(server, servers, plugin, variables));
    });
  });

/** Where a server says no folder it is started where the agent is, and only its paths are those of the plugin. */
function withOwnEnvironment(
  { cwd, env, ...server }: McpServer,
  servers: unknown,
  { name }: InstalledPlugin,
  variables: Readonly<Record<string, string>>,
): McpServer {
  const fields = isFields(servers) ? servers[server.name.slice(name.length + 1)] : undefined;
  const saysFolder = isFields(fields) && textOf(fields.cwd) !== undefined;
  return {
    ...server,
    ...(saysFolder && cwd !== undefined ? { cwd } : {}),
    ...(server.transport === 'stdio' ? { env: { ...variables, ...textMapOf(env) } } : {}),
  };
}

const environmentOf = ({ name, folder }: InstalledPlugin, { where }: At): Readonly<Record<string, string>> => ({
  CLAUDE_PLUGIN_ROOT: folder,
  OMP_PLUGIN_ROOT: folder,
  CLAUDE_PLUGIN_DATA: join(where.home, 'plugin-data', name),
});

export const pluginHooks = (at: At): Promise<readonly HookItem[]> =>
  ofEach(at, async (plugin) => {
    if (plugin.isPortable) return [];
    const env = environmentOf(plugin, at);
    const parts = await mapsOf(plugin, join('hooks', 'hooks.json'), plugin.manifest.hooks, at);
    const said = parts.flatMap(({ path, data }) =>
      at.make.hooks(inSection(data, 'hooks'), path, { dialect: 'claude', env }).map((hook) => withRoot(hook, plugin)),
    );
    const files = await Promise.all(
      (['pre', 'post'] as const).map(async (when) => {
        const inside = (await at.make.below(join(plugin.folder, 'hooks', when))).filter(({ kind }) => kind === 'file');
        return inside.map(({ path }) => ({ ...at.make.hookFile(path, when), env }));
      }),
    );
    return [...said, ...files.flat()];
  });

/** Where no shell puts the variable in. In a line for the shell it stays: there it is one word, whatever the folder is called. */
const withRoot = (hook: HookItem, { folder }: InstalledPlugin): HookItem => {
  if (hook.args === undefined) return hook;
  const put = (text: string): string => text.replaceAll(rootVariable, () => folder);
  return {
    ...hook,
    args: hook.args.map(put),
    ...(hook.command === undefined ? {} : { command: put(hook.command) }),
  };
};

export const pluginTools = (at: At): Promise<readonly CustomTool[]> =>
  ofEach(at, async (plugin) => {
    if (plugin.isPortable) return [];
    const files = (await at.make.below(join(plugin.folder, 'tools'))).filter(
      ({ name, kind }) => kind === 'file' && /^[^.].*(?<!\.d)\.[mc]?[jt]s$/.test(name),
    );
    return files.map(({ name, path }) => ({ name: name.replace(/\.\w+$/, ''), path, kind: 'module' }));
  });
