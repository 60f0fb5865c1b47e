import { type PermissionMode, permissionModes } from 'kern/contracts';
import { KernError } from 'kern/plugin';
import { z } from 'zod';
import type { Policy } from './judge.ts';
import { parseRule, type Rule, type RuleVerdict } from './rules.ts';

export interface Settings {
  readonly policy: Policy;
  /** The mode was given for this run, so it is obeyed as written. */
  readonly isExplicit: boolean;
}

const verdicts = ['deny', 'ask', 'allow'] as const;
const ruleSchema = z
  .record(z.string(), z.string())
  .refine(
    (rule) => Object.keys(rule).length === 1 && verdicts.includes(Object.keys(rule)[0] as RuleVerdict),
    'a rule is one of { deny: … }, { ask: … }, { allow: … }',
  )
  .refine(
    (rule) => Object.values(rule).every((text) => parseRule('deny', text) !== undefined),
    'a rule reads name or name(pattern), such as "bash(git push *)"',
  );

const modeSchema = z.enum(permissionModes);
const rulesSchema = z.array(ruleSchema);

/**
 * The policy from the settings `permissions` and what a flag or the environment says of its parts. Throws
 * `permissions_invalid`: with half of its rules a policy is another policy.
 */
export function readSettings(setting: (key: string) => unknown): Settings {
  const whole = setting('permissions');
  const part = (name: string): unknown =>
    setting(`permissions.${name}`) ??
    (typeof whole === 'object' && whole !== null ? (whole as Record<string, unknown>)[name] : undefined);
  const mode = part('mode');
  return {
    policy: { mode: mode === undefined ? 'ask' : parseMode(mode), rules: parseRules(part('rules') ?? []) },
    isExplicit: setting('permissions.modeIsExplicit') === true,
  };
}

function parseMode(value: unknown): PermissionMode {
  const parsed = modeSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw invalid(`mode ${JSON.stringify(value)} is none of ${permissionModes.join(', ')}`);
}

function parseRules(value: unknown): readonly Rule[] {
  const parsed = rulesSchema.safeParse(value);
  if (!parsed.success)
    throw invalid(parsed.error.issues.map(({ path, message }) => `rules.${path.join('.')}: ${message}`).join('; '));
  return parsed.data.flatMap((rule) =>
    Object.entries(rule).flatMap(([verdict, text]) => {
      const made = parseRule(verdict as RuleVerdict, text);
      return made === undefined ? [] : [made];
    }),
  );
}

function invalid(what: string): KernError {
  return new KernError('permissions_invalid', `the permissions setting is not valid: ${what}`, {
    hint: 'correct it under `permissions` in the config; until then every call is refused',
  });
}
