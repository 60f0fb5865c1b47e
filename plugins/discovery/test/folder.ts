import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A folder with files, gone with `using`. */
export interface Folder extends Disposable {
  readonly path: string;
  put(files: Readonly<Record<string, string | Uint8Array>>): void;
}

export function folderWith(files: Readonly<Record<string, string | Uint8Array>> = {}): Folder {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'kern-discovery-')));
  const put: Folder['put'] = (more) => {
    for (const [name, content] of Object.entries(more)) {
      const file = path.join(folder, name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, content);
    }
  };
  put(files);
  return {
    path: folder,
    put,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}
