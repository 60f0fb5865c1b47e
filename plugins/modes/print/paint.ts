import { relative } from 'node:path';
import type { AgentEvent, AssistantMessage, Message, ToolResult } from 'kern/contracts';
import { noteChange, noteReply, paintNews, paintToolNews } from './paint-news.ts';
import { paintSession } from './paint-session.ts';
import { harmless, type Screen, short } from './screen.ts';
import { shortDiff } from './short-diff.ts';

/** Lines of a failed call that are shown. */
const failureLines = 8;

/** Shows one event: a line for each call with its outcome, what the model says between calls, and what changed around it. */
export function paint(event: AgentEvent, screen: Screen): void {
  switch (event.type) {
    case 'capability_changed':
      noteChange(event, screen);
      break;
    case 'message_start':
      if (event.message.role === 'assistant') paintNews(screen);
      paintRule(event.message, screen);
      break;
    case 'message_end':
      paintToolNews(event.message, screen);
      if (event.message.role !== 'assistant') break;
      noteReply(event.message, screen);
      paintBetween(event.message, screen);
      break;
    case 'tool_execution_start':
      screen.calls.set(event.toolCallId, event.args);
      break;
    case 'tool_execution_end':
      paintCall(event, screen);
      screen.calls.delete(event.toolCallId);
      break;
    case 'plugin_changed':
      paintPlugin(event, screen);
      break;
    case 'hook_message':
      for (const line of harmless(event.message).trim().split('\n')) screen.line(line);
      break;
    case 'extension_error':
      screen.line(
        screen.style(
          'red',
          `${screen.sign('warning')} ${harmless(event.extensionPath)} failed in ${event.event}: ${harmless(event.error)}`,
        ),
      );
      break;
    default:
      paintSession(event, screen);
  }
}

/** A rule stopped the reply. */
function paintRule(message: Message, screen: Screen): void {
  if (message.role !== 'custom' || message.customType !== 'kern.rule') return;
  const { rule, path } = message.details as { readonly rule: string; readonly path: string };
  screen.line(`${screen.sign('warning')} the rule ${harmless(rule)} stopped the reply (${harmless(path)})`);
}

/** What is said before calls is progress; the last words are the answer, and go elsewhere. */
function paintBetween({ content }: AssistantMessage, screen: Screen): void {
  if (!content.some(({ type }) => type === 'toolCall')) return;
  for (const part of content) {
    if (part.type !== 'text') continue;
    for (const line of harmless(part.text).trim().split('\n')) if (line !== '') screen.line(screen.style('dim', line));
  }
}

function paintCall(event: Extract<AgentEvent, { type: 'tool_execution_end' }>, screen: Screen): void {
  const { toolName, result, isError, durationMs } = event;
  const what = short(subjectOf(event.args ?? screen.calls.get(event.toolCallId), screen.cwd));
  const took = durationMs >= 1_000 ? `${(durationMs / 1_000).toFixed(1)} s` : '';
  const outcome = [outcomeOf(result, isError), took].filter((part) => part !== '').join(', ');
  const mark = isError ? screen.style('red', screen.sign('failed')) : screen.style('green', screen.sign('done'));
  screen.line(
    `${mark} ${screen.style('bold', toolName)}${what === '' ? '' : ` ${what}`}${outcome === '' ? '' : screen.style('dim', ` (${outcome})`)}`,
  );
  if (isError) paintFailure(result, screen);
  else
    for (const line of shortDiff(result.details))
      screen.line(
        `  ${line.startsWith('+') ? screen.style('green', harmless(line)) : line.startsWith('-') ? screen.style('red', harmless(line)) : screen.style('dim', harmless(line))}`,
      );
}

/** The end of what a failed call said: a test run ends with what failed. */
function paintFailure(result: ToolResult, screen: Screen): void {
  const lines = harmless(textOf(result))
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');
  if (lines.length > failureLines) screen.line(screen.style('dim', `  … ${lines.length - failureLines} lines before`));
  for (const line of lines.slice(-failureLines)) screen.line(screen.style('dim', `  ${line}`));
}

function paintPlugin(
  { id, state, reason, file }: Extract<AgentEvent, { type: 'plugin_changed' }>,
  screen: Screen,
): void {
  // A part of kern that wakes when it is first used is no news.
  if (state === 'live' && file === 'built-in') return;
  const words = {
    live: 'is live',
    unloaded: 'was unloaded',
    kept: 'changed, but the old one was kept',
    failed: 'failed',
    blocked: 'is blocked',
  }[state];
  const isBad = state === 'kept' || state === 'failed' || state === 'blocked';
  // The last line of why one was kept is what to do: that is never cut.
  const [, why, next] = (state === 'kept' && /^(.*)\n(.+)$/s.exec(reason ?? '')) || [undefined, reason, undefined];
  const line = `${screen.sign(isBad ? 'warning' : 'reloaded')} plugin ${harmless(id)} ${words}${why === undefined ? '' : `: ${short(why, 200)}`}`;
  screen.line(isBad ? screen.style('red', line) : screen.style('dim', line));
  if (next !== undefined) screen.line(screen.style('dim', `  ${harmless(next)}`));
}

/** What a call is about, from its arguments: a path, a command, or the first text among them. */
function subjectOf(args: unknown, cwd: string): string {
  if (typeof args !== 'object' || args === null) return '';
  const given = args as Record<string, unknown>;
  for (const name of ['path', 'file_path', 'file']) {
    const path = given[name];
    if (typeof path === 'string') return shownPath(path, cwd);
  }
  const text = ['command', 'pattern', 'query', 'url']
    .map((name) => given[name])
    .find((value) => typeof value === 'string');
  return String(text ?? Object.values(given).find((value) => typeof value === 'string') ?? '');
}

function shownPath(path: string, cwd: string): string {
  if (!path.startsWith('/')) return path;
  const within = relative(cwd, path);
  return within !== '' && !within.startsWith('..') ? within : path;
}

function outcomeOf(result: ToolResult, isError: boolean): string {
  const details = result.details as { exitCode?: unknown; signal?: unknown } | undefined;
  if (typeof details?.exitCode === 'number') return `exit ${details.exitCode}`;
  if (typeof details?.signal === 'string') return details.signal;
  if (isError) return 'error';
  // A diff below says more than a count.
  if (shortDiff(details).length > 0) return '';
  const text = textOf(result);
  const lines = text === '' ? 0 : text.trimEnd().split('\n').length;
  return lines > 1 ? `${lines} lines` : '';
}

function textOf(result: ToolResult): string {
  return result.content.map((part) => (part.type === 'text' ? part.text : `[${part.mimeType}]`)).join('\n');
}
