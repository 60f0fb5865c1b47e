import type { Rule } from 'kern/contracts';
import { brokenOff, codeOf, KernError, messageOf } from 'kern/plugin';

/** A part of a reply while it is written. */
export interface Part {
  readonly kind: 'text' | 'thinking' | 'tool';
  /** Of a call: the tool. */
  readonly tool?: string;
  /** Of a call: the file it is about, as soon as it is known. */
  readonly path?: string;
  readonly written: string;
  /** So much of it was looked at before. */
  readonly looked?: number;
}

type IsFile = (path: string, globs: readonly string[]) => boolean;

/** A rule that watches what is written. */
export interface Watch {
  readonly rule: Rule;
  /** Whatever is written, a look comes to an end. */
  readonly isPlain: boolean;
  /** What matched. A condition that takes too long is told, and looks no more. */
  match(part: Part, isFile: IsFile, options?: { readonly timed?: boolean }): string | undefined;
}

/** How long a condition may look at a time, and how long once more: the machine may have been busy with something else. */
const patience = [50, 200] as const;

/** Of what was looked at before so much is looked at again: a match may begin there. */
const overlap = 20_000;

/** What of a part the rules have found. */
export function matchesOf(
  watches: readonly Watch[],
  part: Part,
  isFile: IsFile,
): readonly { readonly watch: Watch; readonly match: string }[] {
  const look = (timed: boolean): readonly { readonly watch: Watch; readonly match: string }[] =>
    watches.flatMap((watch) => {
      const match = watch.match(part, isFile, { timed });
      return match === undefined ? [] : [{ watch, match }];
    });
  if (watches.every(({ isPlain }) => isPlain)) return look(false);
  try {
    // All at once: to be ready to break off costs more than most looks.
    return brokenOff(patience[0], () => look(false), late);
  } catch (error) {
    if (codeOf(error) !== 'too_slow') throw error;
    return look(true);
  }
}

/** The watch of a rule; what of it can never match is told to `warn`, and what does not come to an end is put into `slow`. */
export function watchOf(rule: Rule, warn: (why: string) => void, slow = new Set<string>()): Watch {
  const keyOf = (source: string): string => `${rule.path}\0${source}`;
  const conditions = rule.condition.flatMap((source) => {
    const condition = conditionOf(source);
    if (!('problem' in condition)) return [{ ...condition, source }];
    warn(`${rule.path}: the condition ${JSON.stringify(source)} is no regular expression: ${condition.problem}`);
    return [];
  });
  const scopes = rule.scope.map(scopeOf);
  const hasGlobs = rule.globs.length > 0 || scopes.some(({ globs }) => globs.length > 0);
  return {
    rule,
    isPlain: !hasGlobs && conditions.every(({ globs, pattern }) => globs.length === 0 && isPlain(pattern)),
    match: (part, isFile, { timed = true } = {}) => {
      const isOf = (globs: readonly string[]): boolean =>
        globs.length === 0 || (part.path !== undefined && isFile(part.path, globs));
      const isInScope = ({ kind, tool, globs }: Scope): boolean =>
        kind === part.kind && (tool === undefined || tool === part.tool) && isOf(globs);
      /** The answer of what the files of a rule say, unless it takes too long. */
      const unlessSlow = <T>(source: string, what: string, look: () => T): T | undefined => {
        if (slow.has(keyOf(source))) return undefined;
        try {
          return timed ? inTime(look) : look();
        } catch (error) {
          if (codeOf(error) !== 'too_slow') throw error;
          slow.add(keyOf(source));
          warn(
            `${rule.path}: ${what} of the rule ${rule.name} takes too long, and looks at nothing more in this run; a repetition within a repetition, as in (a+)+, does that: write it without`,
          );
          return undefined;
        }
      };
      const isWatched = (): boolean => isOf(rule.globs) && (scopes.length === 0 || scopes.some(isInScope));
      if (unlessSlow('', 'what names the files', isWatched) !== true) return undefined;
      for (const condition of conditions) {
        const { globs, source } = condition;
        const counts = (): boolean =>
          globs.length === 0 || (part.kind === 'tool' && changesFiles.has(part.tool ?? '') && isOf(globs));
        const look = (): string | undefined => (counts() ? matchIn(part, condition) : undefined);
        const found = unlessSlow(source, `the condition ${JSON.stringify(source)}`, look);
        if (found !== undefined) return found;
      }
      return undefined;
    },
  };
}

const late = (): Error => new KernError('too_slow', 'the look takes too long');

/** Nothing in it repeats, and nothing is tried in more than one way within another. */
const isPlain = ({ source }: RegExp): boolean => !/[*+?{(]/.test(source);

/** What a regular expression of a file costs is known when it has run: it is broken off where it does not end. */
function inTime<T>(look: () => T): T {
  const [first, again] = patience;
  try {
    return brokenOff(first, look, late);
  } catch (error) {
    if (codeOf(error) !== 'too_slow') throw error;
    return brokenOff(again, look, late);
  }
}

/** `lastIndex` rather than a part of the text: `^` is its beginning, wherever the look starts. */
function matchIn({ written, looked = 0 }: Part, { pattern }: Condition): string | undefined {
  pattern.lastIndex = Math.max(0, looked - overlap);
  return pattern.exec(written)?.[0];
}

const changesFiles: ReadonlySet<string> = new Set(['edit', 'write']);

interface Condition {
  readonly pattern: RegExp;
  /** Of a condition that is a glob: any change of such a file. */
  readonly globs: readonly string[];
}

/** `(?i)foo` has its flags in front, as other languages write them; `*.rs` is a glob. */
function conditionOf(source: string): Condition | { readonly problem: string } {
  const [, flags = '', pattern = source] = /^\(\?([ims]+)\)([\s\S]*)$/.exec(source) ?? [];
  if (/^\*{1,2}(?:\/|\.)[^()|\\]*$/.test(source)) return { pattern: /^/g, globs: [source] };
  try {
    return { pattern: new RegExp(pattern, `${flags}g`), globs: [] };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

interface Scope {
  readonly kind: string;
  readonly tool: string | undefined;
  readonly globs: readonly string[];
}

/** `text`, `thinking`, `tool`, `tool:edit` or `tool:edit(*.ts)`. */
function scopeOf(token: string): Scope {
  const [, kind = token, tool, glob] = /^(\w+)(?::([^(]+)(?:\((.*)\))?)?$/.exec(token) ?? [];
  return { kind, tool, globs: glob === undefined ? [] : [glob] };
}
