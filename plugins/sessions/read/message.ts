import type {
  AssistantMessage,
  BashExecutionMessage,
  CustomMessage,
  EntryMessage,
  FileMentionMessage,
  ImageContent,
  StopReason,
  SystemEntryMessage,
  TextContent,
  Usage,
} from 'kern/contracts';

type Raw = Readonly<Record<string, unknown>>;
type Blocks = readonly (TextContent | ImageContent)[];

export const isRaw = (value: unknown): value is Raw =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const countOf = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0);

/** A text, or blocks, as blocks; those of kinds that nobody here knows are left out. */
export function blocksOf(content: unknown): Blocks {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: unknown): Blocks => {
    if (typeof block === 'string') return [{ type: 'text', text: block }];
    if (!isRaw(block)) return [];
    if (block.type === 'text' && typeof block.text === 'string') return [block as unknown as TextContent];
    if (block.type === 'image' && typeof block.data === 'string' && typeof block.mimeType === 'string')
      return [block as unknown as ImageContent];
    return [];
  });
}

/**
 * A message as pi, oh-my-pi or kern wrote it, whatever is missing of it. Undefined for one whose role is known to
 * nobody here. Keys that kern does not know stay.
 */
export function messageOf(raw: Raw, time: number): EntryMessage | undefined {
  const timestamp = typeof raw.timestamp === 'number' ? raw.timestamp : time;
  const { content, role } = raw;
  if (role === 'user') return { ...raw, role, content: blocksOf(content), timestamp };
  if (role === 'assistant') return assistantOf(raw, timestamp);
  if (role === 'toolResult')
    return {
      ...raw,
      role,
      toolCallId: textOf(raw.toolCallId),
      toolName: textOf(raw.toolName),
      content: blocksOf(content),
      isError: raw.isError === true,
      timestamp,
    };
  if (role === 'system') return systemOf(raw, timestamp);
  if (role === 'custom' || role === 'hookMessage') return customOf(textOf(raw.customType) || 'custom', raw, timestamp);
  if (role === 'fileMention') return mentionOf(raw, timestamp);
  if (role === 'bashExecution') return executionOf(raw, textOf(raw.command), timestamp);
  if (role === 'pythonExecution') return executionOf(raw, `python: ${textOf(raw.code)}`, timestamp);
  if (role === 'developer') return customOf('developer', { ...raw, display: false }, timestamp);
  if (role === 'branchSummary' || role === 'compactionSummary') {
    const type = role === 'branchSummary' ? 'kern.branch-summary' : 'kern.compaction';
    return customOf(type, { ...raw, content: raw.summary ?? content, display: true }, timestamp);
  }
  return undefined;
}

export function customOf(customType: string, raw: Raw, timestamp: number): CustomMessage {
  return {
    role: 'custom',
    customType,
    content: blocksOf(raw.content),
    display: raw.display !== false,
    ...(raw.details === undefined ? {} : { details: raw.details }),
    timestamp,
  };
}

function systemOf(raw: Raw, timestamp: number): SystemEntryMessage {
  const { toolsAdded, ...rest } = raw;
  const content = blocksOf(raw.content).flatMap((block) => (block.type === 'text' ? [block.text] : []));
  return {
    ...rest,
    role: 'system',
    content: content.join('\n\n'),
    timestamp,
    ...(Array.isArray(toolsAdded) ? { toolsAdded: toolsAdded.flatMap(toolOf) } : {}),
  };
}

function toolOf(raw: unknown): NonNullable<SystemEntryMessage['toolsAdded']> {
  if (!isRaw(raw) || typeof raw.name !== 'string') return [];
  const parameters = isRaw(raw.parameters) ? raw.parameters : { type: 'object' };
  return [{ ...raw, name: raw.name, description: textOf(raw.description), parameters }];
}

export function mentionOf(raw: Raw, timestamp: number): FileMentionMessage {
  const files = Array.isArray(raw.files) ? raw.files : [];
  return {
    ...raw,
    role: 'fileMention',
    files: files.flatMap((file: unknown) =>
      isRaw(file) && typeof file.path === 'string' ? [{ ...file, path: file.path, content: textOf(file.content) }] : [],
    ),
    timestamp,
  };
}

