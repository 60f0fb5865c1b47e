import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { effectsOf } from './edit-files.ts';

function folderWith(...names: readonly string[]): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'kern-places-')));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  for (const name of names) writeFileSync(join(dir, name), 'text');
  return dir;
}

test('what is deleted or made is named exactly; a file whose text is changed may be named by what looks the same', () => {
  const dir = folderWith('f', 'it\u2019s.txt');
  const request = {
    format: 'patch' as const,
    files: [
      { op: 'delete' as const, path: '@f' },
      { op: 'delete' as const, path: "it's.txt" },
    ],
  };
  expect(effectsOf(request as never, dir)).toEqual([
    { kind: 'delete', path: join(dir, '@f') },
    { kind: 'delete', path: join(dir, "it's.txt") },
  ]);
  const update = { format: 'patch' as const, files: [{ op: 'update' as const, path: "it's.txt" }] };
  expect(effectsOf(update as never, dir)).toEqual([{ kind: 'write', path: join(dir, 'it\u2019s.txt') }]);
});
