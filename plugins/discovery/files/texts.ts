import { basename } from 'node:path';
import type {
  AgentDefinition,
  ContextFile,
  Instruction,
  PromptTemplate,
  Rule,
  Skill,
  SlashCommand,
  SystemPromptFile,
} from '../contract.ts';
import type { At, Markdown, PlaceOptions } from '../places.ts';
import { flagOf, present, textMapOf, textOf, textsOf } from './scalars.ts';

// Items of Markdown files whose heads have been read. Pure: what is wrong is told by `warn`.

type Warn = (path: string, why: string) => void;

/** How much of a text stands in for a description that is missing. */
const shortest = 120;

const firstLine = (body: string): string | undefined => {
  const line = body
    .split('\n')
    .find((one) => one.trim() !== '')
    ?.replace(/^#+\s*/, '')
    .trim();
  return line === undefined || line === ''
    ? undefined
    : line.length > shortest
      ? `${line.slice(0, shortest - 1)}…`
      : line;
};

/** As agentskills.io has it; what breaks the rules is told, and taken all the same. */
export function skillOf(
  { path, head, read }: Markdown,
  folder: string,
  options: Pick<PlaceOptions, 'description'> & { readonly name?: string },
  warn: Warn,
): Skill {
  const { data, body } = head;
  const named = basename(folder);
  const name = options.name ?? textOf(data.name) ?? named;
  const description = textOf(data.description) ?? (options.description === 'none' ? firstLine(body) : undefined);
  if (options.name === undefined) for (const why of skillNameProblems(name, named)) warn(path, why);
  if ((description?.length ?? 0) > 1024) warn(path, 'the description is longer than 1024 characters');
  if ((textOf(data.compatibility)?.length ?? 0) > 500) warn(path, 'the compatibility is longer than 500 characters');
  return {
    name,
    path,
    folder,
    // A description that is missing is told where the skill is validated.
    description: description ?? '',
    modelInvocable: flagOf(data.disableModelInvocation) !== true,
    userInvocable: flagOf(data.userInvocable) !== false,
    read,
    ...present({
      allowedTools: data.allowedTools === undefined ? undefined : textsOf(data.allowedTools, 'blanks'),
      license: textOf(data.license),
      compatibility: textOf(data.compatibility),
      metadata: textMapOf(data.metadata),
      argumentHint: textOf(data.argumentHint) ?? listHint(data.argumentHint),
    }),
  };
}

function skillNameProblems(name: string, folder: string): readonly string[] {
  const problems: string[] = [];
  if (name.length > 64 || !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name))
    problems.push(`the name ${name} is not made of at most 64 small letters, digits and single hyphens`);
  if (name !== folder) problems.push(`the name ${name} is not the one of its folder`);
  return problems;
}

/** `argument-hint: [file] [line]` is a list to YAML, where it is one at all. */
const listHint = (value: unknown): string | undefined =>
  Array.isArray(value) ? value.map((part) => `[${String(part)}]`).join(' ') : undefined;

const everything: ReadonlySet<string> = new Set(['*', '**', '**/*']);

export function ruleOf({ path, stem, head, read }: Markdown, options: Pick<PlaceOptions, 'rule' | 'name'>): Rule {
  const { data } = head;
  const globs = textsOf(data.globs ?? data.paths ?? data.applyTo);
  const isForAll = globs.some((glob) => everything.has(glob));
  const said = flagOf(data.alwaysApply) ?? saidByTrigger(textOf(data.trigger));
  const condition = textsAsWritten(data.condition ?? data.ttsrTrigger);
  const byItself = options.rule === 'always' && globs.length === 0 && condition.length === 0;
  return {
    name: options.name ?? textOf(data.name) ?? stem,
    path,
    globs: isForAll ? [] : globs,
    alwaysApply: said ?? (isForAll || byItself),
    condition,
    scope: textsOf(data.scope),
    read,
    ...present({ description: textOf(data.description) }),
  };
}

/** Windsurf says it in a word. */
const saidByTrigger = (trigger: string | undefined): boolean | undefined => {
  if (trigger === 'always_on') return true;
  return trigger === undefined ? undefined : false;
};

/** A comma belongs to a pattern. */
const textsAsWritten = (value: unknown): readonly string[] => (typeof value === 'string' ? [value] : textsOf(value));

export function commandOf(
  { path, stem, head, read }: Markdown,
  options: Pick<PlaceOptions, 'dialect' | 'name'>,
): SlashCommand & { readonly path: string } {
  const { data, body } = head;
  const allowed = data.allowedTools === undefined ? undefined : textsOf(data.allowedTools, 'blanks');
  return {
    name: options.name ?? stem,
    path,
    read,
    ...present({
      description: textOf(data.description) ?? firstLine(body),
      argumentHint: textOf(data.argumentHint) ?? listHint(data.argumentHint),
      dialect: options.dialect,
      allowedTools: allowed,
      model: textOf(data.model),
    }),
  };
}

export function promptOf(
  { path, stem, head, read }: Markdown,
  options: Pick<PlaceOptions, 'dialect' | 'name'>,
): PromptTemplate {
  const { data, body } = head;
  return {
    name: options.name ?? stem,
    path,
    read,
    ...present({
      description: textOf(data.description) ?? firstLine(body),
      argumentHint: textOf(data.argumentHint) ?? listHint(data.argumentHint),
      dialect: options.dialect,
    }),
  };
}

export function instructionOf({ path, stem, head, read }: Markdown, options: Pick<PlaceOptions, 'name'>): Instruction {
  const { data } = head;
  return {
    name: options.name ?? stem.replace(/\.instructions$/, ''),
    path,
    read,
    ...present({ description: textOf(data.description), applyTo: textsOf(data.applyTo).join(',') || undefined }),
  };
}

export function agentOf({ path, stem, head, read }: Markdown, options: { readonly name?: string }): AgentDefinition {
  const { name, description, tools, model, ...settings } = head.data;
  return {
    name: options.name ?? textOf(name) ?? stem,
    path,
    description: textOf(description) ?? '',
    read,
    ...present({
      tools: tools === undefined ? undefined : textsOf(tools),
      model: textOf(model),
      settings: Object.keys(settings).length === 0 ? undefined : settings,
    }),
  };
}

export function contextFileOf({ path, read }: Markdown, { level, depth, options }: At): ContextFile {
  return { name: basename(path), path, level, read, ...present({ depth, part: options.part }) };
}

export function systemPromptOf({ path, read }: Markdown, { level, options }: At): SystemPromptFile {
  return { name: basename(path), path, level, append: options.append === true, read };
}
