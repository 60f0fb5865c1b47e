import { decide, defineService, event } from 'kern/plugin';
import { z } from 'zod';
import type { Effect } from '../tools/contract.ts';

/** plan: only reading. ask: a person is asked before a change. edits: files may change, the rest asks. all: nothing asks. */
export const permissionModes = ['plan', 'ask', 'edits', 'all'] as const;
export type PermissionMode = (typeof permissionModes)[number];

export interface PermissionVerdict {
  readonly verdict: 'allow' | 'ask' | 'deny';
  /** The rule or mode that decided. */
  readonly rule: string;
  readonly reasons: readonly string[];
}

export interface PermissionQuestion {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly effects: readonly Effect[];
  readonly cwd: string;
}

export interface Permissions {
  readonly mode: PermissionMode;
  /** What would happen, without asking anyone. */
  judge(question: PermissionQuestion): PermissionVerdict;
}

/** Says what would happen to a call, without asking anyone. */
export const permissions = defineService<Permissions>({ id: 'permissions', level: 'builtin' });

/** Answers instead of the person. From a project only a refusal counts. */
export const permissionAsk = decide<
  PermissionQuestion & { readonly reasons: readonly string[] },
  { readonly verdict: 'allow' | 'deny'; readonly reason?: string }
>({
  id: 'permission.ask',
  answer: z.object({
    verdict: z.enum(['allow', 'deny']),
    reason: z.string().optional(),
  }) as unknown as import('kern/plugin').Schema<{ readonly verdict: 'allow' | 'deny'; readonly reason?: string }>,
  onlyFrom: { levels: ['builtin', 'user', 'session'], when: (answer) => answer.verdict === 'allow' },
});
/** A call was allowed or refused, and why. */
export const permissionDecided = event<{
  readonly tool: string;
  readonly verdict: 'allow' | 'deny';
  readonly reason: string;
}>({ id: 'permission.decided' });
