/** A file of an extension, its path relative to the extensions folder. */
export interface ExtensionFile {
  readonly path: string;
  readonly text: string;
}

/**
 * So many extensions out of a few: each file or folder is one, and where they run out they come again under other ids.
 * Files of one folder belong together.
 */
export function copies(files: readonly ExtensionFile[], count: number): readonly ExtensionFile[] {
  const extensions = Map.groupBy(files, ({ path }) => path.split('/')[0] ?? path);
  const originals = [...extensions];
  if (originals.length === 0) return [];
  return Array.from({ length: count }, (_, at) => {
    const [name, own] = originals[at % originals.length] as (typeof originals)[number];
    const turn = Math.floor(at / originals.length);
    return turn === 0 ? own : own.map((file) => copyOf(file, name, turn + 1));
  }).flat();
}

function copyOf({ path, text }: ExtensionFile, name: string, nth: number): ExtensionFile {
  const dot = name.indexOf('.');
  const renamed = dot === -1 ? `${name}-${nth}` : `${name.slice(0, dot)}-${nth}${name.slice(dot)}`;
  return { path: `${renamed}${path.slice(name.length)}`, text: withId(text, nth) };
}

/** The plugin's id, and the ids of its tokens, which begin with it. */
function withId(text: string, nth: number): string {
  const id = /definePlugin\(\{\s*id: '([^']+)'/.exec(text)?.[1];
  if (id === undefined) return text;
  return text.replaceAll(`'${id}'`, `'${id}-${nth}'`).replaceAll(`'${id}/`, `'${id}-${nth}/`);
}
