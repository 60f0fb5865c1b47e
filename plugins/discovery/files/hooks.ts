import { extname } from 'node:path';
import type { FileEntry, HookItem } from '../contract.ts';
import type { Make } from '../places.ts';
import { type Fields, flagOf, isFields, numberOf, present, textMapOf, textOf } from './scalars.ts';
import type { Wrong } from './servers.ts';

/** How long a hook may take that says nothing about it. */
const usualMs = 60_000;

type HookOptions = NonNullable<Parameters<Make['hooks']>[2]>;

/** Hooks as data, in the dialect that nearly everyone reads: `{<event>: [{matcher, hooks: [{type, command, …}]}]}`. */
export function readHooks(
  events: unknown,
  path: string,
  level: 'user' | 'project',
  { warn, broken }: Wrong,
  options: HookOptions & { readonly name: string },
): readonly HookItem[] {
  if (events === undefined || events === null) return [];
  if (!isFields(events)) {
    broken(path, 'hooks are a map from events to lists');
    return [];
  }
  const found: HookItem[] = [];
  for (const [event, groups] of Object.entries(events)) {
    if (!Array.isArray(groups)) {
      broken(path, `the hooks of ${event} are no list`);
      continue;
    }
    for (const [at, group] of (groups as readonly unknown[]).entries()) {
      const place = `hooks.${event}[${at}]`;
      if (!isFields(group)) {
        broken(path, `${place} is no map`);
        continue;
      }
      const matcher = textOf(group.matcher) ?? '*';
      if (group.hooks !== undefined && !Array.isArray(group.hooks)) {
        broken(path, `${place}.hooks (matcher ${matcher}) is no list`);
        continue;
      }
      // Some write the hook itself where others have a group of them.
      const isGroup = Array.isArray(group.hooks);
      const hooks = isGroup ? (group.hooks as readonly unknown[]) : [group];
      for (const [number, hook] of hooks.entries()) {
        const name = `${options.name}#${found.length + 1}`;
        const item = isFields(hook) ? hookOf(hook, { name, path, event, matcher, level }, options) : undefined;
        if (typeof item === 'object') found.push(item);
        else {
          const which = `${place}${isGroup ? `.hooks[${number}]` : ''} (matcher ${matcher})`;
          (item?.endsWith(unknownType) === true ? warn : broken)(path, `${which} ${item ?? 'is no map'}`);
        }
      }
    }
  }
  return found;
}

/** Right for others, and nothing that is broken. */
const unknownType = ', which kern does not run';

/** The hook, or what is wrong with it. */
function hookOf(
  hook: Fields,
  place: Pick<HookItem, 'name' | 'path' | 'event' | 'matcher' | 'level'>,
  options: HookOptions,
): HookItem | string {
  const type = textOf(hook.type) ?? 'command';
  if (type !== 'command') return `is of the type ${type}${unknownType}`;
  const command = textOf(hook.command);
  if (command === undefined) return 'has no command';
  const timeout = numberOf(hook.timeout);
  const env = { ...options.env, ...textMapOf(hook.env) };
  const args = Array.isArray(hook.args) ? hook.args.filter((arg) => typeof arg === 'string') : undefined;
  return {
    ...place,
    kind: 'command',
    command,
    timeoutMs: timeout === undefined || timeout <= 0 ? usualMs : timeout * (options.milliseconds === true ? 1 : 1000),
    failClosed: textOf(hook.onFailure) === 'block' || flagOf(hook.failClosed) === true,
    ...present({
      args,
      env: Object.keys(env).length === 0 ? undefined : env,
      when: textOf(hook.if),
      async: flagOf(hook.async),
      once: flagOf(hook.once),
      statusMessage: textOf(hook.statusMessage),
      failOpen: textOf(hook.onFailure) === 'continue' || flagOf(hook.failClosed) === false ? true : undefined,
      dialect: options.dialect,
    }),
  };
}

const moduleEndings: ReadonlySet<string> = new Set(['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs']);

/** A hook that is a file, named by its place. */
export interface HookFile {
  readonly entry: Pick<FileEntry, 'name' | 'path'>;
  readonly name: string;
  readonly level: 'user' | 'project';
  readonly dialect: HookItem['dialect'];
}

/** `pre/bash.sh`: the program that is asked before the tool bash is called. */
export function hookFile({ entry, name, level, dialect }: HookFile, when: 'pre' | 'post'): HookItem {
  const ending = extname(entry.name);
  return {
    name,
    path: entry.path,
    event: when === 'pre' ? 'PreToolUse' : 'PostToolUse',
    matcher: ending === '' ? entry.name : entry.name.slice(0, -ending.length),
    kind: isModule(entry.name) ? 'module' : 'file',
    timeoutMs: usualMs,
    failClosed: false,
    level,
    ...present({ dialect }),
  };
}

/** A module of hooks: it says itself what it listens to. */
export const hookModule = ({ entry, name, level, dialect }: HookFile): HookItem => ({
  name,
  path: entry.path,
  event: '*',
  matcher: '*',
  kind: 'module',
  timeoutMs: usualMs,
  failClosed: false,
  level,
  ...present({ dialect }),
});

export const isModule = (name: string): boolean =>
  moduleEndings.has(extname(name)) && !/\.(?:d\.[mc]?ts|test\.[a-z]+|spec\.[a-z]+)$/.test(name);
