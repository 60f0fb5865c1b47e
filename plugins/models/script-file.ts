import { readFileSync, statSync } from 'node:fs';
import { messageOf } from 'kern/plugin';
import { ModelError, refusalCodes } from './bridge/failure.ts';
import type { ModelErrorCode } from './contract.ts';
import {
  amount,
  either,
  expected,
  fields,
  flag,
  isMap,
  listOf,
  Misfit,
  mapOf,
  may,
  must,
  name,
  oneOf,
  or,
  type Place,
  placeName,
  shape,
  text,
  whole,
} from './shape.ts';

/** A script as it is written: the scripted model's file. */
export interface ScriptSource {
  readonly version: 1;
  readonly model?: { readonly contextWindow?: number; readonly reasoning?: boolean };
  /** One request takes one turn. */
  readonly turns: readonly ScriptTurn[];
  /** One request for a summary takes one; after the last one, and without any, a summary is a sentence that says nothing. */
  readonly summaries?: readonly ScriptTurn[];
  /** What follows the last turn. Default: the error `script exhausted`. */
  readonly repeat?: 'last';
}

export interface ScriptTurn {
  /** What the request has to hold. A text between slashes is a regular expression. */
  readonly expect?: {
    readonly tools?: readonly string[];
    readonly noTools?: readonly string[];
    /** In the last message. */
    readonly last?: string;
    /** Each in some result of the request. */
    readonly toolResult?: readonly { readonly tool?: string; readonly contains?: string; readonly isError?: boolean }[];
    /** In the system prompt, or in an announcement that followed it. */
    readonly system?: string;
  };
  readonly reasoning?: string | readonly string[];
  /** A list is the deltas. */
  readonly text?: string | readonly string[];
  /** Characters a delta, where the text is no list. Default 20. */
  readonly chunk?: number;
  /** Between deltas. */
  readonly delayMs?: number;
  readonly calls?: readonly ScriptCall[];
  /** In the place of reasoning, text and calls, where they come in another order. */
  readonly content?: readonly ScriptBlock[];
  readonly usage?: {
    readonly input?: number;
    readonly output?: number;
    readonly cacheRead?: number;
    readonly cacheWrite?: number;
    readonly reasoning?: number;
  };
  readonly stop?: 'stop' | 'length' | 'toolUse' | 'refusal';
  readonly error?: ScriptFailure;
}

/** `args` that are a text are sent as they are, also when they are no JSON. `split`: in how many deltas. */
export interface ScriptCall {
  readonly name: string;
  readonly args?: Readonly<Record<string, unknown>> | string;
  readonly id?: string;
  readonly split?: number;
}

export type ScriptBlock =
  | { readonly reasoning: string | readonly string[] }
  | { readonly text: string | readonly string[] }
  | { readonly call: ScriptCall };

/** How a turn fails: refused by a status, cut off at some point, or silent after what it says. */
export type ScriptFailure =
  | { readonly status: number; readonly body?: string; readonly retryAfter?: number; readonly code?: ModelErrorCode }
  | { readonly disconnect: 'before' | 'mid' | 'after' }
  | { readonly stall: true };

const pieces = either<string | readonly string[]>([text, listOf(text)], (value) =>
  Array.isArray(value) ? listOf(text) : text,
);
const args = either<string | Readonly<Record<string, unknown>>>([fields, text], (value) =>
  typeof value === 'string' ? text : fields,
);

const expectation = mapOf({
  tools: may(listOf(text)),
  noTools: may(listOf(text)),
  last: may(text),
  toolResult: may(listOf(mapOf({ tool: may(text), contains: may(text), isError: may(flag) }))),
  system: may(text),
});

const call = mapOf({ name: must(name), args: or(args, {}), id: may(name), split: or(whole(1), 1) });

