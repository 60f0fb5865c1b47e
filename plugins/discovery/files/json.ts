/** What a text holds, or why it cannot be read. */
export type Read = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly why: string };

/** JSON as people write it: with comments, commas at the end and a byte order mark. An empty text holds nothing. */
export function readJson(text: string): Read {
  if (text.trim() === '') return { ok: true, value: undefined };
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    // Perhaps only for its comments.
  }
  try {
    return { ok: true, value: JSON.parse(withoutComments(text)) };
  } catch (error) {
    const { message } = error as SyntaxError; // JSON.parse throws nothing else
    const at = /at position (\d+)/.exec(message)?.[1];
    const line =
      at === undefined ? text.trimEnd().split('\n').length : lineAt(text, Math.min(Number(at), text.trimEnd().length));
    return {
      ok: false,
      why: `line ${line}: ${message.replace(/ in JSON at position .*$/s, '').replace(/, ?(?:\.\.\.)?".*$/s, '')}`,
    };
  }
}

const lineAt = (text: string, position: number): number => text.slice(0, position).split('\n').length;

/** Every character keeps its place, so that the line of an error is the one in the file. */
function withoutComments(text: string): string {
  const blank = (part: string): string => part.replace(/[^\n]/g, ' ');
  const bare = text.replace(/"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (part) =>
    part.startsWith('"') ? part : blank(part),
  );
  return bare.replace(/"(?:[^"\\\n]|\\.)*"|,(?=\s*[}\]])/g, (part) => (part === ',' ? ' ' : part));
}
