import type { AssistantMessage, SessionEntry, ToolCall, ToolResultMessage } from 'kern/contracts';
import { visible } from 'kern/plugin';

/** Stored text for a terminal: lines stay lines, and nothing in it is obeyed. */
export function plain(text: string): string {
  return text
    .split('\n')
    .map((line) => visible(line.replace(/\r$/, '').replaceAll('\t', '  ')))
    .join('\n');
}

/** One line, no longer than there is room for. */
export function short(text: string, width: number): string {
  const line = visible(text.trim().replace(/\s+/g, ' '));
  return line.length > width ? `${line.slice(0, Math.max(0, width - 1))}…` : line;
}

/** The text of a message, or of blocks that a plugin kept. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part: unknown) => {
      if (typeof part !== 'object' || part === null || !('type' in part)) return '';
      if (part.type === 'text' && 'text' in part) return String(part.text);
      if (part.type === 'image' && 'mimeType' in part) return `[${String(part.mimeType)}]`;
      return '';
    })
    .filter((text) => text !== '')
    .join('\n');
}

export const saidBy = ({ content }: AssistantMessage): string => textOf(content).trim();

/** What a call is about: a path, a command, or the first text among its arguments. */
export function subjectOf({ arguments: args, invalidArguments }: ToolCall): string {
  if (invalidArguments !== undefined) return invalidArguments;
  const given = (...names: readonly string[]): string | undefined =>
    names.map((name) => args[name]).find((value) => typeof value === 'string');
  const place = given('path', 'file_path');
  const wanted = given('command', 'cmd', 'pattern', 'query', 'url');
  if (wanted !== undefined) return place === undefined ? wanted : `${wanted} in ${place}`;
  return place ?? String(Object.values(args).find((value) => typeof value === 'string') ?? '');
}

/** What came of a call, in a word. */
export function outcomeOf(result: ToolResultMessage | undefined): string {
  if (result === undefined) return 'no result';
  const text = textOf(result.content).trimEnd();
  const lines = text === '' ? 0 : text.split('\n').length;
  const took = result.durationMs !== undefined && result.durationMs >= 1_000 ? timeText(result.durationMs) : '';
  const size = result.isError ? 'error' : lines > 1 ? `${lines} lines` : '';
  return [size, took].filter((part) => part !== '').join(', ');
}

export function timeText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.round((ms % 60_000) / 1_000)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** `2026-11-30 19:05`, in the time of the machine. */
export function clockText(timestamp: string): string {
  const date = new Date(timestamp);
  if (Number.isNaN(date.getTime())) return short(timestamp, 30);
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** What an entry that is no message of a model says of itself; undefined for what nobody needs to see. */
export function noteOf(entry: SessionEntry): string | undefined {
  switch (entry.type) {
    case 'model_change':
      return `model: ${entry.provider === '' ? '' : `${entry.provider}/`}${entry.modelId}${entry.role === undefined || entry.role === 'default' ? '' : ` (${entry.role})`}`;
    case 'thinking_level_change':
      return `thinking: ${entry.thinkingLevel}`;
    case 'session_info':
      return `name: ${entry.name}`;
    case 'mode_change':
      return `mode: ${entry.mode}`;
    case 'custom':
      return entry.customType === 'kern.imported' ? `taken over from ${sourceOf(entry.data)}` : undefined;
    default:
      return undefined;
  }
}

function sourceOf(data: unknown): string {
  return typeof data === 'object' && data !== null && 'source' in data ? String(data.source) : 'another program';
}