const refusal = mapOf({
  status: must(whole(400, 599)),
  body: or(text, ''),
  retryAfter: may(amount(0)),
  code: may(oneOf(...refusalCodes)),
});
const cut = mapOf({ disconnect: must(oneOf('before', 'mid', 'after')) });
const stall = mapOf({ stall: must(oneOf(true)) });

type Failure = ReturnType<typeof refusal> | ReturnType<typeof cut> | ReturnType<typeof stall>;

const failure = either<Failure>([refusal, cut, stall], (value, place) => {
  if (isMap(value) && 'status' in value) return refusal;
  if (isMap(value) && 'disconnect' in value) return cut;
  if (isMap(value) && 'stall' in value) return stall;
  throw expected(place, '{status, body, retryAfter}, {disconnect: before, mid or after} or {stall: true}', value);
});

const reasoningBlock = mapOf({ reasoning: must(pieces) });
const textBlock = mapOf({ text: must(pieces) });
const callBlock = mapOf({ call: must(call) });

type Block = ReturnType<typeof reasoningBlock> | ReturnType<typeof textBlock> | ReturnType<typeof callBlock>;

const block = either<Block>([reasoningBlock, textBlock, callBlock], (value, place) => {
  if (isMap(value) && 'reasoning' in value) return reasoningBlock;
  if (isMap(value) && 'text' in value) return textBlock;
  if (isMap(value) && 'call' in value) return callBlock;
  throw expected(place, '{reasoning}, {text} or {call}', value);
});

const count = or(whole(0), 0);
const usage = mapOf({ input: count, output: count, cacheRead: count, cacheWrite: count, reasoning: count });
const model = mapOf({ contextWindow: or(whole(1), 200_000), reasoning: or(flag, false) });

const turnParts = mapOf({
  expect: or(expectation, expectation({}, [])),
  reasoning: may(pieces),
  text: may(pieces),
  chunk: or(whole(1), 20),
  delayMs: or(amount(0, 600_000), 0),
  calls: or(listOf(call), []),
  content: may(listOf(block)),
  usage: or(usage, usage({}, [])),
  stop: may(oneOf('stop', 'length', 'toolUse', 'refusal')),
  error: may(failure),
});

const turn = shape(turnParts.schema, (value, place) => {
  const whole = turnParts(value, place);
  const isShort = whole.text !== undefined || whole.reasoning !== undefined || whole.calls.length > 0;
  if (isShort && whole.content !== undefined)
    throw new Misfit([...place, 'content'], 'stands in the place of reasoning, text and calls: give one or the other');
  const says = isShort || (whole.content ?? []).length > 0;
  if (!says || whole.error === undefined || !('status' in whole.error)) return whole;
  throw new Misfit(
    [...place, 'error'],
    'a turn that fails with a status says nothing: leave out text, reasoning, calls and content, or use disconnect',
  );
});

const script = mapOf({
  version: must(oneOf(1)),
  model: or(model, model({}, [])),
  turns: must(listOf(turn)),
  summaries: or(listOf(turn), []),
  repeat: may(oneOf('last')),
});

/** A script as it is used: everything that can be left out is there. */
export type Script = ReturnType<typeof script>;

/** The form of the file, for editors. */
export function scriptJsonSchema(): Readonly<Record<string, unknown>> {
  const $schema = 'http://json-schema.org/draft-07/schema#';
  const description = 'What the scripted model answers: one turn for each request';
  return { $schema, title: 'A scripted model', description, ...script.schema };
}

const sizeLimit = 16 * 1024 * 1024;

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

export async function parseScript(source: string, shown: string): Promise<Script> {
  const value = quickly(source) ?? (await fromYaml(source, shown));
  try {
    return script(value, []);
  } catch (error) {
    if (!(error instanceof Misfit)) throw error;
    const line = await lineOf(source, error.place);
    const place = placeName(error.place);
    throw invalid(`${shown}:${line}: ${place === '' ? '' : `${place}: `}${error.message}`, 'docs: the scripted model');
  }
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
async function lineOf(text: string, place: Place): Promise<number> {
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
