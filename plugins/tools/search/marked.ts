/** A pattern or a glob, or the part of it around a place, with a mark under the place. */
export function markedAt(text: string, at: number): string {
  const reach = 40;
  const from = Math.max(0, at - reach);
  const part = oneLine(`${from > 0 ? '…' : ''}${text.slice(from, at + reach)}${at + reach < text.length ? '…' : ''}`);
  const before = `${from > 0 ? '…' : ''}${text.slice(from, at)}`;
  return `  ${part}\n  ${' '.repeat([...oneLine(before)].length)}^`;
}

const oneLine = (text: string): string => text.replaceAll('\n', '␊').replaceAll('\t', ' ');
