import { readFileSync, statSync } from 'node:fs';
import { messageOf } from 'kern/plugin';
import { z } from 'zod';
import { ModelError } from './bridge/failure.ts';

const count = z.number().int().nonnegative();
const pieces = z.union([z.string(), z.array(z.string())]);

const expectation = z.strictObject({
  tools: z.array(z.string()).optional(),
  noTools: z.array(z.string()).optional(),
  last: z.string().optional(),
  toolResult: z
    .array(
      z.strictObject({ tool: z.string().optional(), contains: z.string().optional(), isError: z.boolean().optional() }),
    )
    .optional(),
  system: z.string().optional(),
});

const call = z.strictObject({
  name: z.string().min(1),
  /** A text is sent as it is, also when it is no JSON. */
  args: z.union([z.record(z.string(), z.unknown()), z.string()]).default({}),
  id: z.string().min(1).optional(),
  split: z.number().int().positive().default(1),
});

const failure = z.union(
  [
    z.strictObject({
      status: z.number().int().min(400).max(599),
      body: z.string().default(''),
      retryAfter: z.number().nonnegative().optional(),
    }),
    z.strictObject({ disconnect: z.enum(['before', 'mid', 'after']) }),
    z.strictObject({ stall: z.literal(true) }),
  ],
  { error: 'expected {status: 400 to 599, body, retryAfter}, {disconnect: before, mid or after} or {stall: true}' },
);

const turn = z
  .strictObject({
    expect: expectation.default({}),
    reasoning: pieces.optional(),
    text: pieces.optional(),
    chunk: z.number().int().positive().default(20),
    delayMs: z.number().nonnegative().max(600_000).default(0),
    calls: z.array(call).default([]),
    usage: z
      .strictObject({
        input: count.default(0),
        output: count.default(0),
        cacheRead: count.default(0),
        cacheWrite: count.default(0),
        reasoning: count.default(0),
      })
      .prefault({}),
    stop: z.enum(['stop', 'length', 'toolUse', 'refusal']).optional(),
    error: failure.optional(),
  })
  .refine(
    ({ error, text, reasoning, calls }) =>
      !(error !== undefined && 'status' in error) ||
      (text === undefined && reasoning === undefined && calls.length === 0),
    {
      path: ['error'],
      error: 'a turn that fails with a status says nothing: leave out text, reasoning and calls, or use disconnect',
    },
  );

const script = z.strictObject({
  version: z.literal(1),
  model: z
    .strictObject({
      contextWindow: z.number().int().positive().default(200_000),
      reasoning: z.boolean().default(false),
    })
    .prefault({}),
  turns: z.array(turn),
  repeat: z.literal('last').optional(),
});

/** A script as it is used: everything that can be left out is there. */
export type Script = z.output<typeof script>;

/** A script as it is written. */
export type ScriptSource = z.input<typeof script>;
export type ScriptTurn = z.input<typeof turn>;

const sizeLimit = 16 * 1024 * 1024;
const turnKeys =
  'a turn has expect, reasoning, text, chunk, delayMs, calls, usage, stop and error; docs: the scripted model';

/** Reads a script. What is wrong with it is said with file, line and place. `shown` names the file in messages. */
export async function readScript(path: string, shown: string): Promise<Script> {
  return parseScript(readText(path, shown), shown);
}

function readText(path: string, shown: string): string {
  try {
    const found = statSync(path);
    if (!found.isFile()) throw invalid(`${shown} is no file`, 'a script is a YAML or JSON file');
    if (found.size > sizeLimit) throw invalid(`${shown} has ${found.size} bytes; a script has at most ${sizeLimit}`);
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof ModelError) throw error;
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'ENOENT' && code !== 'ENOTDIR')
      throw invalid(`the script ${shown} cannot be read: ${messageOf(error)}`);
    throw invalid(
      `the script ${shown} is not there (looked for ${path})`,
      '`--model script/<path>` is relative to the working folder; an absolute path makes two slashes: `script//tmp/a.yml`',
    );
  }
}

export async function parseScript(text: string, shown: string): Promise<Script> {
  const parsed = script.safeParse(quickly(text) ?? (await fromYaml(text, shown)));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = (issue?.path ?? [])
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
  const keys = issue?.code === 'unrecognized_keys' ? issue.keys : [];
  const line = await lineOf(text, [...(issue?.path ?? []), ...keys.slice(0, 1)]);
  const what = (issue?.message ?? 'is no script').replace(/^Invalid input: /, '');
  throw invalid(`${shown}:${line}: ${place === '' ? '' : `${place}: `}${what}`, turnKeys);
}

/** JSON needs no YAML parser, which takes 30 ms to load. */
function quickly(text: string): unknown {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // perhaps YAML in braces; its parser says what is wrong
  }
}

async function fromYaml(text: string, shown: string): Promise<unknown> {
  const { parseDocument } = await import('yaml');
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error !== undefined)
    throw invalid(
      `${shown}:${error.linePos?.[0].line ?? 1}: ${error.message.split('\n')[0]?.replace(/ at line \d+.*$/, '')}`,
      'a script is YAML or JSON',
    );
  try {
    return document.toJS() ?? {};
  } catch (error) {
    throw invalid(`${shown}: ${messageOf(error)}`); // more aliases than the parser allows
  }
}

/** The line of a place in the file; of what is around it where it is missing. */
async function lineOf(text: string, place: readonly PropertyKey[]): Promise<number> {
  const { parseDocument, LineCounter, isMap, isScalar, isSeq } = await import('yaml');
  const lines = new LineCounter();
  let node: unknown = parseDocument(text, { lineCounter: lines }).contents;
  let offset = 0;
  for (const part of place) {
    const pair = isMap(node) ? node.items.find(({ key }) => isScalar(key) && key.value === part) : undefined;
    const at: unknown = pair === undefined ? (isSeq(node) ? node.items[Number(part)] : undefined) : pair.key;
    if (at === undefined) break;
    offset = startOf(at) ?? offset;
    node = pair === undefined ? at : pair.value;
  }
  return lines.linePos(offset).line;
}

function startOf(node: unknown): number | undefined {
  const range = typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined;
  return Array.isArray(range) && typeof range[0] === 'number' ? range[0] : undefined;
}

function invalid(message: string, hint?: string): ModelError {
  return new ModelError('script_invalid', message, { hint });
}
