import type { BashExecutionMessage, ContextMessage, FileMentionMessage, SessionEntry } from './contract.ts';

type Message = ContextMessage['message'];
type CustomMessage = Extract<Message, { readonly role: 'custom' }>;
type Blocks = CustomMessage['content'];

/** What a model reads of an entry; undefined for one that is not told to it. Equal entries give equal bytes. */
export function messageOfEntry(entry: SessionEntry): Message | undefined {
  const time = timeOf(entry.timestamp);
  if (entry.type === 'compaction') return compactionMessage(entry);
  if (entry.type === 'branch_summary') {
    const text = `What follows was tried before, in a part of this conversation that was left:\n\n${entry.summary}`;
    return entry.summary === '' ? undefined : custom('kern.branch-summary', text, time);
  }
  if (entry.type === 'custom_message') {
    const { customType, content, display, details } = entry;
    const blocks = withoutLostImages(blocksOf(content));
    if (blocks.length === 0) return undefined;
    return {
      role: 'custom',
      customType,
      content: blocks,
      display,
      ...(details === undefined ? {} : { details }),
      timestamp: time,
    };
  }
  if (entry.type !== 'message') return undefined;
  const { message } = entry;
  if (message.role === 'system') return undefined;
  if (message.role === 'fileMention') return custom('kern.file-mention', mentionText(message), message.timestamp);
  if (message.role === 'bashExecution')
    return message.excludeFromContext === true
      ? undefined
      : custom('kern.bash-execution', executionText(message), message.timestamp);
  if (message.role === 'assistant') return message;
  const content = withoutLostImages(message.content);
  return content === message.content ? message : ({ ...message, content } as Message);
}

/** The summary as it was kept, and the images of a request that still is at work. */
export function compactionMessage(entry: Extract<SessionEntry, { readonly type: 'compaction' }>): CustomMessage {
  const text = `The conversation so far was shortened. This is what it came to:\n\n${entry.summary}`;
  const message = custom('kern.compaction', text, timeOf(entry.timestamp));
  const images = blocksOf(keptImages(entry.details)).filter(({ type }) => type === 'image');
  return images.length === 0 ? message : { ...message, content: [...message.content, ...withoutLostImages(images)] };
}

/** kern keeps them in the details of a compaction, since a summary is text. */
function keptImages(details: unknown): unknown {
  const kept = ['kern', 'requests'].reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined),
    details,
  );
  return typeof kept === 'object' && kept !== null && 'images' in kept ? kept.images : undefined;
}

function mentionText({ files }: FileMentionMessage): string {
  return files.map(({ path, content }) => `<file path="${path}">\n${content}\n</file>`).join('\n\n');
}

function executionText({ command, output, exitCode, cancelled, truncated }: BashExecutionMessage): string {
  const end = [
    cancelled === true ? 'It was cancelled.' : '',
    exitCode === undefined || exitCode === 0 ? '' : `It ended with exit code ${exitCode}.`,
    truncated === true ? 'The output is shortened.' : '',
  ].filter((text) => text !== '');
  const said = output === '' ? 'It printed nothing.' : `It printed:\n${output}`;
  return [`The person ran this command: ${command}`, said, ...end].join('\n');
}

function custom(customType: string, text: string, timestamp: number): CustomMessage {
  return { role: 'custom', customType, content: [{ type: 'text', text }], display: true, timestamp };
}

/** Plugins may have kept anything: a text, or blocks. */
function blocksOf(content: unknown): Blocks {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return [];
  return content.filter(
    (block: unknown): block is Blocks[number] =>
      typeof block === 'object' &&
      block !== null &&
      'type' in block &&
      ((block.type === 'text' && 'text' in block && typeof block.text === 'string') ||
        (block.type === 'image' &&
          'data' in block &&
          typeof block.data === 'string' &&
          'mimeType' in block &&
          typeof block.mimeType === 'string')),
  );
}

/** An image whose bytes are gone is a reference only, which no server takes. */
function withoutLostImages(content: Blocks): Blocks {
  const isLost = (block: Blocks[number]): boolean => block.type === 'image' && block.data.startsWith('blob:');
  if (!content.some(isLost)) return content;
  return content.map((block) =>
    isLost(block) ? { type: 'text' as const, text: '(an image that is no longer there)' } : block,
  );
}

function timeOf(timestamp: string): number {
  const time = Date.parse(timestamp);
  return Number.isNaN(time) ? 0 : time;
}
