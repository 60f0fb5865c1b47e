import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** What a session file is made of. */
export interface SessionShape {
  readonly id: string;
  readonly cwd: string;
  readonly entries: number;
  /** An entry has about so many, on average. */
  readonly bytes: number;
  /** Its last compaction lies so many entries before its end; without it nothing is summed up. */
  readonly compactedBefore?: number;
  /** What each reply says that it took; 0: it does not say. */
  readonly tokens?: number;
}

const began = Date.parse('2026-01-01T00:00:00.000Z');
const pieceEntries = 1_000;

/** Writes a session as kern and pi do: again and again a request, a call, its result, an answer. */
export function writeSession(path: string, shape: SessionShape): void {
  mkdirSync(dirname(path), { recursive: true });
  const file = openSync(path, 'w');
  try {
    writeSync(file, headerLine(shape));
    for (let from = 0; from < shape.entries; from += pieceEntries) {
      const count = Math.min(pieceEntries, shape.entries - from);
      writeSync(file, Array.from({ length: count }, (_, nth) => entryLine(shape, from + nth)).join(''));
    }
  } finally {
    closeSync(file);
  }
}

const lineOf = (value: object): string => `${JSON.stringify(value)}\n`;

function headerLine({ id, cwd }: SessionShape): string {
  return lineOf({ type: 'session', version: 3, id, timestamp: new Date(began).toISOString(), cwd });
}

function entryLine(shape: SessionShape, nth: number): string {
  const place = {
    id: idOf(nth),
    parentId: nth === 0 ? null : idOf(nth - 1),
    timestamp: new Date(began + nth * 1_000).toISOString(),
  };
  // What it keeps begins at a request.
  if (shape.compactedBefore !== undefined && nth === shape.entries - shape.compactedBefore) {
    const firstKeptEntryId = idOf(Math.max(0, nth - 20 - (nth % 4)));
    return lineOf({
      type: 'compaction',
      ...place,
      summary: 'What was done so far.',
      firstKeptEntryId,
      tokensBefore: 1,
    });
  }
  return lineOf({ type: 'message', ...place, message: messageOf(shape, nth) });
}

const idOf = (nth: number): string => nth.toString(16).padStart(8, '0');

/** Requests are short, results long, as they are. */
function messageOf({ bytes, tokens = 0 }: SessionShape, nth: number): object {
  const timestamp = began + nth * 1_000;
  const text = (share: number): string => words(Math.max(20, Math.round(bytes * share)), nth);
  const said = (share: number): readonly object[] => [{ type: 'text', text: text(share) }];
  const turn = nth - (nth % 4);
  const call = { type: 'toolCall', id: `call_${turn}`, name: 'read', arguments: { path: 'note.txt' } };
  switch (nth % 4) {
    case 0:
      return { role: 'user', content: said(0.2), timestamp };
    case 1:
      return { ...reply(tokens, timestamp), content: [call], stopReason: 'toolUse' };
    case 2:
      return {
        role: 'toolResult',
        toolCallId: call.id,
        toolName: 'read',
        content: said(2.2),
        isError: false,
        timestamp,
      };
    default:
      return { ...reply(tokens, timestamp), content: said(0.6), stopReason: 'stop' };
  }
}

function reply(totalTokens: number, timestamp: number): object {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const usage = { input: totalTokens, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens, cost };
  return { role: 'assistant', api: 'script', provider: 'script', model: 'bench', usage, timestamp };
}

const sentence = 'Words of a session are of many kinds, and "some" of them have to be escaped.\n';

function words(length: number, nth: number): string {
  return `${nth} ${sentence.repeat(Math.ceil(length / sentence.length))}`.slice(0, length);
}
