import { basename, dirname, join, relative } from 'node:path';
import type { Effect, PermissionMode, PermissionQuestion, PermissionVerdict } from 'kern/contracts';
import { otherName } from './other-names.ts';
import { canonical, isWithin } from './paths.ts';
import { protectedPart } from './protected.ts';
import { protectedRead } from './protected-reads.ts';
import { matches, type Places, type Rule } from './rules.ts';
import { mayWrite } from './run-writes.ts';
import { visible } from './words.ts';

export interface Policy {
  readonly mode: PermissionMode;
  readonly rules: readonly Rule[];
}

interface Judged {
  readonly verdict: PermissionVerdict['verdict'];
  readonly rule: string;
  readonly reason: string;
}

/**
 * What would happen to a call: each of its effects is judged, and the hardest verdict counts. A rule that denies comes
 * before one that asks, and that before one that allows; then the mode decides.
 */
export function judge(question: PermissionQuestion, policy: Policy, places: Places): PermissionVerdict {
  const judged = question.effects.map((effect) => judgeEffect(effect, question, policy, places));
  for (const verdict of ['deny', 'ask'] as const) {
    const hit = judged.filter((one) => one.verdict === verdict);
    if (hit[0] !== undefined)
      return { verdict, rule: hit[0].rule, reasons: [...new Set(hit.map(({ reason }) => reason))] };
  }
  const [first] = judged;
  return {
    verdict: 'allow',
    rule: first?.rule ?? `mode ${policy.mode}`,
    reasons: [...new Set(judged.map(({ reason }) => reason))],
  };
}

function judgeEffect(effect: Effect, question: PermissionQuestion, { mode, rules }: Policy, places: Places): Judged {
  const reason = describe(effect, places);
  const rule = (verdict: Rule['verdict']): Rule | undefined =>
    rules.find((one) => one.verdict === verdict && matches(one, effect, question, places));
  const deny = rule('deny');
  if (deny !== undefined) return { verdict: 'deny', rule: deny.text, reason };
  if (mode === 'all') return { verdict: 'allow', rule: 'mode all', reason };
  if (effect.kind !== 'read' && mode === 'plan') return { verdict: 'deny', rule: 'mode plan', reason };
  const ask = rule('ask');
  if (ask !== undefined) return { verdict: 'ask', rule: ask.text, reason };
  const guarded = protectedBy(effect, places);
  const allow = rules.find(
    (one) => one.verdict === 'allow' && matches(one, effect, question, places) && namesProtected(one, guarded),
  );
  if (allow !== undefined) return { verdict: 'allow', rule: allow.text, reason };
  if (guarded !== undefined) return { verdict: 'ask', rule: `${guarded} is protected`, reason };
  return { verdict: allowedByMode(effect, mode, places) ? 'allow' : 'ask', rule: `mode ${mode}`, reason };
}

/** A broad rule does not open what is protected; the rule has to name it, or be about this one thing. */
const namesProtected = ({ argument = '' }: Rule, guarded: string | undefined): boolean =>
  guarded === undefined || argument.includes(guarded) || (argument !== '' && !/[*?]/.test(argument));

function protectedBy(effect: Effect, places: Places): string | undefined {
  switch (effect.kind) {
    case 'read':
      return (
        protectedRead(canonical(effect.path) ?? effect.path, places.kernHome) ??
        protectedRead(effect.path, places.kernHome)
      );
    case 'write':
    case 'delete':
      return protectedWrite(effect.path, places);
    case 'run':
      return mayWrite(effect)
        .map((path) => protectedWrite(path, places))
        .find((part) => part !== undefined);
    default:
      return undefined;
  }
}

/** Both what was said and where it leads, and what else it is called: a link called `.git` is no better than the folder. */
function protectedWrite(path: string, places: Places): string | undefined {
  const { kernHome, executables } = places;
  const real = canonical(path);
  return (
    (real === undefined ? undefined : protectedPart(real, kernHome, executables)) ??
    protectedPart(path, kernHome, executables) ??
    (real === undefined ? undefined : otherName(real, places))
  );
}

function allowedByMode(effect: Effect, mode: PermissionMode, { root }: Places): boolean {
  if (effect.kind === 'read') return true;
  if (mode !== 'edits' || (effect.kind !== 'write' && effect.kind !== 'delete')) return false;
  const real = canonical(effect.path);
  return real !== undefined && isWithin(real, root);
}

/** An effect in words, with what it really reaches. */
function describe(effect: Effect, places: Places): string {
  switch (effect.kind) {
    case 'read':
      return `reads ${placeOf(effect.path, places)}`;
    case 'write':
      return `writes ${placeOf(effect.path, places)}`;
    case 'delete':
      return `deletes ${placeOf(effect.path, places)}`;
    case 'run':
      return `runs ${visible(effect.command ?? effect.argv?.join(' ') ?? 'a program')}`;
    case 'network':
      return `connects to ${visible(effect.host)}${effect.port === undefined ? '' : `:${effect.port}`}`;
    case 'mcp':
      return `calls ${visible(`${effect.server}/${effect.tool}`)}`;
    case 'spawn':
      return `starts the agent ${visible(effect.agent)}`;
    case 'everything':
      return 'does not say what it does';
  }
}

function placeOf(path: string, { root }: Places): string {
  const real = canonical(path) ?? path;
  if (isWithin(real, root)) return visible(relative(root, real) || '.');
  const asGiven = join(canonical(dirname(path)) ?? dirname(path), basename(path));
  return `${visible(real)} (outside the project${asGiven === real ? '' : ', through a link'})`;
}
