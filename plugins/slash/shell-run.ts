import { plainWords, prepareToolCall, resultText, type ToolResult, tools, truncateTail } from 'kern/contracts';
import type { Context } from 'kern/plugin';
import type { SlashSettings } from './settings.ts';

/** A shell line that is to run. */
export interface ShellRun {
  readonly command: string;
  /** The person's own file says that it may, where a person would be asked. */
  readonly isAllowed: boolean;
}

/** What a line may put into a text. The end of an output says how it went. */
const most = { bytes: 10 * 1024, lines: 2_000 };

/**
 * Runs a shell line as the model would, by the tool bash: plugins and permissions are asked about it, and its limits, its
 * end and the list of what runs are those of any command.
 */
export async function runLine(
  ctx: Context<SlashSettings>,
  { command, isAllowed }: ShellRun,
  signal: AbortSignal,
): Promise<{ readonly output: string } | { readonly refused: string }> {
  await ctx.use(tools).load(signal, 'bash');
  using view = ctx.pin();
  if (view.use(tools).get('bash') === undefined)
    return { refused: 'the tool bash is not there, by which it would run' };
  const prepared = await prepareToolCall(view, {
    name: 'bash',
    // In the working directory, wherever the shell of the session is by now.
    args: { command, cwd: ctx.where.cwd, timeout: ctx.config.shellTimeout },
    callId: `shell-line-${crypto.randomUUID()}`,
    sessionId: ctx.session.id,
    by: isAllowed ? 'person' : 'model',
    signal,
  });
  const result = prepared.state === 'ready' ? await prepared.execute() : prepared.result;
  signal.throwIfAborted();
  return prepared.state === 'ready' ? { output: shown(result) } : { refused: resultText(result) };
}

function shown(result: ToolResult): string {
  const text = resultText(result).trimEnd();
  // It stands in the middle of a sentence, where nothing is nothing.
  if (result.isError !== true && text === '(no output)') return '';
  const { text: kept, truncated, totalBytes } = truncateTail(text, most);
  return truncated ? `[Cut: the last ${most.bytes / 1024} KB of ${Math.ceil(totalBytes / 1024)} KB]\n${kept}` : kept;
}

/** Whether what stands in `allowed-tools` speaks of this command: `Bash`, `Bash(git status)`, `Bash(git:*)`. */
export function isAllowedBy(allowed: readonly string[], command: string): boolean {
  const words = plainWords(command);
  return allowed.some((text) => {
    const match = /^bash(?:\((.*)\))?$/is.exec(text.trim());
    if (match === null) return false;
    const pattern = (match[1] ?? '').trim();
    if (pattern === '' || pattern === '*') return true;
    // Every word is known, and nothing runs beside it.
    const wanted = pattern.replace(/:\*$/, ' *').split(/\s+/);
    const isOpen = wanted.at(-1) === '*';
    const fixed = isOpen ? wanted.slice(0, -1) : wanted;
    if (words === undefined || (isOpen ? words.length < fixed.length : words.length !== fixed.length)) return false;
    return fixed.every((want, at) => want === words[at]);
  });
}
