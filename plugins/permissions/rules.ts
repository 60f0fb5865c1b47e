import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import type { Effect, PermissionQuestion } from 'kern/contracts';
import { plainWords, possibleCommands } from './command.ts';
import type { Executables } from './executables.ts';
import { pathGlob, textGlob } from './glob.ts';
import { canonical, isWithin, slashed } from './paths.ts';

export type RuleVerdict = 'allow' | 'ask' | 'deny';

/** `deny: "bash(git push *)"`. `name` is a tool or a kind of effect; without `argument` it speaks of all it does. */
export interface Rule {
  readonly verdict: RuleVerdict;
  readonly name: string;
  readonly argument: string | undefined;
  /** As written, for messages. */
  readonly text: string;
}

/** Where rules are read from: patterns are relative to the root. */
export interface Places {
  /** Canonical. */
  readonly root: string;
  /** KERN_HOME, canonical. */
  readonly kernHome: string;
  /** What agents would run, from the tables of the providers. */
  readonly executables?: Executables;
}

/** A rule from its text; undefined when it is none. */
export function parseRule(verdict: RuleVerdict, text: string): Rule | undefined {
  const match = /^\s*([\w*-]+)\s*(?:\((.*)\))?\s*$/s.exec(text);
  const [, name, argument] = match ?? [];
  if (name === undefined) return undefined;
  return { verdict, name, argument: argument?.trim(), text: `${verdict} ${text.trim()}` };
}

/** Whether a rule speaks of an effect. A rule that allows must be sure; one that asks or denies need only suspect. */
export function matches(rule: Rule, effect: Effect, question: PermissionQuestion, places: Places): boolean {
  if (!isNamed(rule, effect, question.tool)) return false;
  const { argument } = rule;
  if (argument === undefined || argument === '' || argument === '*' || argument === '**') return true;
  switch (effect.kind) {
    case 'read':
    case 'write':
    case 'delete':
      return matchesPath(rule, argument, effect.path, places);
    case 'run':
      return rule.verdict === 'allow' ? isPlainRun(argument, effect, question, places) : maybeRuns(argument, effect);
    case 'network':
      return matchesHost(argument, effect);
    case 'mcp':
      return textGlob(argument)(`${effect.server}/${effect.tool}`);
    case 'spawn':
      return textGlob(argument)(effect.agent);
    case 'everything':
      return rule.verdict !== 'allow' && stringsOf(question.args).some(textGlob(argument));
  }
}

function isNamed(rule: Rule, effect: Effect, tool: string): boolean {
  if (textGlob(rule.name)(tool) || rule.name === effect.kind) return true;
  if (effect.kind === 'run') return effect.shell === rule.name;
  // To take a file away is to change it; leave to write one is not leave to remove it.
  return rule.verdict !== 'allow' && effect.kind === 'delete' && rule.name === 'write';
}

function matchesPath(rule: Rule, pattern: string, path: string, { root }: Places): boolean {
  const isMatch = pathGlob(slashed(absolutePattern(pattern, root)));
  const real = canonical(path);
  if (real !== undefined && isMatch(slashed(real))) return true;
  return rule.verdict !== 'allow' && isMatch(slashed(path));
}

/** A pattern without a slash speaks of names at any depth; one that ends in a slash of all that is inside. */
function absolutePattern(pattern: string, root: string): string {
  const inside = /[\\/]$/.test(pattern) ? `${pattern}**` : pattern;
  if (inside.startsWith('~/')) return throughLinks(join(homedir(), inside.slice(2)));
  if (isAbsolute(inside)) return throughLinks(inside);
  const below = inside.startsWith('./') ? inside.slice(2) : inside;
  return join(root, /[\\/]/.test(inside) ? below : join('**', below));
}

/** The part of a pattern before its first wildcard is a place, and may lead through links as any other. */
function throughLinks(pattern: string): string {
  const at = pattern.search(/[*?]/);
  if (at === -1) return canonical(pattern) ?? pattern;
  const place = dirname(`${pattern.slice(0, at)}x`);
  return join(canonical(place) ?? place, pattern.slice(place.length));
}

type Run = Extract<Effect, { kind: 'run' }>;

/** Every word is known, nothing else runs, and it runs where and as the person would expect. */
function isPlainRun(pattern: string, effect: Run, question: PermissionQuestion, { root }: Places): boolean {
  const { env } = question.args;
  if (typeof env === 'object' && env !== null && Object.keys(env).length > 0) return false;
  const cwd = canonical(effect.cwd);
  if (cwd === undefined || !isWithin(cwd, root)) return false;
  const words = effect.command === undefined ? effect.argv : plainWords(effect.command);
  if (words === undefined || words.length === 0) return false;
  const wanted = pattern.split(/\s+/);
  const isOpen = wanted.at(-1) === '*';
  const fixed = isOpen ? wanted.slice(0, -1) : wanted;
  if (isOpen ? words.length < fixed.length : words.length !== fixed.length) return false;
  return fixed.every((want, index) => textGlob(want)(words[index] ?? ''));
}

function maybeRuns(pattern: string, effect: Run): boolean {
  const lines = [
    ...(effect.command === undefined ? [] : possibleCommands(effect.command)),
    ...(effect.argv === undefined ? [] : possibleCommands(effect.argv.join(' '))),
  ];
  const text = pattern.replace(/\s+/g, ' ');
  const isMatch = textGlob(text);
  const bare = text.endsWith(' *') ? text.slice(0, -2) : undefined;
  return lines.some((line) => isMatch(line) || line === bare);
}

/** Hosts are compared without case and without the dot that ends a full name. */
function matchesHost(pattern: string, { host, port }: Extract<Effect, { kind: 'network' }>): boolean {
  const plain = host.toLowerCase().replace(/\.$/, '');
  const isMatch = textGlob(pattern.toLowerCase());
  return isMatch(plain) || (port !== undefined && isMatch(`${plain}:${port}`));
}

function stringsOf(value: unknown, depth = 0): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || depth > 8) return [];
  return Object.values(value).flatMap((part) => stringsOf(part, depth + 1));
}
