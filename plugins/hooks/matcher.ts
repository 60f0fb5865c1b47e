import type { HookItem } from 'kern/contracts';
import { allNames, toolNameIn } from './tool-names.ts';

/** Whether the matcher of a hook means a tool. Throws where it is no regular expression. */
export function matchesTool({ matcher, dialect }: Pick<HookItem, 'matcher' | 'dialect'>, tool: string): boolean {
  if (isAll(matcher)) return true;
  const names = allNames(tool);
  // Names that stand for themselves may be those of any neighbour.
  const words = wordsOf(matcher);
  if (words.some((word) => names.has(word))) return true;
  if (words.length > 0 && isPlain(matcher)) return false;
  return said(dialect, tool).some((name) => expression(matcher, dialect).test(name));
}

/** Whether the matcher of a hook means this: the source of a session, the trigger of a compaction. */
export function matchesText({ matcher, dialect }: Pick<HookItem, 'matcher' | 'dialect'>, text: string): boolean {
  if (isAll(matcher)) return true;
  return isPlain(matcher) ? wordsOf(matcher).includes(text) : expression(matcher, dialect).test(text);
}

const isAll = (matcher: string): boolean => matcher.trim() === '' || matcher.trim() === '*';
/** Letters, digits, `_`, `-` and `|`: names, and no pattern over them. */
const isPlain = (matcher: string): boolean => /^[\w\s:|-]+$/.test(matcher);

/** Alternatives that are names: in `Bash|mcp__.*` that is `Bash`. Inside of groups they may mean anything. */
function wordsOf(matcher: string): readonly string[] {
  const isFlat = !/[()[\]\\^]/.test(matcher);
  return isFlat ? matcher.split('|').flatMap((word) => (isPlain(word.trim()) ? [word.trim()] : [])) : [];
}

/** What a pattern is held against: the name its author knows. */
function said(dialect: HookItem['dialect'], tool: string): readonly string[] {
  // A file without a dialect is kern's own: its author may know either name.
  if (dialect === undefined) return [toolNameIn('claude', tool), tool];
  return [toolNameIn(dialect, tool)];
}

/** Anywhere in the name, as the Claude dialect has it. With two names for one tool case does not count: `^(?!bash)` leaves out both. */
function expression(matcher: string, dialect: HookItem['dialect']): RegExp {
  return new RegExp(matcher, dialect === undefined ? 'i' : '');
}

/** `Bash(git *)`: the tool, and what its main argument looks like. */
export function matchesCall(when: string, tool: string, args: Readonly<Record<string, unknown>>): boolean {
  return splitRules(when).some((rule) => {
    const [, name = rule, pattern] = /^([^()]+?)(?:\((.*)\))?$/s.exec(rule) ?? [];
    if (!allNames(tool).has(name.trim()) && name.trim() !== '*') return false;
    return pattern === undefined || pattern === '*' || texts(args).some((text) => likes(pattern, text));
  });
}

/** `Bash(git *) | Write(*.ts)`, or with commas. */
const splitRules = (when: string): readonly string[] =>
  when
    .split(/(?<=\))\s*[|,]\s*|\s*\|\s*(?=[A-Z*])/)
    .map((rule) => rule.trim())
    .filter((rule) => rule !== '');

/** What a rule looks at: the command and each of its parts, the path, the address. */
function texts({ command, path, url, pattern, query }: Readonly<Record<string, unknown>>): readonly string[] {
  const said = [command, path, url, pattern, query].filter((one) => typeof one === 'string');
  const parts = typeof command === 'string' ? command.split(/&&|\|\||[;|\n]/).map((part) => part.trim()) : [];
  return [...said, ...parts];
}

/** `git *` also means `git` alone, and `git:*` is how it was written before. */
function likes(pattern: string, text: string): boolean {
  const glob = pattern.replace(/:\*$/, ' *');
  const source = glob
    .split('*')
    .map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*')
    .replace(/ \.\*$/, '(?: .*)?');
  return new RegExp(`^${source}$`, 's').test(text.trim());
}
