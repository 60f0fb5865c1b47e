import { basename, join, relative, sep } from 'node:path';
import type { AgentDefinition, At, FoundText, Rule, Skill, SlashCommand } from 'kern/contracts';
import { agentPluginAt } from './agent-plugin.ts';
import { skillsOf } from './agent-plugin-parts.ts';
import { type InstalledPlugin, installedPlugins, pathsOf, rootVariable } from './installed.ts';

/** Items are named after their plugin, as in Claude Code: `plugin:name`. */
async function ofEach<T>(at: At, items: (plugin: InstalledPlugin) => Promise<readonly T[]>): Promise<readonly T[]> {
  return (await Promise.all((await installedPlugins(at)).map(items))).flat();
}

export const pluginSkills = (at: At): Promise<readonly Skill[]> =>
  ofEach(at, async (plugin) => {
    if (plugin.isPortable) {
      const portable = await agentPluginAt(plugin.folder, at.files);
      return portable === undefined ? [] : skillsOf(portable, at);
    }
    const named = pathsOf(plugin, 'skills', plugin.manifest.skills, at);
    const folders = (await Promise.all(named.map((folder) => skillFolders(folder, at)))).flat();
    const skills = await Promise.all(
      [...new Set(folders)].map(async (folder) => {
        const skill = await at.make.skill(folder);
        return skill && rooted({ ...skill, name: `${plugin.name}:${skill.name}` }, plugin, at);
      }),
    );
    return skills.filter((skill) => skill !== undefined);
  });

/** A folder of skills, or a skill itself. */
async function skillFolders(folder: string, { files, make }: At): Promise<readonly string[]> {
  const isSkill = async (path: string): Promise<boolean> => (await files.kind(join(path, 'SKILL.md'))) === 'file';
  if ((await files.kind(folder)) !== 'folder') return [];
  if (await isSkill(folder)) return [folder];
  const inside = (await make.below(folder)).filter(({ kind }) => kind === 'folder');
  const found = await Promise.all(inside.map(async ({ path }) => ((await isSkill(path)) ? [path] : [])));
  return found.flat();
}

export const pluginCommands = (at: At): Promise<readonly SlashCommand[]> =>
  ofEach(at, async (plugin) => {
    if (plugin.isPortable) return [];
    const named = plugin.manifest.commands ?? plugin.manifest['slash-commands'];
    const found = (await textFiles(pathsOf(plugin, 'commands', named, at), ['.md'], at)).map(async ({ path, way }) => {
      const command = await at.make.command(path, { name: `${plugin.name}:${way}` });
      return command && rooted({ ...command, path, read: command.read ?? emptyText }, plugin, at);
    });
    return (await Promise.all(found)).filter((command) => command !== undefined);
  });

const emptyText = async (): Promise<string> => '';

export const pluginAgents = (at: At): Promise<readonly AgentDefinition[]> =>
  ofEach(at, async (plugin) => {
    if (plugin.isPortable) return [];
    const files = await textFiles(pathsOf(plugin, 'agents', plugin.manifest.agents, at), ['.md'], at);
    const found = files.map(async ({ path }) => {
      const agent = await at.make.agent(path);
      return agent && rooted({ ...agent, name: `${plugin.name}:${agent.name}` }, plugin, at);
    });
    return (await Promise.all(found)).filter((agent) => agent !== undefined);
  });

export const pluginRules = (at: At): Promise<readonly Rule[]> =>
  ofEach(at, async (plugin) => {
    if (plugin.isPortable) return [];
    const files = await textFiles(pathsOf(plugin, 'rules', plugin.manifest.rules, at), ['.md', '.mdc'], at);
    const found = files.map(async ({ path, way }) => {
      const rule = await at.make.rule(path, { name: `${plugin.name}:${way}` });
      return rule && rooted(rule, plugin, at);
    });
    return (await Promise.all(found)).filter((rule) => rule !== undefined);
  });

interface TextFile {
  readonly path: string;
  /** Its name below the folder it was found in: `git:commit`. */
  readonly way: string;
}

async function textFiles(
  paths: readonly string[],
  endings: readonly string[],
  { files, make }: At,
): Promise<readonly TextFile[]> {
  const counts = (name: string): boolean => endings.some((ending) => name.endsWith(ending) && name !== ending);
  const stem = (name: string): string => name.replace(/\.\w+$/, '');
  const found = await Promise.all(
    paths.map(async (path): Promise<readonly TextFile[]> => {
      const kind = await files.kind(path);
      if (kind === 'file') return counts(basename(path)) ? [{ path, way: stem(basename(path)) }] : [];
      if (kind === undefined) return [];
      const entries = (await make.below(path, { depth: 4 })).filter((one) => one.kind === 'file' && counts(one.name));
      return entries.map((one) => ({ path: one.path, way: stem(relative(path, one.path)).split(sep).join(':') }));
    }),
  );
  return [...new Map(found.flat().map((one) => [one.path, one])).values()];
}

/** The item, with the folder of its plugin put into its text. */
async function rooted<T extends FoundText>(item: T, { folder }: InstalledPlugin, { make }: At): Promise<T> {
  const read = await make.reader(item.path, async (now) =>
    (await now.head(item.path))?.body.replaceAll(rootVariable, () => folder),
  );
  return { ...item, read };
}
