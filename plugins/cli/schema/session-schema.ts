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

const message = z.union([
  z.looseObject({ role: z.literal('system'), content: z.string(), timestamp }),
  z.looseObject({ role: z.literal('user'), content: z.union([z.string(), shown]), timestamp }),
  z.looseObject({
    role: z.literal('assistant'),
    content: z.array(z.union([text, thinking, toolCall])),
    provider: z.string(),
    model: z.string(),
    stopReason: z.enum(['stop', 'length', 'toolUse', 'refusal', 'error', 'aborted']),
    timestamp,
  }),
  z.looseObject({
    role: z.literal('toolResult'),
    toolCallId: z.string(),
    toolName: z.string(),
    content: shown,
    isError: z.boolean(),
    timestamp,
  }),
  z.looseObject({
    role: z.literal('custom'),
    customType: z.string(),
    content: z.union([z.string(), shown]),
    timestamp,
  }),
]);

const place = {
  id: z
    .string()
    .regex(/^[0-9a-f]{8}$/)
    .describe('8 hex digits'),
  parentId: z.string().nullable().describe('The entry before it; null for the first'),
  timestamp: z.string().describe('ISO 8601'),
};

const line = z.union([
  z.looseObject({
    type: z.literal('session'),
    version: z.literal(3),
    id: z.string(),
    timestamp: z.string(),
    cwd: z.string(),
  }),
  z.looseObject({ type: z.literal('message'), ...place, message }),
  z.looseObject({ type: z.literal('model_change'), ...place, provider: z.string(), modelId: z.string() }),
  z.looseObject({ type: z.literal('thinking_level_change'), ...place, thinkingLevel: z.string() }),
  z.looseObject({ type: z.literal('custom'), ...place, customType: z.string(), data: z.unknown() }),
  z.looseObject({
    type: z.literal('custom_message'),
    ...place,
    customType: z.string(),
    content: z.unknown(),
    display: z.boolean(),
  }),
  z.looseObject({ type: z.literal('label'), ...place, targetId: z.string(), label: z.string().optional() }),
  z.looseObject({ type: z.literal('session_info'), ...place, name: z.string() }),
]);

export const sessionSchema = (): JsonSchema =>
  titled('A line of a session', 'The header comes first, then entries, each below the one before it', fromZod(line));

/** For tests: what a line has to be. */
export const sessionLine: z.ZodType = line;
