import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { counts } from '../cli/test/soak.ts';
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

test('names that differ in case or accents wait for each other, as some volumes take them for one', async () => {
  const dir = testFolder();
  const files = createFileStore();
  const order: string[] = [];
  const change = (name: string) => async (): Promise<void> => {
    order.push(name);
    await sleep(5);
    order.push(name);
  };
  await Promise.all(['é.txt', 'e\u0301.TXT'].map((name) => files.inOrder(join(dir, name), change(name))));
  expect(order).toEqual(['é.txt', 'é.txt', 'e\u0301.TXT', 'e\u0301.TXT']);
});

test('the names of one file (hard links) wait for each other', async () => {
  const dir = testFolder();
  writeFileSync(join(dir, 'a'), '0');
  linkSync(join(dir, 'a'), join(dir, 'b'));
  const files = createFileStore();
  await Promise.all(
    Array.from({ length: 20 }, (_, at) => {
      const path = join(dir, at % 2 === 0 ? 'a' : 'b');
      return files.inOrder(path, () => files.replace(path, bytes(String(Number(readFileSync(path, 'utf8')) + 1))));
    }),
  );
  expect(readFileSync(join(dir, 'b'), 'utf8')).toBe('20');
  expect(statSync(join(dir, 'a')).ino).toBe(statSync(join(dir, 'b')).ino);
});

test('a change of several files waits for all of them, and two such never for each other', async () => {
  const dir = testFolder();
  const files = createFileStore({ cache: () => join(dir, 'cache') });
  const [a, b] = [join(dir, 'a'), join(dir, 'b')];
  const order: string[] = [];
  const change = (name: string) => async (): Promise<void> => {
    order.push(name);
    await sleep(5);
    order.push(name);
  };
  await Promise.all([
    files.inOrder(a, change('a')),
    files.inOrder([a, b, a], change('a b')),
    files.inOrder([b, a], change('b a')),
    files.inOrder(b, change('b')),
  ]);
  expect(order).toEqual(['a', 'a', 'a b', 'a b', 'b a', 'b a', 'b', 'b']);
  expect(readdirSync(join(dir, 'cache/locks'))).toEqual([]);
});

test('a change that was given up while it waited does not run', async () => {
  const dir = testFolder();
  const files = createFileStore();
  const giveUp = new AbortController();
  const first = files.inOrder(join(dir, 'a'), async () => giveUp.abort());
  const second = files.inOrder(join(dir, 'a'), async () => expect.unreachable(), giveUp.signal);
  await first;
  await expect(second).rejects.toMatchObject({ name: 'AbortError' });
});

test('a file that is written in place has a copy of its old content until the new one is there', async () => {
  const dir = testFolder();
  writeFileSync(join(dir, 'a'), 'a longer old text');
  linkSync(join(dir, 'a'), join(dir, 'b'));
  mkdirSync(join(dir, 'cache'));
  writeFileSync(join(dir, 'cache/kern-backups'), 'so that no copy can be made');
  const files = createFileStore({ cache: () => join(dir, 'cache') });
  await expect(files.replace(join(dir, 'a'), bytes('new'))).rejects.toMatchObject({ code: 'file_not_written' });
  expect(readFileSync(join(dir, 'b'), 'utf8')).toBe('a longer old text');
  rmSync(join(dir, 'cache/kern-backups'));
  await files.replace(join(dir, 'a'), bytes('new'));
  expect(readFileSync(join(dir, 'b'), 'utf8')).toBe('new');
  expect(readdirSync(join(dir, 'cache/kern-backups'))).toEqual([]);
});

test('a new file that cannot be written leaves no folder that was made for it, and none that was there goes', async () => {
  const dir = testFolder();
  mkdirSync(join(dir, 'there'));
  const path = join(dir, 'there/made/deep', 'x'.repeat(300));
  await expect(createFileStore().replace(path, bytes('new'))).rejects.toMatchObject({ code: 'file_not_written' });
  expect(readdirSync(join(dir, 'there'))).toEqual([]);
});

const store = new URL('./file-store.ts', import.meta.url).href;

/** Runs a program on a small disk of its own, mounted on `dir`; answers with what it prints, or undefined where that is not allowed. */
function onSmallDisk(dir: string, program: string): string | undefined {
  const mount = 'mount -t tmpfs -o size=256k none "$1" || exit 77; exec "$2" --input-type=module -e "$3"';
  const ran = spawnSync('unshare', ['-m', 'sh', '-c', mount, 'sh', dir, process.execPath, program], {
    encoding: 'utf8',
  });
  if (ran.error !== undefined || ran.status === 77 || /unshare/.test(ran.stderr)) return undefined;
  expect(ran.stderr).toBe('');
  return ran.stdout;
}

