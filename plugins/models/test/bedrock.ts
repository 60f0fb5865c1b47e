import { crc32 } from 'node:zlib';
import type { Told } from './wires.ts';

/** One event of Amazon's binary streams. */
export function frame(type: string, payload: object | string, kind: 'event' | 'exception' = 'event'): Buffer {
  const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
  const body = Buffer.from(text, 'utf8');
  const headers = Buffer.concat([
    header(':message-type', kind),
    header(kind === 'event' ? ':event-type' : ':exception-type', type),
    header(':content-type', 'application/json'),
  ]);
  const length = 12 + headers.length + body.length + 4;
  const prelude = Buffer.concat([number(length), number(headers.length)]);
  const signed = Buffer.concat([prelude, number(crc32(prelude)), headers, body]);
  return Buffer.concat([signed, number(crc32(signed))]);
}

function header(name: string, value: string): Buffer {
  const bytes = Buffer.from(value, 'utf8');
  return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), Buffer.from([7, 0, bytes.length]), bytes]);
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
}

/** The events of a reply over Converse. */
export function converseEvents({
  thinking = [],
  signature,
  text = [],
  calls = [],
  stop = 'stop',
  usage,
}: Told): Buffer[] {
  const events: Buffer[] = [frame('messageStart', { role: 'assistant' })];
  let at = -1;
  const delta = (part: object): void =>
    void events.push(frame('contentBlockDelta', { contentBlockIndex: at, delta: part, p: 'abcd' }));
  const block = (begin: object | undefined, fill: () => void): void => {
    at += 1;
    if (begin !== undefined) events.push(frame('contentBlockStart', { contentBlockIndex: at, start: begin }));
    fill();
    events.push(frame('contentBlockStop', { contentBlockIndex: at }));
  };
  if (thinking.length > 0)
    block(undefined, () => {
      for (const piece of thinking) delta({ reasoningContent: { text: piece } });
      if (signature !== undefined) delta({ reasoningContent: { signature } });
    });
  if (text.length > 0)
    block(undefined, () => {
      for (const piece of text) delta({ text: piece });
    });
  for (const { id, name, pieces } of calls)
    block({ toolUse: { toolUseId: id, name } }, () => {
      for (const piece of pieces) delta({ toolUse: { input: piece } });
    });
  const reasons = {
    stop: calls.length > 0 ? 'tool_use' : 'end_turn',
    length: 'max_tokens',
    refusal: 'guardrail_intervened',
  };
  const { input = 12, cached = 0, output = 5 } = usage ?? {};
  return [
    ...events,
    frame('messageStop', { stopReason: reasons[stop] }),
    frame('metadata', {
      usage: {
        inputTokens: input - cached,
        outputTokens: output,
        totalTokens: input + output,
        cacheReadInputTokens: cached,
        cacheWriteInputTokens: 0,
      },
      metrics: { latencyMs: 1 },
    }),
  ];
}

export const eventStream = { 'content-type': 'application/vnd.amazon.eventstream' };
