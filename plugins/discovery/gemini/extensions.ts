import { join, sep } from 'node:path';
import {
  type AgentDefinition,
  type At,
  type ContextFile,
  type Fields,
  flagOf,
  type HookItem,
  isFields,
  type McpServer,
  present,
  type Skill,
  type SlashCommand,
  textOf,
  textsOf,
} from 'kern/contracts';
import { commandsIn } from './commands.ts';
import { usualServers } from './settings.ts';

/** An extension of Gemini CLI that is there and switched on. */
interface Extension {
  readonly name: string;
  readonly folder: string;
  readonly manifestPath: string;
  readonly manifest: Fields;
}

async function extensionsIn(at: At): Promise<readonly Extension[]> {
  const off = await switchedOff(at);
  const folders = (await at.make.below(at.path)).filter(({ kind }) => kind === 'folder');
  const found = await Promise.all(
    folders.map(async (entry): Promise<readonly Extension[]> => {
      const manifestPath = join(entry.path, 'gemini-extension.json');
      const manifest = await at.files.json(manifestPath);
      if (!isFields(manifest)) return [];
      const name = textOf(manifest.name) ?? entry.name;
      return off(name) ? [] : [{ name, folder: entry.path, manifestPath, manifest }];
    }),
  );
  return found.flat();
}

/** `extension-enablement.json`: for each extension, folders with `*` behind them, and `!` before those where it is off. The last counts. */
async function switchedOff({ path, files, where, isFolder }: At): Promise<(name: string) => boolean> {
  const data = isFolder ? await files.json(join(path, 'extension-enablement.json')) : undefined;
  return (name) => {
    const said = isFields(data) && Object.hasOwn(data, name) ? data[name] : undefined;
    const overrides = isFields(said) ? textsOf(said.overrides) : [];
    const last = overrides.findLast((override) => covers(override.replace(/^!/, ''), where.cwd));
    return last?.startsWith('!') === true;
  };
}

function covers(folder: string, cwd: string): boolean {
  const isDeep = folder.endsWith('*');
  const top = folder.replace(/\*$/, '').replace(/[\\/]+$/, '');
  return cwd === top || (isDeep && (top === '' || cwd.startsWith(`${top}${sep}`)));
}

const variablesOf = ({ folder }: Extension, { where }: At): Readonly<Record<string, string>> => ({
  extensionPath: folder,
  workspacePath: where.root,
  '/': sep,
  pathSeparator: sep,
});

/** Each extension has a place of its own for its text, beside that of the person or of the project. */
export async function extensionTexts(at: At): Promise<readonly ContextFile[]> {
  const extensions = await extensionsIn(at);
  const found = await Promise.all(
    extensions.flatMap(({ name, folder, manifest }) => {
      const given = textsOf(manifest.contextFileName);
      return (given.length === 0 ? ['GEMINI.md'] : given).map(async (file, count): Promise<readonly ContextFile[]> => {
        // A name, not a way out of the extension.
        if (!isInside(file)) return [];
        const markdown = await at.make.markdown(join(folder, file));
        if (markdown === undefined || markdown.head.body === '') return [];
        const { path, read } = markdown;
        const part = count === 0 ? `gemini:${name}` : `gemini:${name}:${count + 1}`;
        return [{ name: file, path, level: at.level, part, read, ...present({ depth: at.depth }) }];
      });
    }),
  );
  return found.flat();
}

const isInside = (file: string): boolean => !/^(?:[\\/~]|[A-Za-z]:)/.test(file) && !file.split(/[\\/]/).includes('..');

export async function extensionServers(at: At): Promise<readonly McpServer[]> {
  const extensions = await extensionsIn(at);
  return extensions.flatMap((extension) =>
    at.make.mcpServers(usualServers(extension.manifest.mcpServers), extension.manifestPath, {
      variables: variablesOf(extension, at),
    }),
  );
}

export async function extensionCommands(at: At): Promise<readonly SlashCommand[]> {
  const found = (await extensionsIn(at)).map(({ folder }) => commandsIn(join(folder, 'commands'), at));
  return (await Promise.all(found)).flat();
}

export async function extensionSkills(at: At): Promise<readonly Skill[]> {
  const found = (await extensionsIn(at)).map(async ({ folder }) => {
    const folders = (await at.make.below(join(folder, 'skills'))).filter(({ kind }) => kind === 'folder');
    return Promise.all(folders.map(({ path }) => at.make.skill(path)));
  });
  return (await Promise.all(found)).flat().filter((skill) => skill !== undefined);
}

export async function extensionAgents(at: At): Promise<readonly AgentDefinition[]> {
  const found = (await extensionsIn(at)).map(async ({ folder }) => {
    const files = (await at.make.below(join(folder, 'agents'))).filter(({ name }) => name.endsWith('.md'));
    return Promise.all(files.map(({ path }) => at.make.agent(path)));
  });
  return (await Promise.all(found)).flat().filter((agent) => agent !== undefined);
}

export async function extensionHooks(at: At): Promise<readonly HookItem[]> {
  const found = (await extensionsIn(at)).map(async (extension): Promise<readonly HookItem[]> => {
    const path = join(extension.folder, 'hooks', 'hooks.json');
    const data = await at.files.json(path);
    if (!isFields(data) || flagOf(data.enabled) === false) return [];
    // The folders are variables of the shell, which takes them as they are; a name that it cannot have is put in.
    const { '/': divider = sep, ...env } = variablesOf(extension, at);
    const hooks = at.make.hooks(data.hooks, path, { dialect: 'gemini', milliseconds: true, env });
    return hooks.map((hook) =>
      hook.command === undefined ? hook : { ...hook, command: hook.command.replaceAll(/\$\{\/\}/g, () => divider) },
    );
  });
  return (await Promise.all(found)).flat();
}