function executionOf(raw: Raw, command: string, timestamp: number): BashExecutionMessage {
  return { ...raw, role: 'bashExecution', command, output: textOf(raw.output), timestamp } as BashExecutionMessage;
}

function assistantOf(raw: Raw, timestamp: number): AssistantMessage {
  const content = (typeof raw.content === 'string' ? [{ type: 'text', text: raw.content }] : raw.content) ?? [];
  const blocks = (Array.isArray(content) ? content : []).flatMap(assistantBlock);
  const { stopReason, rawStopReason, errorMessage, ...rest } = raw;
  const stop = stopOf(stopReason, rawStopReason, blocks);
  return {
    ...rest,
    // What kern itself says beside a refusal belongs to the way it is written.
    ...(rawStopReason === undefined || stop === 'refusal' ? {} : { rawStopReason }),
    role: 'assistant',
    content: blocks,
    api: textOf(raw.api),
    provider: textOf(raw.provider),
    model: textOf(raw.model),
    usage: usageOf(raw.usage),
    stopReason: stop,
    ...(typeof errorMessage === 'string' ? { errorMessage } : {}),
    timestamp,
  };
}

type AssistantBlocks = AssistantMessage['content'];

function assistantBlock(block: unknown, nth: number): AssistantBlocks {
  if (!isRaw(block)) return typeof block === 'string' ? [{ type: 'text', text: block }] : [];
  if (block.type === 'text' && typeof block.text === 'string') return [block as unknown as AssistantBlocks[number]];
  if (block.type === 'thinking') return [{ ...block, type: 'thinking', thinking: textOf(block.thinking) }];
  if (block.type !== 'toolCall') return [];
  const args = block.arguments;
  return [
    {
      ...block,
      type: 'toolCall',
      id: textOf(block.id) || `call_${nth}`,
      name: textOf(block.name),
      arguments: isRaw(args) ? args : {},
      ...(isRaw(args) || args === undefined || block.invalidArguments !== undefined
        ? {}
        : { invalidArguments: typeof args === 'string' ? args : JSON.stringify(args) }),
    },
  ];
}

/** pi may leave a reply half-written (`pending`), or wait for results that come later (`deferred`). */
function stopOf(stop: unknown, rawStop: unknown, content: AssistantBlocks): StopReason {
  if (stop === 'stop' && rawStop === 'refusal') return 'refusal';
  if (stop === 'pending') return 'aborted';
  const known = knownStops.find((one) => one === stop);
  return known ?? (content.some((block) => block.type === 'toolCall') ? 'toolUse' : 'stop');
}

const knownStops: readonly StopReason[] = ['stop', 'length', 'toolUse', 'refusal', 'error', 'aborted'];

function usageOf(raw: unknown): Usage {
  const usage: Raw = isRaw(raw) ? raw : {};
  const { costUnknown, cost, ...rest } = usage;
  const [input, output] = [countOf(usage.input), countOf(usage.output)];
  const [cacheRead, cacheWrite] = [countOf(usage.cacheRead), countOf(usage.cacheWrite)];
  const total = typeof usage.totalTokens === 'number' ? usage.totalTokens : input + output + cacheRead + cacheWrite;
  return {
    ...rest,
    input,
    output,
    cacheRead,
    cacheWrite,
    reasoning: countOf(usage.reasoning),
    totalTokens: countOf(total),
    cost: costUnknown === true || !isRaw(cost) ? null : costOf(cost),
  };
}

function costOf(raw: Raw): NonNullable<Usage['cost']> {
  const [input, output] = [countOf(raw.input), countOf(raw.output)];
  const [cacheRead, cacheWrite] = [countOf(raw.cacheRead), countOf(raw.cacheWrite)];
  const total = typeof raw.total === 'number' ? countOf(raw.total) : input + output + cacheRead + cacheWrite;
  return { ...raw, input, output, cacheRead, cacheWrite, total };
}
