import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { At, ExtensionManifest, McpServer, Skill } from 'kern/contracts';
import { isFields } from 'kern/contracts';
import { type AgentPlugin, agentPluginsIn, isContained, strictJson } from './agent-plugin.ts';
import { readServer, type ServerGround } from './agent-plugin-server.ts';

export async function agentPluginManifests(at: At): Promise<readonly ExtensionManifest[]> {
  const plugins = await agentPluginsIn(at);
  return plugins.map(({ name, root, manifest }) => ({ name, path: root, manifest }));
}

export async function agentPluginSkills(at: At): Promise<readonly Skill[]> {
  const found = (await agentPluginsIn(at)).map((plugin) => skillsOf(plugin, at));
  return (await Promise.all(found)).flat();
}

export async function agentPluginServers(at: At): Promise<readonly McpServer[]> {
  const found = (await agentPluginsIn(at)).map((plugin) => serversOf(plugin, at));
  return (await Promise.all(found)).flat();
}

/** `skills/<folder>/SKILL.md`, and nothing deeper. What is not as agentskills.io has it is left out, and told. */
export async function skillsOf({ root }: AgentPlugin, { files, make }: At): Promise<readonly Skill[]> {
  const folder = join(root, 'skills');
  if ((await files.kind(folder)) === undefined) return [];
  if (!(await isContained(folder, root, files))) {
    files.warn(folder, 'leads out of the plugin, whose skills are left out');
    return [];
  }
  if ((await files.kind(folder)) !== 'folder') {
    files.warn(folder, 'is no folder; the plugin has no skills');
    return [];
  }
  const folders = (await files.list(folder)).filter(({ kind }) => kind === 'folder');
  const found = await Promise.all(
    folders.map(async ({ name, path }): Promise<readonly Skill[]> => {
      const file = join(path, 'SKILL.md');
      if (!(await files.has(path, 'SKILL.md')) || (await files.kind(file)) !== 'file') return [];
      if (!(await isContained(file, root, files))) {
        files.warn(file, 'leads out of the plugin, and is left out');
        return [];
      }
      const skill = await make.skill(path);
      const wrong = skill && skillProblem(skill, name);
      if (wrong !== undefined) files.warn(file, `${wrong}; the skill is left out`);
      return skill === undefined || wrong !== undefined ? [] : [skill];
    }),
  );
  return found.flat();
}

function skillProblem({ name, description, compatibility }: Skill, folder: string): string | undefined {
  if (name !== folder) return `the name ${name} is not the one of its folder`;
  if (name.length > 64 || !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name))
    return `the name ${name} is not made of at most 64 small letters, digits and single hyphens`;
  if (description === '') return 'description is missing';
  if (description.length > 1024) return 'the description is longer than 1024 characters';
  return (compatibility?.length ?? 0) > 500 ? 'the compatibility is longer than 500 characters' : undefined;
}

const schema = 'https://agent-plugins.org/schemas/1.0.0/mcp.schema.json';

/** `mcp.json`; what is wrong with it costs the servers alone, and what is wrong with a server that one. */
export async function serversOf(plugin: AgentPlugin, at: At): Promise<readonly McpServer[]> {
  const { name, root } = plugin;
  const { files } = at;
  const path = join(root, 'mcp.json');
  const kind = await files.kind(path);
  if (kind === undefined) return [];
  const isThere = kind === 'file' && (await isContained(path, root, files));
  if (!isThere) {
    files.warn(path, 'is no file of the plugin; its servers are left out');
    return [];
  }
  const data = await strictJson(path, files);
  if (data === undefined) return [];
  const wrong = configProblem(data);
  if (wrong !== undefined || !isFields(data) || !isFields(data.mcpServers)) {
    files.warn(path, `${wrong}; the servers of the plugin are left out`);
    return [];
  }
  const ground: ServerGround = { root, data: dataFolder(plugin, at), files };
  const found = await Promise.all(
    Object.entries(data.mcpServers).map(async ([server, fields]): Promise<readonly McpServer[]> => {
      const read = await readServer(fields, ground);
      if (typeof read !== 'string') return [{ ...read, name: `${name}:${server}`, path }];
      files.warn(path, `the MCP server ${server} ${read}, and is left out`);
      return [];
    }),
  );
  return found.flat();
}

function configProblem(data: unknown): string | undefined {
  if (!isFields(data)) return 'holds no map';
  if (data.$schema !== schema) return `$schema is not ${schema}`;
  if (!isFields(data.mcpServers)) return 'mcpServers is no map';
  const strange = Object.keys(data).find((field) => field !== '$schema' && field !== 'mcpServers');
  return strange === undefined ? undefined : `${strange} is no field of it`;
}

/** The folder that a plugin keeps its own things in: one for each place that it is installed in. */
function dataFolder({ name }: AgentPlugin, { level, where }: At): string {
  const folder = join(where.home, 'plugin-data');
  if (level === 'user') return join(folder, name);
  return join(folder, `${name}-${createHash('sha256').update(where.root).digest('hex').slice(0, 8)}`);
}
