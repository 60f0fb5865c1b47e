import { createHash } from 'node:crypto';
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import path from 'node:path';

/** What goes beyond this is no package that kern takes. */
export const limits = { files: 50_000, bytes: 512 * 1_048_576 };

interface Leaf {
  /** From the folder, with slashes. */
  readonly name: string;
  readonly file: string;
  readonly isLink: boolean;
  /** What the file system says of it. Its change time moves with every write. */
  readonly mark: string;
}

/** What a package consists of. */
export interface Parts {
  /** Over its own files. */
  readonly content: string;
  /** Over the packages beside it; undefined where there are none. */
  readonly modules: string | undefined;
  /** What the file system says of all of them: as long as that is the same, they are. */
  readonly marks: string;
}

/** Reads all files of an installed package. */
export async function partsOf(folder: string): Promise<Parts> {
  const { own, modules } = await leavesOf(folder);
  return {
    content: await digest(own),
    modules: modules.length === 0 ? undefined : await digest(modules),
    marks: marksOf([...own, ...modules]),
  };
}

/** Looks at all files and reads none. */
export async function marksIn(folder: string): Promise<string> {
  const { own, modules } = await leavesOf(folder);
  return marksOf([...own, ...modules]);
}

async function leavesOf(folder: string): Promise<{ readonly own: readonly Leaf[]; readonly modules: readonly Leaf[] }> {
  const all = await leavesBelow(folder);
  const isModule = ({ name }: Leaf): boolean => name.startsWith('node_modules/');
  // Written by npm for itself, and different on every machine.
  const isOfNpm = ({ name }: Leaf): boolean => /^node_modules\/(?:\.bin\/|\.package-lock\.json$)/.test(name);
  return {
    own: all.filter((leaf) => !isModule(leaf)),
    modules: all.filter((leaf) => isModule(leaf) && !isOfNpm(leaf)),
  };
}

async function leavesBelow(folder: string): Promise<readonly Leaf[]> {
  const found: Leaf[] = [];
  const waiting = [''];
  for (let inside = waiting.pop(); inside !== undefined; inside = waiting.pop()) {
    const entries = await readdir(path.join(folder, inside), { withFileTypes: true });
    const leaves = await Promise.all(
      entries.map(async (entry): Promise<Leaf | undefined> => {
        const name = inside === '' ? entry.name : `${inside}/${entry.name}`;
        if (entry.isDirectory()) {
          waiting.push(name);
          return undefined;
        }
        const file = path.join(folder, name);
        const { size, mtimeMs, ctimeMs, ino, mode } = await lstat(file);
        const isLink = entry.isSymbolicLink();
        if (!isLink && !entry.isFile()) throw new Error(`${name} is no plain file`);
        return { name, file, isLink, mark: `${name} ${size} ${mtimeMs} ${ctimeMs} ${ino} ${mode & 0o111}` };
      }),
    );
    for (const leaf of leaves) if (leaf !== undefined) found.push(leaf);
    if (found.length > limits.files) throw new Error(`it holds more than ${limits.files} files`);
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function digest(leaves: readonly Leaf[]): Promise<string> {
  const whole = createHash('sha256');
  for (const { name, file, isLink } of leaves) {
    const bytes = isLink ? `link ${await readlink(file)}` : await readFile(file);
    whole.update(`${name}\0${createHash('sha256').update(bytes).digest('hex')}\n`);
  }
  return `sha256-${whole.digest('hex')}`;
}

const marksOf = (leaves: readonly Leaf[]): string =>
  createHash('sha256')
    .update(leaves.map(({ mark }) => mark).join('\n'))
    .digest('hex');
