import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from './folders.ts';

test('a folder is made with what is missing above it, and one that is there stays', async () => {
  const base = mkdtempSync(path.join(tmpdir(), 'kern-folders-'));
  try {
    const deep = path.join(base, 'a', 'b', 'c');
    await Promise.all([makeFolder(deep, 0o700), makeFolder(deep, 0o700)]);
    expect(statSync(deep).mode & 0o777).toBe(0o700);
    await makeFolder(deep);
    writeFileSync(path.join(base, 'file'), '');
    await expect(makeFolder(path.join(base, 'file', 'below'))).rejects.toMatchObject({ code: 'EEXIST' });
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
});

test.skipIf(!existsSync('/proc/self'))(
  'where no folder can be made it says so, and does not try for ever',
  async () => {
    await expect(makeFolder('/proc/kern-test')).rejects.toMatchObject({ code: 'ENOENT' });
  },
);
