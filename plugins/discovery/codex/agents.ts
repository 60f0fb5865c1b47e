import { type AgentDefinition, type At, type FileEntry, type Files, isFields, present, textOf } from 'kern/contracts';

/** `agents/<name>.toml`: name, description and developer_instructions. */
export async function codexAgents(at: At): Promise<readonly AgentDefinition[]> {
  const files = (await at.make.below(at.path)).filter(({ name, kind }) => kind === 'file' && name.endsWith('.toml'));
  const found = await Promise.all(files.map((file) => agentOf(file, at)));
  return found.filter((agent) => agent !== undefined);
}

async function agentOf(file: FileEntry, { files, make }: At): Promise<AgentDefinition | undefined> {
  const data = await files.toml(file.path);
  if (!isFields(data)) return undefined;
  const { name, description, developer_instructions: _, model, ...settings } = data;
  return {
    name: textOf(name) ?? file.name.slice(0, -'.toml'.length),
    path: file.path,
    description: textOf(description) ?? '',
    read: await make.reader(file.path, (now) => instructionsIn(file.path, now)),
    ...present({ model: textOf(model), settings: Object.keys(settings).length === 0 ? undefined : settings }),
  };
}

async function instructionsIn(path: string, files: Files): Promise<string | undefined> {
  const data = await files.toml(path);
  return isFields(data) ? (textOf(data.developer_instructions) ?? '') : undefined;
}
