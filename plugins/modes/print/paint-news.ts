import type { AgentEvent, AssistantMessage, Message } from 'kern/contracts';
import type { News, What } from './news.ts';
import { harmless, type Screen, short } from './screen.ts';

/** How people call the kinds that are found in files. What plugins bring along is told with the plugin. */
const words: Readonly<Record<string, string>> = {
  'context-file': 'context file',
  'system-prompt': 'system prompt',
  skill: 'skill',
  rule: 'rule',
  instruction: 'instruction',
  prompt: 'prompt',
  'slash-command': 'command',
  hook: 'hook',
  'mcp-server': 'MCP server',
  'ssh-host': 'SSH host',
  'custom-tool': 'tool file',
  'agent-definition': 'agent',
  'extension-module': 'extension',
  'extension-manifest': 'package',
};

/** These are looked for before the model is asked for the first time. */
const lookedForFirst: ReadonlySet<string> = new Set(['context-file', 'system-prompt', 'skill', 'rule', 'instruction']);

/** Names beyond these are counted. */
const named = 6;

const newsOf = (screen: Screen): News => {
  screen.news ??= { items: new Map(), heard: new Set(), known: new Set(), tokens: undefined };
  return screen.news;
};

/** Notes what changed; it is shown when it counts, with the next request. */
export function noteChange(event: Extract<AgentEvent, { type: 'capability_changed' }>, screen: Screen): void {
  const { capability, added, changed, removed } = event;
  if (words[capability] === undefined) return;
  const news = newsOf(screen);
  const isFirstLook = !(lookedForFirst.has(capability) || news.known.has(capability));
  news.heard.add(capability);
  const note = (keys: readonly string[], what: What): void => {
    for (const key of keys) news.items.set(JSON.stringify([capability, key]), what);
  };
  // Before the first reply providers answer one after the other: what the next one adds to is no change of a file.
  if (news.tokens === undefined) return;
  if (!isFirstLook) note(added, 'new');
  note(changed, 'changed');
  note(removed, 'gone');
}

/** A reply says how much there is to be read again. */
export function noteReply({ usage }: AssistantMessage, screen: Screen): void {
  const news = newsOf(screen);
  for (const capability of news.heard) news.known.add(capability);
  news.heard.clear();
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = usage ?? {};
  news.tokens = input + output + cacheRead + cacheWrite;
}

/** The model is about to be asked: what changed since counts from here on. */
export function paintNews(screen: Screen): void {
  const { items } = newsOf(screen);
  if (items.size === 0) return;
  const told = [...items].sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, named);
  const parts = (['changed', 'new', 'gone'] as const).flatMap((what) => {
    const names = told.filter(([, is]) => is === what).map(([id]) => nameOf(id));
    return names.length === 0 ? [] : [`${what}: ${names.join(', ')}`];
  });
  const rest = items.size > named ? `, and ${items.size - named} more` : '';
  screen.line(screen.style('dim', `${screen.sign('reloaded')} ${parts.join('; ')}${rest}`));
  items.clear();
}

function nameOf(id: string): string {
  const [capability, key] = JSON.parse(id) as readonly [string, string];
  const word = words[capability] ?? capability;
  if (capability !== 'context-file') return `${word} ${short(key, 60)}`;
  const [level, depth = '0', part] = key.split(':');
  const place = level === 'user' ? 'your own' : depth === '0' ? 'here' : `${depth} up`;
  return `${word} (${[place, part]
    .filter((one) => one !== undefined)
    .map((one) => harmless(one))
    .join(', ')})`;
}

/** The tools stand before everything else in a request: with other tools nothing of it comes from the cache. */
export function paintToolNews(message: Message, screen: Screen): void {
  if (message.role !== 'custom' || !hasToolNews(message.details)) return;
  const { tokens = 0 } = newsOf(screen);
  const cost =
    tokens === 0
      ? 'the prompt cache begins anew'
      : `about ${tokens >= 10_000 ? `${Math.round(tokens / 1_000)}k` : tokens} tokens are read anew, not from the prompt cache`;
  screen.line(screen.style('dim', `  the list of tools changed: ${cost}`));
}

function hasToolNews(details: unknown): boolean {
  if (typeof details !== 'object' || details === null || !('tools' in details)) return false;
  const { tools } = details;
  return (
    typeof tools === 'object' &&
    tools !== null &&
    Object.values(tools).some((names: unknown) => Array.isArray(names) && names.length > 0)
  );
}
