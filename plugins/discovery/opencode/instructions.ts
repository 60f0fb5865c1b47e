import { basename, dirname, isAbsolute, join, matchesGlob, relative, resolve, sep } from 'node:path';
import { type At, type Instruction, textsOf } from 'kern/contracts';
import { brokenOff, codeOf, KernError } from 'kern/plugin';
import { configs, isBelow, mayRead, substituted } from './config.ts';

/** For all files that a pattern may name. */
const patienceMs = 500;

/** `instructions`: files and patterns over them, which are always told. */
export async function openCodeInstructions(at: At): Promise<readonly Instruction[]> {
  const found = new Map<string, Instruction>();
  for (const { path: config, data } of await configs(at, at.files)) {
    for (const written of textsOf(await substituted(data.instructions, config, at))) {
      for (const path of await filesOf(written, config, at)) {
        const markdown = await at.make.markdown(path);
        if (markdown !== undefined && markdown.head.body !== '')
          found.set(path, { name: nameOf(path, at), path, applyTo: '**', read: markdown.read });
      }
    }
  }
  return [...found.values()];
}

async function filesOf(written: string, config: string, at: At): Promise<readonly string[]> {
  if (/^https?:/.test(written)) {
    at.files.warn(config, `names the instructions ${written}, which kern does not fetch: put them into a file`);
    return [];
  }
  const path = written.startsWith('~/') ? join(at.user, written.slice(2)) : resolve(rootOf(at), written);
  const files = /[*?{[]/.test(written) ? await matching(path, config, at) : [path];
  const allowed = await Promise.all(files.map(async (file) => ((await mayRead(file, at, at.files)) ? [file] : [])));
  if (files.length > 0 && allowed.flat().length === 0)
    at.files.warn(config, `the instructions ${written} lie outside of the project, and are not read for it`);
  return allowed.flat();
}

/** The person's settings name files of whatever project they are used in. */
const rootOf = ({ level, base, where }: At): string => (level === 'project' ? base : where.root);

/** Files below the last folder that the pattern names without signs. */
async function matching(pattern: string, config: string, at: At): Promise<readonly string[]> {
  const parts = pattern.split(sep);
  const first = parts.findIndex((part) => /[*?{[]/.test(part));
  const folder = parts.slice(0, first).join(sep) || sep;
  // A pattern over everything is no wish to walk through a whole disk.
  if (at.level === 'project' && !isBelow(folder, at.where.root)) return [];
  const depth = pattern.includes('**') ? 6 : parts.length - first - 1;
  const entries = await at.make.below(folder, { depth });
  matchesGlob('a', 'a'); // what is loaded for it must not be broken off half-way
  const match = (): readonly string[] =>
    entries.flatMap(({ path, kind }) => (kind === 'file' && matchesGlob(path, pattern) ? [path] : []));
  try {
    return brokenOff(patienceMs, match, () => new KernError('too_slow', 'the pattern takes too long'));
  } catch (error) {
    if (codeOf(error) !== 'too_slow') throw error;
    at.files.warn(config, `the instructions ${pattern} are a pattern that takes too long; write a simpler one`);
    return [];
  }
}

function nameOf(path: string, { where }: At): string {
  const way = relative(where.root, path);
  return way.startsWith('..') || isAbsolute(way)
    ? `${basename(dirname(path))}/${basename(path)}`
    : way.split(sep).join('/');
}