/** Tried on a folder of its own: kern itself may lie in the folder for temporary files. */
function probe(): boolean {
  const dir = mkdtempSync(join(tmpdir(), 'kern-mount-'));
  try {
    return onSmallDisk(dir, 'console.log("yes")') !== undefined;
  } finally {
    rmSync(dir, { recursive: true });
  }
}

const canMount = process.platform === 'linux' && probe();

test.skipIf(!canMount)(
  `a full disk loses nothing, whichever way a file is written${canMount ? '' : ' (needs unshare -m and mount)'}`,
  () => {
    const dir = testFolder();
    const cache = testFolder();
    const program = `
    import { existsSync, linkSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
    const { createFileStore } = await import(${JSON.stringify(store)});
    const files = createFileStore({ cache: () => ${JSON.stringify(cache)} });
    const at = (name) => ${JSON.stringify(dir)} + '/' + name;
    writeFileSync(at('plain'), 'old');
    writeFileSync(at('one'), 'old'.repeat(2000));
    linkSync(at('one'), at('two'));
    for (const name of ['plain', 'one', 'fresh', 'made/deep/fresh'])
      await files.replace(at(name), Buffer.alloc(400_000, 'n')).catch((error) => console.log(error.code, error.message));
    console.log(readFileSync(at('plain'), 'utf8') === 'old', readFileSync(at('two'), 'utf8') === 'old'.repeat(2000), existsSync(at('fresh')));
    console.log(readdirSync(at('.')).join(' '));`;
    const full = (name: string): string =>
      `file_not_written ${join(dir, name)} was not written: the disk is full; what was there is unchanged\n`;
    expect(onSmallDisk(dir, program)).toBe(
      `${full('plain')}${full('one')}${full('fresh')}${full('made/deep/fresh')}true true false\none plain two\n`,
    );
    expect(readdirSync(join(cache, 'kern-backups'))).toEqual([]);
  },
);

test.skipIf(!canMount)(
  `a file that something is mounted on is written in place${canMount ? '' : ' (needs unshare -m and mount)'}`,
  () => {
    const dir = testFolder();
    const other = testFolder();
    const program = `
    import { readFileSync, writeFileSync } from 'node:fs';
    import { execFileSync } from 'node:child_process';
    const { createFileStore } = await import(${JSON.stringify(store)});
    const [inner, outer] = [${JSON.stringify(dir)} + '/inner', ${JSON.stringify(other)} + '/outer'];
    writeFileSync(inner, 'inner'); writeFileSync(outer, 'outer');
    execFileSync('mount', ['--bind', outer, inner]);
    console.log((await createFileStore().replace(inner, Buffer.from('new'))).state, readFileSync(outer, 'utf8'));`;
    expect(onSmallDisk(dir, program)).toBe('replaced new\n');
  },
);

test('a folder that vanished while a change waited is made again', async () => {
  const dir = testFolder();
  mkdirSync(join(dir, 'a/b'), { recursive: true });
  writeFileSync(join(dir, 'a/b/c'), 'old');
  const files = createFileStore();
  await files.inOrder(join(dir, 'a/b/c'), async () => {
    rmSync(join(dir, 'a'), { recursive: true });
    expect(await files.replace(join(dir, 'a/b/c'), bytes('new'))).toMatchObject({ state: 'created' });
  });
  expect(readFileSync(join(dir, 'a/b/c'), 'utf8')).toBe('new');
});

test('a process that is killed at any moment leaves the old content or the new, whole', async () => {
  const dir = testFolder();
  const path = join(dir, 'a');
  const program = `
    const { createFileStore } = await import(${JSON.stringify(store)});
    const files = createFileStore({ cache: () => ${JSON.stringify(join(dir, 'cache'))} });
    const put = (letter) => files.inOrder(${JSON.stringify(path)}, () => files.replace(${JSON.stringify(path)}, Buffer.alloc(300_000, letter)));
    await put('a');
    console.log('ready');
    for (let at = 0; ; at += 1) await put(at % 2 === 0 ? 'b' : 'a');`;
  for (let round = 0; round < counts({ test: 3, soak: 30 }); round += 1) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise((resolve) => child.stdout.once('data', resolve));
    await sleep(round * 7);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
    const content = readFileSync(path, 'latin1');
    expect(content.length).toBe(300_000);
    expect(new Set(content).size).toBe(1);
  }
});
