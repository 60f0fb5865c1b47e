import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createFileStore } from './file-store.ts';
import { testFolder } from './test/context.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const nobody = 65_534;

/** Root may do everything: what a refusal looks like is seen as somebody else. */
async function asSomebody(dir: string, fn: () => Promise<void>): Promise<void> {
  if (process.geteuid?.() !== 0) return fn();
  chownSync(dir, nobody, nobody);
  process.setegid?.(nobody);
  process.seteuid?.(nobody);
  try {
    await fn();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
  }
}

test('changes of one file run one after the other in the order they were asked for, by whatever name', async () => {
  const dir = testFolder();
  const files = createFileStore();
  writeFileSync(join(dir, 'a'), '');
  symlinkSync('a', join(dir, 'link'));
  const order: string[] = [];
  const change = (name: string, ms: number) => async (): Promise<string> => {
    order.push(`${name} starts`);
    await sleep(ms);
    order.push(`${name} ends`);
    return name;
  };
  const done = await Promise.all([
    files.inOrder(join(dir, 'a'), change('one', 20)),
    files.inOrder(join(dir, 'link'), change('two', 1)),
    files.inOrder(join(dir, 'a'), change('three', 1)),
  ]);
  expect(done).toEqual(['one', 'two', 'three']);
  expect(order).toEqual(['one starts', 'one ends', 'two starts', 'two ends', 'three starts', 'three ends']);
});

test('changes of different files do not wait for each other, and a failed one holds up nobody', async () => {
  const dir = testFolder();
  const files = createFileStore();
  const never = Promise.withResolvers<void>();
  const waiting = files.inOrder(join(dir, 'a'), () => never.promise);
  await expect(files.inOrder(join(dir, 'b'), async () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await files.inOrder(join(dir, 'b'), async () => 'went on')).toBe('went on');
  never.resolve();
  await waiting;
});

test('a hundred increments of one file lose none', async () => {
  const dir = testFolder();
  const files = createFileStore();
  const path = join(dir, 'count');
  writeFileSync(path, '0');
  await Promise.all(
    Array.from({ length: 100 }, () =>
      files.inOrder(path, () => files.replace(path, bytes(String(Number(readFileSync(path, 'utf8')) + 1)))),
    ),
  );
  expect(readFileSync(path, 'utf8')).toBe('100');
});

test('when the new file cannot take the place, the old one stands and nothing is left beside it', async () => {
  const dir = testFolder();
  // A name so long that the name beside it does not fit would be no failure; a folder in the place is.
  mkdirSync(join(dir, 'a/b'), { recursive: true });
  await expect(createFileStore().replace(join(dir, 'a'), bytes('x'))).rejects.toMatchObject({ code: 'not_a_file' });
  expect(readdirSync(dir)).toEqual(['a']);
});

test('a write-protected file is not replaced', async () => {
  const dir = testFolder();
  await asSomebody(dir, async () => {
    writeFileSync(join(dir, 'a'), 'old');
    chmodSync(join(dir, 'a'), 0o444);
    await expect(createFileStore().replace(join(dir, 'a'), bytes('x'))).rejects.toThrow(
      'it may not be changed by this user',
    );
    expect(readFileSync(join(dir, 'a'), 'utf8')).toBe('old');
  });
});

test('in a folder that takes no new file the file itself is written', async () => {
  const dir = testFolder();
  await asSomebody(dir, async () => {
    mkdirSync(join(dir, 'closed'));
    writeFileSync(join(dir, 'closed/a'), 'a longer old text');
    chmodSync(join(dir, 'closed'), 0o555);
    const inode = statSync(join(dir, 'closed/a')).ino;
    await createFileStore().replace(join(dir, 'closed/a'), bytes('new'));
    expect(readFileSync(join(dir, 'closed/a'), 'utf8')).toBe('new');
    expect(statSync(join(dir, 'closed/a')).ino).toBe(inode);
    chmodSync(join(dir, 'closed'), 0o755);
  });
});

test('a file of somebody else that may be written keeps its owner', async () => {
  const dir = testFolder();
  writeFileSync(join(dir, 'a'), 'old');
  chmodSync(join(dir, 'a'), 0o666);
  const owner = statSync(join(dir, 'a')).uid;
  await asSomebody(dir, async () => {
    await createFileStore().replace(join(dir, 'a'), bytes('new'));
  });
  expect(readFileSync(join(dir, 'a'), 'utf8')).toBe('new');
  expect(statSync(join(dir, 'a')).uid).toBe(owner);
});

test('a file whose name leaves no room for a name beside it is written all the same', async () => {
  const dir = testFolder();
  const path = join(dir, 'n'.repeat(255));
  const files = createFileStore();
  await files.replace(path, bytes('one'));
  await files.replace(path, bytes('two'));
  expect(readFileSync(path, 'utf8')).toBe('two');
  expect(readdirSync(dir)).toHaveLength(1);
});
