import {
  type AgentDefinition,
  type At,
  type Fields,
  type Files,
  flagOf,
  isFields,
  present,
  type SlashCommand,
  textOf,
} from 'kern/contracts';
import { type Said, section, substituted } from './config.ts';

/** `agents/<name>.md`: its `tools` are a map from names to whether they may be used. */
export async function openCodeAgents(at: At): Promise<readonly AgentDefinition[]> {
  const files = (await at.make.below(at.path, { depth: 4 })).filter(
    ({ name, kind }) => kind === 'file' && /.\.md$/.test(name),
  );
  const found = await Promise.all(
    files.map(async ({ path }): Promise<readonly AgentDefinition[]> => {
      const markdown = await at.make.markdown(path);
      if (markdown === undefined || flagOf(markdown.head.data.disable) === true) return [];
      return [agentOf({ name: markdown.stem, path, fields: markdown.head.data }, markdown.read)];
    }),
  );
  return found.flat();
}

/** `agent` of the settings: the text is its `prompt`. */
export async function configuredAgents(at: At): Promise<readonly AgentDefinition[]> {
  // Without both it is no agent, but settings for one of OpenCode's own.
  const said = (await section('agent', at)).filter(
    ({ fields }) =>
      flagOf(fields.disable) !== true && (fields.description !== undefined || fields.prompt !== undefined),
  );
  return Promise.all(
    said.map(async (one) => {
      const { prompt: _, ...fields } = one.fields;
      return agentOf({ ...one, fields }, await readerOf(one, 'agent', 'prompt', at));
    }),
  );
}

/** `command` of the settings: the text is its `template`. */
export async function configuredCommands(at: At): Promise<readonly SlashCommand[]> {
  const said = (await section('command', at)).filter(({ fields }) => textOf(fields.template) !== undefined);
  return Promise.all(
    said.map(async (one) => ({
      name: one.name,
      path: one.path,
      dialect: 'opencode' as const,
      read: await readerOf(one, 'command', 'template', at),
      ...present({ description: textOf(one.fields.description), model: textOf(one.fields.model) }),
    })),
  );
}

function agentOf({ name, path, fields }: Said, read: AgentDefinition['read']): AgentDefinition {
  const { name: _, description, model, tools, ...others } = fields;
  const allowed = isFields(tools) ? namesOf(tools) : undefined;
  const settings: Fields = { ...others, ...present({ tools: isFields(tools) ? tools : undefined }) };
  return {
    name,
    path,
    description: textOf(description) ?? '',
    read,
    ...present({
      tools: allowed,
      model: textOf(model),
      settings: Object.keys(settings).length === 0 ? undefined : settings,
    }),
  };
}

/** The map as a list, where it is one: all off but some. A map that only takes some away is no list of what is left. */
function namesOf(tools: Fields): readonly string[] | undefined {
  if (flagOf(tools['*']) !== false) return undefined;
  return Object.keys(tools).filter((name) => name !== '*' && flagOf(tools[name]) === true);
}

const readerOf = ({ name, path }: Said, part: string, field: string, at: At): Promise<AgentDefinition['read']> =>
  at.make.reader(path, async (now: Files) => {
    const said = (await section(part, at, now)).find((one) => one.name === name);
    if (said === undefined) return undefined;
    return textOf(await substituted(said.fields[field], said.path, at, now)) ?? '';
  });
