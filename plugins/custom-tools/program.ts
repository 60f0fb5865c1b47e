import {
  type AnyTool,
  errorResult,
  processes,
  saveArtifact,
  type ToolContext,
  type ToolResult,
  ToolResultBuilder,
  truncateHead,
  trustItemOf,
} from 'kern/contracts';
import { type Context, KernError, type SpawnResult } from 'kern/plugin';
import type { CustomToolOrigin, ProgramDescription } from './contract.ts';
import { exitOf, notStarted } from './describe.ts';

type Described = ProgramDescription & { readonly timeoutMs: number };

/** More of it is no answer to a model; what fits is kept whole, so that JSON stays JSON. */
const mostBytes = 8 * 1024 * 1024;

/** A tool whose calls are runs of a program: arguments as JSON on stdin, the answer on stdout, progress on stderr. */
export function programTool(ctx: Context, origin: CustomToolOrigin, described: Described): AnyTool {
  const { name = origin.name, description, parameters = {}, annotations } = described;
  return {
    name,
    description,
    inputSchema: { type: 'object', properties: {}, ...parameters },
    ...(annotations === undefined ? {} : { annotations }),
    effects: (_args: unknown, { cwd }: { readonly cwd: string }) => [{ kind: 'run', argv: [origin.path], cwd }],
    async execute(id: string, args: unknown, signal: AbortSignal, onUpdate: (partial: ToolResult) => void, call) {
      await refuseUntrusted(ctx, origin);
      const ended = await run({ ctx, origin, described, id, name, args, signal, onUpdate, call });
      return resultOf(name, ended, described.timeoutMs, call);
    },
  } as AnyTool;
}

/** It may have been written anew since it was loaded: nothing of that runs before it is trusted. */
async function refuseUntrusted(ctx: Context, { path, name }: CustomToolOrigin): Promise<void> {
  const item = await trustItemOf(
    'custom-tool',
    { name, path, kind: 'program' },
    { root: ctx.where.root, level: ctx.level },
  );
  if (item === undefined || (await ctx.trust.check(item)) === 'trusted') return;
  throw new KernError('untrusted', `${path} has changed since it was trusted, and does not run`, {
    hint: 'look at it with `kern trust why`, then run `kern trust grant`',
  });
}

interface Run {
  readonly ctx: Context;
  readonly origin: CustomToolOrigin;
  readonly described: Described;
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
  readonly signal: AbortSignal;
  readonly onUpdate: (partial: ToolResult) => void;
  readonly call: ToolContext;
}

async function run({ ctx, origin, described, id, name, args, signal, onUpdate, call }: Run): Promise<SpawnResult> {
  await ctx.use(processes).load(signal);
  const progress = linesInto((line) => onUpdate({ content: [{ type: 'text', text: line }] }));
  try {
    return await call.spawn(origin.path, [], {
      cwd: call.where.cwd,
      input: `${JSON.stringify(args)}\n`,
      env: {
        KERN_TOOL: name,
        KERN_TOOL_CALL: id,
        KERN_SESSION: call.sessionId,
        KERN_PROJECT: call.where.root,
      },
      timeoutMs: described.timeoutMs,
      keepBytes: mostBytes,
      label: name,
      owner: ctx.id,
      onOutput: (chunk, stream) => {
        if (stream === 'stderr') progress(chunk);
      },
    }).result;
  } catch (error) {
    throw notStarted(origin.path, error);
  }
}

/** Whole lines, as they come. */
function linesInto(tell: (line: string) => void): (chunk: Uint8Array) => void {
  const decoder = new TextDecoder();
  let rest = '';
  return (chunk) => {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r?\n|\r/);
    // A line without an end is none yet; one without any end is cut.
    rest = (lines.pop() ?? '').slice(-4_096);
    for (const line of lines) if (line.trim() !== '') tell(line);
  };
}

async function resultOf(name: string, ended: SpawnResult, timeoutMs: number, call: ToolContext): Promise<ToolResult> {
  const { stdout, stderr, timedOut, aborted, exitCode, dropped, overLimit } = ended;
  if (aborted) return errorResult(`${name} was ended`);
  const why = timedOut
    ? `${name} did not end within ${timeoutMs} ms, and was ended`
    : overLimit !== undefined
      ? `${name} used too much (${overLimit}), and was ended`
      : exitCode === 0
        ? undefined
        : `${name} failed with ${exitOf(ended)}`;
  if (why !== undefined) {
    const more = [stdout, stderr].map((text) => text.trim()).filter((text) => text !== '');
    return shown([why, ...more].join('\n\n'), name, call, true);
  }
  const answer = dropped === 0 ? answerIn(stdout) : undefined;
  if (answer === undefined) return shown(stdout, name, call, false);
  if (typeof answer.content === 'string') {
    const { content, details, isError } = answer;
    return { ...(await shown(content, name, call, isError === true)), ...(details === undefined ? {} : { details }) };
  }
  return answer as unknown as ToolResult;
}

/** JSON with `content`: a text, or parts of text and images. All else is meant as it is printed. */
function answerIn(stdout: string): Readonly<Record<string, unknown>> | undefined {
  if (!stdout.trimStart().startsWith('{')) return undefined;
  try {
    const answer: unknown = JSON.parse(stdout);
    const content: unknown = typeof answer === 'object' && answer !== null ? Reflect.get(answer, 'content') : undefined;
    const isOne = typeof content === 'string' || (Array.isArray(content) && content.every(isPart));
    if (!isOne) return undefined;
    const { details, isError, terminate } = answer as Readonly<Record<string, unknown>>;
    return {
      content,
      ...(details === undefined ? {} : { details }),
      ...(isError === true ? { isError } : {}),
      ...(terminate === true ? { terminate } : {}),
    };
  } catch {
    return undefined; // a text that begins like JSON
  }
}

function isPart(part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return false;
  const { type, text, data, mimeType } = part as Readonly<Record<string, unknown>>;
  if (type === 'text') return typeof text === 'string';
  return type === 'image' && typeof data === 'string' && typeof mimeType === 'string';
}

/** As much as a result may hold; all of it stands in a file that the model can read. */
async function shown(text: string, name: string, call: ToolContext, isError: boolean): Promise<ToolResult> {
  const plain = text.trimEnd() === '' ? '(no output)' : text.trimEnd();
  const cut = truncateHead(plain);
  const builder = new ToolResultBuilder().text(cut.text).error(isError);
  if (!cut.truncated) return builder.done();
  const { id, path } = saveArtifact(await call.artifacts(), `${name}.log`, plain);
  return builder.truncation(cut, { artifactId: id, artifactPath: path }).done();
}
