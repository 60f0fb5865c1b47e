import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

/** A real, private folder with these files, gone when the test is. */
export function folderWith(files: Readonly<Record<string, string>> = {}): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'kern-test-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  put(folder, files);
  return folder;
}

/** Writes files below a folder, with the folders they need. */
export function put(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

/** What an action that must fail threw. */
export async function failure(action: () => unknown): Promise<{ code?: string; message: string; hint?: string }> {
  try {
    await action();
  } catch (thrown) {
    return thrown as { code?: string; message: string };
  }
  throw new Error('it did not fail');
}
