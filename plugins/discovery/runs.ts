import { relative, sep } from 'node:path';
import type { TrustItem } from 'kern/plugin';
import type { AgentDefinition, McpServer, PromptTemplate, SettingsFile, Skill, SlashCommand } from './contract.ts';
import { isFields } from './files/scalars.ts';
import type { FoundItems, FoundKind } from './places.ts';
import { shellLines } from './shell-lines.ts';
import { namedFiles, trustItemOf } from './trust-items.ts';

/** Something of a project that would run, as it is shown to a person and presented to the gate. */
export interface Runnable {
  readonly item: TrustItem;
  /** What would run, or where it would connect, in one line. */
  readonly runs: string;
  /** kern itself does not run it: who would. */
  readonly notBy?: string;
}

type Level = 'user' | 'project' | 'builtin' | 'session';

/**
 * All of a found item that would run. Texts are read for their shell lines; a file of settings gives a line for each of
 * its keys that names a program, an environment or an endpoint.
 */
export async function runnablesOf<K extends FoundKind>(
  kind: K,
  found: FoundItems[K],
  where: { readonly root: string; readonly level: Level },
): Promise<readonly Runnable[]> {
  if (where.level !== 'project') return [];
  const one: FoundItems[FoundKind] = found;
  switch (kind) {
    case 'skill':
      return ofText('skill', one as Skill, where.root);
    case 'slash-command':
      return ofText('command', one as SlashCommand, where.root);
    case 'prompt':
      return ofText('prompt', one as PromptTemplate, where.root);
    case 'agent-definition':
      return ofAgent(one as AgentDefinition, where.root);
    case 'settings-file':
      return ofSettings(one as SettingsFile, where.root);
    default: {
      const item = await trustItemOf(kind, found, where);
      return item === undefined ? [] : [{ item, runs: inWords(item, one) }];
    }
  }
}

function inWords(item: TrustItem, found: FoundItems[FoundKind]): string {
  if (item.kind !== 'hook' && item.kind !== 'mcp') return item.path ?? item.id;
  const { command, args = [], url } = found as Partial<McpServer>;
  return command === undefined ? (url ?? item.path ?? item.id) : [command, ...args].join(' ');
}

async function ofText(
  kind: 'skill' | 'command' | 'prompt',
  text: Skill | SlashCommand | PromptTemplate,
  root: string,
): Promise<readonly Runnable[]> {
  const { name, path, read } = text;
  if (path === undefined || read === undefined) return [];
  // What cannot be read is never sent either; the provider says what is wrong with it.
  const body = await read().catch(() => '');
  const lines = shellLines(body, 'dialect' in text ? text.dialect : undefined);
  if (lines.length === 0) return [];
  const item: TrustItem = {
    kind: kind === 'skill' ? kind : 'command',
    // A command and a prompt may have one name: both are there, and the command is meant.
    id: { skill: name, command: `/${name}`, prompt: `/${name} (prompt)` }[kind],
    path,
    definition: { shell: lines },
    files: await namedFiles(lines, root),
  };
  return [{ item, runs: lines.join('; ') }];
}

/** Its hooks and servers; the task itself is the model's, and its calls are asked for. */
async function ofAgent(agent: AgentDefinition, root: string): Promise<readonly Runnable[]> {
  const { name, path, settings = {} } = agent;
  const own = Object.entries(settings).filter(([key]) => /^(hooks|mcp_?servers)$/i.test(key));
  const lines = shellLines(await agent.read().catch(() => ''));
  const definition = {
    ...Object.fromEntries(own),
    ...(lines.length === 0 ? {} : { shell: lines }),
  };
  if (Object.keys(definition).length === 0) return [];
  const texts = textsIn(definition);
  const item: TrustItem = { kind: 'agent', id: name, path, definition, files: await namedFiles(texts, root) };
  return [{ item, runs: [...own.map(([key, value]) => `${key} ${JSON.stringify(value)}`), ...lines].join('; ') }];
}

/** How names of settings end, in all the dialects there are, that start a program, set an environment or lead elsewhere. */
const executes: ReadonlySet<string> = new Set(
  (
    'command commands cmd program helper script scripts executable shell notify notifier env environment endpoint ' +
    'formatter lsp plugin plugins marketplaces packages extensions cert certificate proxy ' +
    'base-url auth-refresh credential-export status-line file-suggestion shell-path environment-variables npm-command'
  ).split(' '),
);
const words = (key: string): readonly string[] =>
  key
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll(/URL/g, 'Url')
    .toLowerCase()
    .split(/[-_. ]+/);
const isExecuting = (key: string): boolean =>
  executes.has(words(key).at(-1) ?? '') || executes.has(words(key).slice(-2).join('-'));
/** Items of their own. */
const elsewhere = /^(hooks|mcp|mcp_?servers)$/i;
/** Switches and lists of names, as `enabledPlugins: { a: true }` and `permissions`. */
const isPlain = (value: unknown): boolean => typeof value === 'boolean' || typeof value === 'number' || value === null;

async function ofSettings({ path, data }: SettingsFile, root: string): Promise<readonly Runnable[]> {
  const file = relative(root, path).split(sep).join('/');
  return Promise.all(
    settingsThatRun(data).map(async ([key, value]): Promise<Runnable> => {
      const item: TrustItem = {
        kind: isEnvironment(key) ? 'env' : 'setting',
        id: `${file}#${key}`,
        path,
        definition: value,
        files: await namedFiles(textsIn(value), root),
      };
      return { item, runs: shown(key, value), notBy: 'kern reads it, and does nothing with it' };
    }),
  );
}

/** The keys, with dots, and what stands there. Of nested ones the outermost. */
export function settingsThatRun(data: Readonly<Record<string, unknown>>): readonly (readonly [string, unknown])[] {
  const found: (readonly [string, unknown])[] = [];
  const look = (fields: Readonly<Record<string, unknown>>, above: readonly string[]): void => {
    for (const [key, value] of Object.entries(fields)) {
      if (isPlain(value) || (above.length === 0 && elsewhere.test(key))) continue;
      const way = [...above, key];
      if (isExecuting(key)) found.push([way.join('.'), value]);
      else if (isFields(value) && way.length < 5) look(value, way);
    }
  };
  look(data, []);
  return found;
}

const isEnvironment = (key: string): boolean => /(^|\.)(env|environment|environmentVariables)$/i.test(key);

/** Of an environment the names alone: values may be secret. */
function shown(key: string, value: unknown): string {
  if (isEnvironment(key) && isFields(value)) return Object.keys(value).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
