import type { Rule } from 'kern/contracts';
import { messageOf } from 'kern/plugin';

/** A part of a reply while it is written. */
export interface Part {
  readonly kind: 'text' | 'thinking' | 'tool';
  /** Of a call: the tool. */
  readonly tool?: string;
  /** Of a call: the file it is about, as soon as it is known. */
  readonly path?: string;
  readonly written: string;
}

/** A rule that watches what is written. */
export interface Watch {
  readonly rule: Rule;
  /** What matched. */
  match(part: Part, isFile: (path: string, globs: readonly string[]) => boolean): string | undefined;
}

/** The watch of a rule; what of it can never match is told to `warn`. */
export function watchOf(rule: Rule, warn: (why: string) => void): Watch {
  const conditions = rule.condition.flatMap((source) => {
    const condition = conditionOf(source);
    if (!('problem' in condition)) return [condition];
    warn(`${rule.path}: the condition ${JSON.stringify(source)} is no regular expression: ${condition.problem}`);
    return [];
  });
  const scopes = rule.scope.map(scopeOf);
  return {
    rule,
    match: (part, isFile) => {
      const isOf = (globs: readonly string[]): boolean =>
        globs.length === 0 || (part.path !== undefined && isFile(part.path, globs));
      if (!isOf(rule.globs)) return undefined;
      const isInScope = ({ kind, tool, globs }: Scope): boolean =>
        kind === part.kind && (tool === undefined || tool === part.tool) && isOf(globs);
      if (scopes.length > 0 && !scopes.some(isInScope)) return undefined;
      for (const { pattern, globs } of conditions) {
        if (globs.length > 0 && !(part.kind === 'tool' && changesFiles.has(part.tool ?? '') && isOf(globs))) continue;
        const found = pattern.exec(part.written);
        if (found !== null) return found[0];
      }
      return undefined;
    },
  };
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
  if (/^\*{1,2}(?:\/|\.)[^()|\\]*$/.test(source)) return { pattern: /^/, globs: [source] };
  try {
    return { pattern: new RegExp(pattern, flags), globs: [] };
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
