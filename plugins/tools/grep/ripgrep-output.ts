import type { Hits } from './query.ts';

/** Reads what ripgrep prints with --null: `path NUL number : text LF`, and `-` for `:` beside a hit. */
export interface OutputReader {
  push(chunk: Uint8Array): void;
  end(): void;
}

/** What ripgrep cuts a line to, in characters. Ours are fewer, and counted otherwise. */
export const columns = 4096;
/** Of a line no more than this is kept: one character may be of any size. */
const keptBytes = 16 * 1024;

const omitted = / \[\.\.\. (?:omitted end of long line|\d+ more match(?:es)?)\]$/;
const binaryMessage =
  /^([\s\S]*?): (?:WARNING: stopped searching binary file after match|binary file matches) \(found [^\n]*\)\n/;

export function createOutputReader(hits: Pick<Hits, 'line' | 'binary'>): OutputReader {
  let field: 'path' | 'number' | 'text' = 'path';
  let parts: Buffer[] = [];
  let size = 0;
  let path = '';
  let number = 0;
  let isHit = true;

  const keep = (bytes: Buffer): void => {
    const room = keptBytes - size;
    if (bytes.length > 0 && room > 0) parts.push(Buffer.from(bytes.subarray(0, room)));
    size += bytes.length;
  };
  const taken = (): string => {
    const text = Buffer.concat(parts).toString('utf8');
    parts = [];
    return text;
  };
  const readPath = (): void => {
    path = withoutMessages(taken(), hits).replace(/^\.\//, '');
    size = 0;
    number = 0;
    field = 'number';
  };
  const readText = (): void => {
    const wasLong = size > columns;
    const wasCut = size > keptBytes;
    const text = taken().replace(/\r$/, '');
    const whole = wasLong ? text.replace(omitted, '') : text;
    hits.line(path, number, isHit, whole, wasCut || whole !== text);
    size = 0;
    field = 'path';
  };

  return {
    push(chunk) {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      for (let at = 0; at < bytes.length; ) {
        if (field === 'number') {
          const byte = bytes[at] ?? 0;
          at += 1;
          if (byte >= 48 && byte <= 57) {
            number = number * 10 + byte - 48;
            continue;
          }
          isHit = byte === 58;
          field = 'text';
          continue;
        }
        const end = bytes.indexOf(field === 'path' ? 0 : 10, at);
        keep(bytes.subarray(at, end === -1 ? bytes.length : end));
        if (end === -1) return;
        at = end + 1;
        if (field === 'path') readPath();
        else readText();
      }
    },
    end() {
      if (field === 'path') withoutMessages(taken(), hits);
      else if (field === 'text') readText();
    },
  };
}

/** What ripgrep says of a binary file stands where a path would begin. */
function withoutMessages(text: string, hits: Pick<Hits, 'binary'>): string {
  let rest = text;
  for (let message = binaryMessage.exec(rest); message !== null; message = binaryMessage.exec(rest)) {
    hits.binary((message[1] ?? '').replace(/^\.\//, ''));
    rest = rest.slice(message[0].length);
  }
  return rest;
}
