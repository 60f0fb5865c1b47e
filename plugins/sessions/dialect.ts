import type { EntryMessage, FileMentionMessage, ForeignEntry, SessionEntry, SessionHeader } from './contract.ts';

type AssistantMessage = Extract<EntryMessage, { readonly role: 'assistant' }>;

/** The first line of a file. */
export const headerLine = (header: SessionHeader): string => `${JSON.stringify(header)}\n`;

/** An entry as pi reads it, ready to be written as JSON. */
export function written(entry: SessionEntry | ForeignEntry): object {
  const { id, parentId, timestamp } = entry;
  switch (entry.type) {
    case 'message':
      if (entry.message.role === 'fileMention') {
        return { type: 'custom_message', id, parentId, timestamp, ...mention(entry.message) };
      }
      return { ...entry, message: piMessage(entry.message) };
    case 'context_edit':
      return entry.replacement === null ? entry : { ...entry, replacement: piMessage(entry.replacement) };
    case 'mode_change':
    case 'ttsr_injection':
    case 'session_init': {
      // pi has no word for these. Read back into what they are.
      const { type, id: _, parentId: _parent, timestamp: _time, ...data } = entry;
      return { type: 'custom', id, parentId, timestamp, customType: `kern.${type}`, data };
    }
    case 'foreign':
      return { ...entry.raw, type: entry.foreignType, id, parentId, timestamp };
    default:
      return entry;
  }
}

/** An entry as pi reads it, as a line. */
export const entryLine = (entry: SessionEntry | ForeignEntry): string => `${json(written(entry))}\n`;

/** One line of JSON. What JSON has no word for, and what contains itself, is told in words rather than lost with all else. */
export function json(value: object): string {
  try {
    return JSON.stringify(value);
  } catch {
    return JSON.stringify(plain(value, []));
  }
}

function plain(value: unknown, within: readonly object[]): unknown {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (within.includes(value)) return '[the same again]';
  const inside = [...within, value];
  try {
    if ('toJSON' in value && typeof value.toJSON === 'function') return plain(value.toJSON(), inside);
    if (Array.isArray(value)) return value.map((item) => plain(item, inside));
    return Object.fromEntries(Object.keys(value).map((key) => [key, plain(value[key as never], inside)]));
  } catch (error) {
    return `[cannot be written: ${String(error)}]`;
  }
}

function piMessage(message: EntryMessage): object {
  return message.role === 'assistant' ? piAssistant(message) : message;
}

/** pi adds up prices without asking whether they are known, and has no word for a refusal: what it would not read is said beside. */
function piAssistant(message: AssistantMessage): object {
  const { usage, stopReason } = message;
  const unknown =
    usage.cost === null
      ? { ...usage, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 }, costUnknown: true }
      : usage;
  const stop = stopReason === 'refusal' ? { stopReason: 'stop', rawStopReason: 'refusal' } : { stopReason };
  return { ...message, usage: unknown, ...stop };
}

/** Files that were named: pi reads the text, kern the details. */
function mention({ role: _, files, ...rest }: FileMentionMessage): object {
  const text = files.map(({ path, content }) => `<file path="${path}">\n${content}\n</file>`).join('\n\n');
  return {
    customType: 'kern.file-mention',
    content: [{ type: 'text', text }],
    display: true,
    details: { ...rest, files },
  };
}
