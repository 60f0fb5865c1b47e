import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** What stands at a path: text, bytes, or where a link leads. A path that ends with `/` is an empty folder. */
export type Tree = Readonly<Record<string, string | Uint8Array | { readonly link: string }>>;

/** Puts files into a folder. */
export function plant(folder: string, tree: Tree): void {
  for (const [path, content] of Object.entries(tree)) {
    const place = join(folder, path);
    if (path.endsWith('/')) {
      mkdirSync(place, { recursive: true });
      continue;
    }
    mkdirSync(dirname(place), { recursive: true });
    if (typeof content === 'object' && 'link' in content) symlinkSync(content.link, place);
    else writeFileSync(place, content);
  }
}

/** A folder of its own for a test, gone with it. */
export function planted(tree: Tree): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'kern-search-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  plant(folder, tree);
  return folder;
}
