/** Where a key stands: in a variable of the environment, behind a command, or written out. */
export type KeySource =
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'command'; readonly command: string }
  | { readonly kind: 'literal'; readonly key: string };

/** Reads `$NAME` (or `${NAME}`), `!command`, or the key itself. */
export function keySource(text: string): KeySource {
  if (text.startsWith('!')) return { kind: 'command', command: text.slice(1).trim() };
  if (text.startsWith('$')) return { kind: 'variable', name: text.slice(1).replace(/^\{(.*)\}$/, '$1') };
  return { kind: 'literal', key: text };
}

/** What can be told of a source without running anything: its key, or that there may be one. */
export function keyAtHand(text: string): { readonly isThere: boolean; readonly key: string | undefined } {
  const source = keySource(text);
  if (source.kind === 'command') return { isThere: true, key: undefined };
  const key = (source.kind === 'variable' ? process.env[source.name] : source.key)?.trim() || undefined;
  return { isThere: key !== undefined, key };
}

/** The variables that hold keys. */
export function keyVariables(sources: readonly string[]): readonly string[] {
  return sources.flatMap((text) => {
    const source = keySource(text);
    return source.kind === 'variable' ? [source.name] : [];
  });
}

/** A line as words: quotes hold words together, and there is no shell to understand anything else. */
export function wordsOf(line: string): readonly string[] {
  const words = line.matchAll(/(?:[^\s"']|"(?:[^"\\]|\\.)*"|'[^']*')+/g);
  return [...words].map(([word]) =>
    word.replace(
      /"((?:[^"\\]|\\.)*)"|'([^']*)'/g,
      (_, double?: string, single?: string) => single ?? double?.replace(/\\(.)/g, '$1') ?? '',
    ),
  );
}
