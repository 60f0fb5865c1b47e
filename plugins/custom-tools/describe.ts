import { processes } from 'kern/contracts';
import { type Context, codeOf, KernError, messageOf, type SpawnResult } from 'kern/plugin';
import { z } from 'zod';
import type { CustomToolOrigin, ProgramDescription } from './contract.ts';

const schema = z.object({
  name: z
    .string()
    .regex(/^[a-zA-Z0-9_-]{1,64}$/, '1 to 64 letters, digits, _ or -')
    .optional(),
  description: z.string().min(1),
  parameters: z
    .record(z.string(), z.unknown())
    .refine((value) => value.type === undefined || value.type === 'object', 'type is object')
    .optional(),
  timeoutMs: z.int().positive().optional(),
  annotations: z
    .object({ readOnly: z.boolean().optional(), destructive: z.boolean().optional(), title: z.string().optional() })
    .optional(),
});

/** Runs a program with `--describe`, and takes what it prints. */
export async function describe(
  ctx: Context,
  { path }: CustomToolOrigin,
  timeoutMs: number,
): Promise<ProgramDescription> {
  const failed = (why: string, cause?: unknown): KernError =>
    new KernError('tool_not_described', `${path} --describe ${why}`, {
      hint: 'it prints JSON such as {"description": "…", "parameters": {"type": "object", "properties": {}}}',
      ...(cause === undefined ? {} : { cause }),
    });
  await ctx.use(processes).load();
  let ended: SpawnResult;
  try {
    const options = { cwd: ctx.where.root, timeoutMs, keepBytes: 256 * 1024, label: `${path} --describe` };
    ended = await ctx.spawn(path, ['--describe'], options).result;
  } catch (error) {
    throw notStarted(path, error);
  }
  if (ended.timedOut) throw failed(`did not end within ${timeoutMs} ms`);
  if (ended.exitCode !== 0) throw failed(`ended with ${exitOf(ended)}${said(ended.stderr)}`);
  let answer: unknown;
  try {
    answer = JSON.parse(ended.stdout);
  } catch (error) {
    throw failed(`printed no JSON: ${messageOf(error)}`, error);
  }
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data as ProgramDescription;
  throw failed(
    `printed what describes no tool: ${parsed.error.issues.map(({ path: at, message }) => `${at.join('.') || 'it'}: ${message}`).join('; ')}`,
  );
}

/** A program that cannot be started, in words that help. */
export function notStarted(path: string, error: unknown): KernError {
  const isForbidden = codeOf(error) === 'EACCES' || /EACCES/.test(messageOf(error));
  return new KernError('tool_not_started', `${path} cannot be started: ${messageOf(error)}`, {
    cause: error,
    hint: isForbidden ? `chmod +x ${path}` : 'a program begins with a line such as #!/bin/sh',
  });
}

export const exitOf = ({ exitCode, signal }: SpawnResult): string =>
  exitCode === undefined ? `the signal ${signal ?? 'unknown'}` : `the exit code ${exitCode}`;

/** The last line of what it had to say. */
const said = (stderr: string): string => {
  const last = stderr.trim().split('\n').at(-1) ?? '';
  return last === '' ? '' : `: ${last.slice(0, 300)}`;
};
