/** A header is looked for this far. */
const longestHead = 1024 * 1024;

/**
 * The content of a session file with another first line. What stood before the old one follows the new one; `shifted`
 * is told by how many bytes everything behind them moves.
 */
export async function* reheaded(
  content: AsyncIterable<Uint8Array>,
  header: string,
  shifted: (by: number) => void,
): AsyncGenerator<string | Uint8Array> {
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of content) {
    if (head === undefined) {
      yield chunk;
      continue;
    }
    head = Buffer.concat([head, chunk]);
    const old = headerIn(head);
    if (old === undefined && head.length < longestHead) continue;
    yield* withHeader(head, old, header, shifted);
    head = undefined;
  }
  if (head !== undefined) yield* withHeader(head, headerIn(head), header, shifted);
}

interface Lines {
  readonly from: number;
  readonly to: number;
}

function* withHeader(
  head: Buffer,
  old: Lines | undefined,
  header: string,
  shifted: (by: number) => void,
): Generator<string | Uint8Array> {
  const { from, to } = old ?? { from: 0, to: 0 };
  shifted(Buffer.byteLength(header) - (to - from));
  yield header;
  yield head.subarray(0, from);
  yield head.subarray(to);
}

/** The whole line that is the header. */
function headerIn(bytes: Buffer): Lines | undefined {
  for (let from = 0; ; ) {
    const end = bytes.indexOf(0x0a, from);
    if (end === -1) return undefined;
    if (isHeader(bytes.toString('utf8', from, end))) return { from, to: end + 1 };
    from = end + 1;
  }
}

function isHeader(line: string): boolean {
  if (!line.includes('"session"')) return false;
  try {
    return JSON.parse(line).type === 'session';
  } catch {
    return false;
  }
}
