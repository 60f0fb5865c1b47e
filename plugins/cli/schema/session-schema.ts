import type { EntryMessage, SessionEntry } from 'kern/contracts';
import { z } from 'zod';
import { fromZod, type JsonSchema, titled } from './draft.ts';

const text = z.looseObject({ type: z.literal('text'), text: z.string() });
const image = z.looseObject({ type: z.literal('image'), data: z.string().describe('base64'), mimeType: z.string() });
const thinking = z.looseObject({ type: z.literal('thinking'), thinking: z.string() });
const toolCall = z.looseObject({
  type: z.literal('toolCall'),
  id: z.string(),
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()),
});
const shown = z.array(z.union([text, image]));
const timestamp = z.number().describe('Milliseconds since 1970');

const cost = z.looseObject({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  total: z.number().describe('US dollars'),
});
const usage = z.looseObject({
  input: z.number().describe('Tokens without those from a cache'),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  totalTokens: z.number(),
  cost,
  costUnknown: z.boolean().optional().describe('The zeros of cost mean that nobody knows the price'),
});

/** By role, so that none of the contract is forgotten. */
const messages: Readonly<Record<EntryMessage['role'], z.ZodType>> = {
  system: z.looseObject({
    role: z.literal('system').describe('The head of the requests, as it was sent'),
    content: z.string(),
    timestamp,
    toolsAdded: z.array(z.looseObject({ name: z.string() })).optional(),
    parts: z.array(z.looseObject({ id: z.string(), length: z.number() })).optional(),
  }),
  user: z.looseObject({ role: z.literal('user'), content: z.union([z.string(), shown]), timestamp }),
  assistant: z.looseObject({
    role: z.literal('assistant'),
    content: z.array(z.union([text, thinking, toolCall])),
    provider: z.string(),
    model: z.string(),
    usage: usage.optional(),
    stopReason: z.enum(['stop', 'length', 'toolUse', 'refusal', 'error', 'aborted']),
    errorMessage: z.string().optional(),
    timestamp,
  }),
  toolResult: z.looseObject({
    role: z.literal('toolResult'),
    toolCallId: z.string(),
    toolName: z.string(),
    content: shown,
    details: z.unknown().optional(),
    isError: z.boolean(),
    durationMs: z.number().optional(),
    timestamp,
  }),
  custom: z.looseObject({
    role: z.literal('custom'),
    customType: z.string(),
    content: z.union([z.string(), shown]),
    timestamp,
  }),
  fileMention: z.looseObject({
    role: z.literal('fileMention').describe('oh-my-pi; kern writes a custom_message kern.file-mention'),
    files: z.array(z.looseObject({ path: z.string(), content: z.string() })),
    timestamp,
  }),
  bashExecution: z.looseObject({
    role: z.literal('bashExecution'),
    command: z.string(),
    output: z.string(),
    exitCode: z.number().optional(),
    cancelled: z.boolean().optional(),
    truncated: z.boolean().optional(),
    excludeFromContext: z.boolean().optional(),
    timestamp,
  }),
};
const message = z.union(Object.values(messages));

const place = {
  id: z
    .string()
    .regex(/^[0-9a-f]{8}$/)
    .describe('8 hex digits'),
  parentId: z.string().nullable().describe('The entry before it; null for the first'),
  timestamp: z.string().describe('ISO 8601'),
};
const ownCustom = (type: string): string => `kern writes it as a custom entry kern.${type}, which pi opens`;

/** By type, so that none of the contract is forgotten. */
const entries: Readonly<Record<SessionEntry['type'], z.ZodType>> = {
  message: z.looseObject({ type: z.literal('message'), ...place, message }),
  model_change: z.looseObject({
    type: z.literal('model_change'),
    ...place,
    provider: z.string(),
    modelId: z.string(),
    role: z.string().optional(),
  }),
  thinking_level_change: z.looseObject({
    type: z.literal('thinking_level_change'),
    ...place,
    thinkingLevel: z.string(),
  }),
  compaction: z.looseObject({
    type: z.literal('compaction'),
    ...place,
    summary: z.string(),
    shortSummary: z.string().optional(),
    firstKeptEntryId: z.string().describe('The first entry that is still read as it was said'),
    tokensBefore: z.number(),
    details: z.unknown().optional(),
    fromHook: z.boolean().optional(),
  }),
  branch_summary: z.looseObject({
    type: z.literal('branch_summary'),
    ...place,
    fromId: z.string().describe('The leaf that was left; root for none'),
    summary: z.string(),
    details: z.unknown().optional(),
    fromHook: z.boolean().optional(),
  }),
  context_edit: z.looseObject({
    type: z.literal('context_edit'),
    ...place,
    targetId: z.string(),
    replacement: message.nullable().describe('null hides the entry from the model'),
  }),
  custom: z.looseObject({
    type: z.literal('custom'),
    ...place,
    customType: z.string(),
    data: z.unknown().describe('The model does not see it'),
  }),
  custom_message: z.looseObject({
    type: z.literal('custom_message'),
    ...place,
    customType: z.string(),
    content: z.unknown().describe('The model reads it as a user message'),
    display: z.boolean(),
    details: z.unknown().optional(),
  }),
  label: z.looseObject({ type: z.literal('label'), ...place, targetId: z.string(), label: z.string().optional() }),
  session_info: z.looseObject({ type: z.literal('session_info'), ...place, name: z.string() }),
  mode_change: z.looseObject({
    type: z.literal('mode_change').describe(ownCustom('mode_change')),
    ...place,
    mode: z.string(),
    data: z.unknown().optional(),
  }),
  ttsr_injection: z.looseObject({
    type: z.literal('ttsr_injection').describe(ownCustom('ttsr_injection')),
    ...place,
    injectedRules: z.array(z.string()),
  }),
  session_init: z.looseObject({
    type: z.literal('session_init').describe(ownCustom('session_init')),
    ...place,
    systemPrompt: z.string(),
    task: z.string(),
    tools: z.array(z.string()),
    outputSchema: z.unknown().optional(),
  }),
};

const line = z.union([
  z.looseObject({
    type: z.literal('session'),
    version: z.literal(3),
    id: z.string(),
    timestamp: z.string(),
    cwd: z.string(),
    parentSession: z.string().optional().describe('The file this one was forked from'),
  }),
  ...Object.values(entries),
]);

export const sessionSchema = (): JsonSchema =>
  titled('A line of a session', 'The header comes first, then entries, each below the one before it', fromZod(line));

/** For tests: what a line has to be. */
export const sessionLine: z.ZodType = line;
