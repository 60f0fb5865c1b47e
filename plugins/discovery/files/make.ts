import { basename, join, relative, sep } from 'node:path';
import { KernError } from 'kern/plugin';
import type { DiscoveryFiles, Files } from '../contract.ts';
import type { At, Make, Markdown } from '../places.ts';
import { allIn, lookBelow } from './below.ts';
import { guarded } from './guard.ts';
import { readHead } from './head.ts';
import { hookFile, readHooks } from './hooks.ts';
import { type IncludeOptions, withIncludes } from './includes.ts';
import { flagOf } from './scalars.ts';
import { readMcpServers } from './servers.ts';
import { agentOf, commandOf, ruleOf, skillOf } from './texts.ts';
import { isBelow } from './walk.ts';

/** What tells the text behind a `read` from the one it was before. */
export type Stamps = WeakMap<Markdown['read'], string>;

export interface Workshop {
  readonly at: Omit<At, 'make'>;
  readonly files: DiscoveryFiles;
  readonly stamps: Stamps;
  /** Something in a file is no use, and what the file held before may stand in for it. */
  broken(path: string, why: string): void;
}

/** Makes the items of one place. */
export function makerOf({ at, files, stamps, broken }: Workshop): Make {
  const { options, level } = at;
  const warn = (path: string, why: string): void => at.files.warn(path, why);
  const make: Make = {
    async markdown(path) {
      const head = await at.files.head(path);
      if (head === undefined || flagOf(head.data.enabled) === false) return undefined;
      const includes = isIncluding(path, options) ? includesOf(at) : undefined;
      const read = readerOf(path, at, files, includes);
      // What is included is a part of the text: it is watched, and a change of it is one of the text.
      const stamp =
        includes === undefined
          ? await at.files.mark(path)
          : await withIncludes((await at.files.text(path)) ?? '', path, { ...includes, files: at.files });
      stamps.set(read, stamp ?? '');
      return { path, stem: stemOf(basename(path)), head, read };
    },
    async skill(folder, more = {}) {
      const markdown = await make.markdown(join(folder, 'SKILL.md'));
      return markdown && skillOf(markdown, folder, { ...options, ...more }, warn);
    },
    async rule(path, more = {}) {
      const markdown = await make.markdown(path);
      return markdown && ruleOf(markdown, { ...options, ...more });
    },
    async command(path, more = {}) {
      const markdown = await make.markdown(path);
      return markdown && commandOf(markdown, { ...options, ...more });
    },
    async agent(path, more = {}) {
      const markdown = await make.markdown(path);
      return markdown && agentOf(markdown, more);
    },
    mcpServers: (servers, path, more) => readMcpServers(servers, path, { warn, broken }, more),
    hooks: (events, path, more) =>
      readHooks(events, path, level, { warn, broken }, { name: placeName(path, at), ...more }),
    hookFile(path, when, { tool } = {}) {
      const entry = { name: basename(path), path };
      const hook = hookFile({ entry, name: placeName(path, at), level, dialect: options.hooks }, when);
      return tool === undefined ? hook : { ...hook, matcher: tool };
    },
    async reader(path, textIn) {
      const read = openReader(path, at, files, textIn);
      stamps.set(read, (await at.files.mark(path)) ?? '');
      return read;
    },
    below: async (folder, { depth = 0 } = {}) => allIn(await lookBelow(folder, { files: at.files, depth })),
  };
  return make;
}

/** A file name without its last ending: `review.prompt.md` is the prompt `review.prompt`. */
export const stemOf = (name: string): string => name.replace(/(?<=.)\.[^.]+$/, '');

/** The name of a file in a folder below, as the Claude dialect has it: `git:review`. */
export const nameBelow = (folder: string, path: string): string => stemOf(relative(folder, path)).split(sep).join(':');

/** Where something stands, as people write it and the same on every machine: `.claude/settings.json`, `~/.claude/settings.json`. */
export function placeName(path: string, { level, where, user }: Pick<At, 'level' | 'where' | 'user'>): string {
  const below = (folder: string): string => relative(folder, path).split(sep).join('/');
  if (level === 'project') return below(where.root);
  return isBelow(path, where.home) ? `$KERN_HOME/${below(where.home)}` : `~/${below(user)}`;
}

const isIncluding = (path: string, { includes = false }: At['options']): boolean =>
  typeof includes === 'boolean' ? includes : includes.includes(basename(path));

function includesOf({ level, base, user, where }: Workshop['at']): Omit<IncludeOptions, 'files'> {
  return level === 'user'
    ? { within: [base], notes: [user], user }
    : { within: [where.root, base], notes: [join(user, '.claude'), where.home], user };
}

/** Reads the text as it is when it is asked for. */
const readerOf = (
  path: string,
  at: Workshop['at'],
  files: DiscoveryFiles,
  includes: Omit<IncludeOptions, 'files'> | undefined,
): Markdown['read'] =>
  openReader(path, at, files, async (now) => {
    // The head first: a broken one says that the text is none that counts.
    const head = await now.head(path);
    if (head === undefined || includes === undefined) return head?.body;
    const whole = await withIncludes((await now.text(path)) ?? '', path, { ...includes, files: now });
    return (await readHead(whole)).body;
  });

function openReader(
  path: string,
  at: Workshop['at'],
  files: DiscoveryFiles,
  textIn: (now: Files) => Promise<string | undefined>,
): Markdown['read'] {
  return async (signal = new AbortController().signal) => {
    const now = guarded(files.open(at.where, signal), { ...at, secretIn: files.secretIn });
    const text = await textIn(now);
    signal.throwIfAborted();
    if (text !== undefined) return text;
    throw new KernError('text_unreadable', now.warnings[0] ?? `${path} is not there any more`, {
      hint: 'Look at the file; kern providers tells what else is wrong.',
    });
  };
}
