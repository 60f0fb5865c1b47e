import { type AgentDefinition, type At, type Markdown, type PromptTemplate, present, textOf } from 'kern/contracts';

export async function copilotPrompts(at: At): Promise<readonly PromptTemplate[]> {
  const found = await markdownsIn(at, '.prompt.md');
  return found.map(({ path, stem, head, read }) => ({
    name: textOf(head.data.name)?.replaceAll(/\s+/g, '-') ?? stem.replace(/\.prompt$/, ''),
    path,
    read,
    ...present({ description: textOf(head.data.description), argumentHint: textOf(head.data.argumentHint) }),
  }));
}

export async function copilotAgents(at: At): Promise<readonly AgentDefinition[]> {
  const found = await markdownsIn(at, '.md');
  const agents = await Promise.all(
    found.map(({ path, stem, head }) =>
      at.make.agent(path, { name: textOf(head.data.name) ?? stem.replace(/\.(?:agent|chatmode)$/, '') }),
    ),
  );
  return agents.filter((agent) => agent !== undefined);
}

async function markdownsIn({ path, make }: At, ending: string): Promise<readonly Markdown[]> {
  const files = (await make.below(path)).filter(({ name, kind }) => kind === 'file' && name.endsWith(ending));
  const found = await Promise.all(files.map((file) => make.markdown(file.path)));
  return found.filter((markdown) => markdown !== undefined);
}
