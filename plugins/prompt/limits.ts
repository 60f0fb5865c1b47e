/** A text for the model, with where the whole of it stands. */
export interface Piece {
  readonly id: string;
  readonly heading: string;
  readonly text: string;
  readonly path: string;
  /** As it is named to the model. */
  readonly shown: string;
}

export interface Limits {
  readonly maxFileBytes: number;
  readonly maxBytes: number;
}

/** A piece as it is told, and what a person is told of one that was too long. */
export interface Fitted {
  readonly id: string;
  readonly text: string;
  readonly path: string;
  readonly notice?: string;
}

/** What is too long is cut at the end of a line, and the model is told where the rest is. The last ones count most. */
export function fitted(pieces: readonly Piece[], { maxFileBytes, maxBytes }: Limits): readonly Fitted[] {
  let left = maxBytes;
  return pieces
    .toReversed()
    .map(({ id, heading, text, path, shown }): Fitted => {
      const most = Math.min(maxFileBytes, left);
      const bytes = Buffer.byteLength(text);
      const kept = bytes <= most ? text : cut(text, most);
      left -= Buffer.byteLength(kept);
      if (kept === text) return { id, path, text: `${heading}\n\n${text}` };
      const told = Buffer.byteLength(kept);
      const rest = `[${shown} has ${bytes} bytes, of which ${told} stand here. Read the file for the rest.]`;
      return {
        id,
        path,
        text: [heading, kept, rest].filter((part) => part !== '').join('\n\n'),
        notice: `${path} has ${bytes} bytes: the model is told ${told} of them. Make it shorter, or set plugins.prompt.maxFileBytes and plugins.prompt.maxBytes.`,
      };
    })
    .toReversed();
}

function cut(text: string, most: number): string {
  // No half of a character: what is no whole one at the end is left out.
  const whole = new TextDecoder().decode(Buffer.from(text).subarray(0, most), { stream: true });
  const end = whole.lastIndexOf('\n');
  return (end > 0 ? whole.slice(0, end) : whole).trimEnd();
}
