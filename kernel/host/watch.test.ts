import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test, vi } from 'vitest';
import { contentHash } from './hash.ts';
import { createWatcher, type Watcher } from './watch.ts';

interface Bench {
  readonly folder: string;
  readonly watcher: Watcher;
  /** Each batch as it was told. */
  readonly batches: (readonly string[])[];
  readonly errors: unknown[];
  path(name: string): string;
  write(name: string, text: string): string;
  /** Waits until a change of this path is told, and forgets all that was told. */
  told(name: string): Promise<void>;
  /** Everything that was told, once a marker that was written last is told too. */
  allTold(): Promise<string[]>;
}

const undo: (() => unknown)[] = [];

afterEach(async () => {
  for (const fn of undo.splice(0).reverse()) await fn();
});

function bench(debounceMs = 50): Bench {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'kern-watch-')));
  undo.push(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  const batches: (readonly string[])[] = [];
  const errors: unknown[] = [];
  const watcher = createWatcher({
    debounceMs,
    onChange: (paths) => batches.push(paths),
    onError: (error) => errors.push(error),
  });
  undo.push(() => watcher.close());
  const path = (name: string): string => join(folder, name);
  const write = (name: string, text: string): string => {
    mkdirSync(dirname(path(name)), { recursive: true });
    writeFileSync(path(name), text);
    return path(name);
  };
  let markers = 0;
  return {
    folder,
    watcher,
    batches,
    errors,
    path,
    write,
    async told(name) {
      await vi.waitFor(() => expect(batches.flat()).toContain(path(name)), { timeout: 15_000, interval: 10 });
      await watcher.pending();
      batches.length = 0;
    },
    async allTold() {
      markers += 1;
      const marker = write(`marker-${markers}`, 'before');
      watcher.watch(`marker-${markers}`, [marker]);
      writeFileSync(marker, 'after');
      await vi.waitFor(() => expect(batches.flat()).toContain(marker), { timeout: 15_000, interval: 10 });
      await new Promise((done) => setTimeout(done, 150));
      await watcher.pending();
      return batches.flat().filter((one) => !one.includes('marker-'));
    },
  };
}

test('a changed file is told, once, and only when its content changed', async () => {
  const { watcher, write, path, told, allTold } = bench();
  write('a.ts', 'one');
  watcher.watch('me', [path('a.ts')]);
  write('a.ts', 'two');
  await told('a.ts');
  utimesSync(path('a.ts'), new Date(), new Date());
  write('a.ts', 'two');
  expect(await allTold()).toEqual([]);
});

test('saved by atomic rename, by truncate and write, and by append', async () => {
  const { watcher, write, path, told } = bench();
  write('a.ts', 'one');
  watcher.watch('me', [path('a.ts')]);
  for (const text of ['two', 'three', 'four']) {
    write('a.ts.tmp', text);
    renameSync(path('a.ts.tmp'), path('a.ts'));
    await told('a.ts');
  }
  for (const text of ['five', 'six']) {
    write('a.ts', '');
    write('a.ts', text);
    await told('a.ts');
  }
  appendFileSync(path('a.ts'), '!');
  await told('a.ts');
});

test('deleted and restored, again and again', async () => {
  const { watcher, write, path, told } = bench();
  write('a.ts', 'same');
  watcher.watch('me', [path('a.ts')]);
  for (let round = 0; round < 3; round += 1) {
    rmSync(path('a.ts'));
    await told('a.ts');
    write('a.ts', 'same');
    await told('a.ts');
  }
});

test('away for a moment with the same content is no change', async () => {
  const { watcher, write, path, allTold } = bench(200);
  write('a.ts', 'same');
  watcher.watch('me', [path('a.ts')]);
  await allTold();
  rmSync(path('a.ts'));
  write('a.ts', 'same');
  expect(await allTold()).toEqual([]);
});

test('two saves within the window are one batch with the last content', async () => {
  const { watcher, write, path, batches, told } = bench(300);
  write('a.ts', 'one');
  write('b.ts', 'one');
  watcher.watch('me', [path('a.ts'), path('b.ts')]);
  write('a.ts', 'two');
  write('b.ts', 'two');
  write('a.ts', 'three');
  await vi.waitFor(() => expect(batches.length).toBe(1), { timeout: 15_000 });
  expect(batches).toEqual([[path('a.ts'), path('b.ts')]]);
  await told('a.ts');
});

test('a save that leaves the same size and the same time is told, by its content', async () => {
  const { watcher, write, batches } = bench();
  const files = Array.from({ length: 40 }, (_, at) => write(`${at}.ts`, 'aaaa'));
  for (const [at, file] of files.entries()) {
    // Within one tick of the clock by which the file system stamps.
    write(`${at}.ts`, 'bbbb');
    watcher.watch(`owner ${at}`, [file]);
    write(`${at}.ts`, 'cccc');
  }
  await vi.waitFor(() => expect(new Set(batches.flat()).size).toBe(40), { timeout: 15_000 });
});

test('a save in the middle of the first look at a folder is told', async () => {
  const { watcher, path, write, batches } = bench();
  for (let at = 0; at < 20; at += 1) write(`${at}/a.ts`, 'one');
  watcher.watch(
    'me',
    Array.from({ length: 20 }, (_, at) => path(String(at))),
  );
  for (let at = 0; at < 20; at += 1) {
    await new Promise((resolve) => setTimeout(resolve, at % 4));
    write(`${at}/a.ts`, 'another');
  }
  await vi.waitFor(() => expect(new Set(batches.flat()).size).toBe(20), { timeout: 15_000 });
});

test('a path that is not there yet is told when it comes, however deep', async () => {
  const { watcher, write, path, told } = bench();
  watcher.watch('me', [path('later.ts'), path('deep/er/later.ts')]);
  write('later.ts', 'here');
  await told('later.ts');
  write('deep/er/later.ts', 'here');
  await told('deep/er/later.ts');
  write('deep/er/later.ts', 'changed');
  await told('deep/er/later.ts');
  rmSync(path('deep'), { recursive: true });
  await told('deep/er/later.ts');
  write('deep/er/later.ts', 'back');
  await told('deep/er/later.ts');
});

test('a folder tells of what is added, changed and removed below it, and of its own coming and going', async () => {
  const { watcher, write, path, told } = bench();
  write('extensions/old.ts', 'old');
  watcher.watch('me', [path('extensions'), path('absent')]);
  write('extensions/new.ts', 'new');
  await told('extensions/new.ts');
  write('extensions/pack/index.ts', 'packed');
  await told('extensions/pack/index.ts');
  write('extensions/old.ts', 'changed');
  await told('extensions/old.ts');
  rmSync(path('extensions/pack'), { recursive: true });
  await told('extensions/pack/index.ts');
  rmSync(path('extensions/new.ts'));
  await told('extensions/new.ts');
  write('absent/first.ts', 'first');
  await told('absent/first.ts');
});

test('below a folder a touch is no change, and node_modules and .git are passed over', async () => {
  const { watcher, write, path, allTold } = bench();
  write('folder/skill.md', 'text');
  write('folder/node_modules/lib/index.js', 'text');
  watcher.watch('me', [path('folder')]);
  await allTold();
  utimesSync(path('folder/skill.md'), new Date(), new Date(1_000));
  write('folder/node_modules/lib/index.js', 'changed');
  write('folder/node_modules/other/index.js', 'new');
  write('folder/.git/index', 'new');
  expect(await allTold()).toEqual([]);
});

test('a file asked for by name is watched wherever it lies', async () => {
  const { watcher, write, path, told } = bench();
  write('folder/node_modules/plugin/index.ts', 'one');
  watcher.watch('folder', [path('folder')]);
  watcher.watch('plugin', [path('folder/node_modules/plugin/index.ts')]);
  write('folder/node_modules/plugin/index.ts', 'two');
  await told('folder/node_modules/plugin/index.ts');
});

test('a file that its owner gave up is still seen through the folder it lies in', async () => {
  const { watcher, write, path, told } = bench();
  write('folder/a.ts', 'one');
  watcher.watch('folder', [path('folder')]);
  watcher.watch('plugin', [path('folder/a.ts')]);
  write('folder/a.ts', 'two');
  await told('folder/a.ts');
  watcher.unwatch('plugin');
  rmSync(path('folder/a.ts'));
  await told('folder/a.ts');
  write('folder/a.ts', 'three');
  await told('folder/a.ts');
  watcher.watch('plugin', [path('folder/a.ts')]);
  watcher.unwatch('folder');
  write('folder/a.ts', 'four');
  await told('folder/a.ts');
});

test('what nobody wants any more is not told', async () => {
  const { watcher, write, path, allTold } = bench();
  write('a.ts', 'one');
  write('b.ts', 'one');
  watcher.watch('me', [path('a.ts'), path('b.ts')]);
  watcher.watch('other', [path('b.ts')]);
  watcher.watch('me', []);
  write('a.ts', 'two');
  write('b.ts', 'two');
  expect(await allTold()).toEqual([path('b.ts')]);
});

test('many paths come and go without piling up', async () => {
  const { watcher, write, path, told } = bench();
  write('a.ts', 'one');
  watcher.watch('stays', [path('a.ts')]);
  for (let round = 0; round < 300; round += 1) watcher.watch('changes', [path(`gone-${round}.ts`)]);
  write('a.ts', 'two');
  await told('a.ts');
  write('gone-299.ts', 'came');
  await told('gone-299.ts');
});

test('a change between the owner’s read and the watch is told', async () => {
  const { watcher, write, path, told, allTold } = bench();
  write('a.ts', 'as it is now');
  write('b.ts', 'as it was read');
  const known = new Map([
    [path('a.ts'), contentHash('as it was read')],
    [path('b.ts'), contentHash('as it was read')],
    [path('gone.ts'), contentHash('as it was read')],
  ]);
  watcher.watch('me', [...known.keys()], known);
  await told('a.ts');
  expect(await allTold()).toEqual([]);
  watcher.watch('me', [path('a.ts'), path('b.ts'), path('c.ts')]);
  expect(await allTold()).toEqual([]);
});

test('touched paths are told at once', async () => {
  const { watcher, write, path, batches } = bench(60_000);
  write('a.ts', 'one');
  watcher.watch('me', [path('a.ts'), path('folder')]);
  write('a.ts', 'two');
  watcher.touched([path('a.ts'), path('nobody-asked.ts')]);
  await vi.waitFor(() => expect(batches).toEqual([[path('a.ts')]]));
  write('folder/new.ts', 'new');
  watcher.touched([path('folder/new.ts'), path('a.ts')]);
  await vi.waitFor(() => expect(batches.at(-1)).toContain(path('folder/new.ts')));
  expect(batches.flat().filter((one) => one === path('a.ts'))).toHaveLength(1);
});

test('the file event of a touched path neither tells it again nor opens a window that a turn would wait for', async () => {
  const { watcher, write, path, batches } = bench(60_000);
  write('a.ts', 'one');
  watcher.watch('me', [path('a.ts')]);
  await new Promise((done) => setTimeout(done, 200)); // until chokidar listens
  write('a.ts', 'two');
  watcher.touched([path('a.ts')]);
  await new Promise((done) => setTimeout(done, 200)); // until its event has come
  await watcher.pending();
  expect(batches).toEqual([[path('a.ts')]]);
});

test('a touched folder is looked through: what changed, came and went below it', async () => {
  const { watcher, write, path, batches } = bench(60_000);
  for (const name of ['a.ts', 'gone.ts', 'same.ts', 'extensions/old.ts']) write(name, 'one');
  watcher.watch('me', [path('a.ts'), path('gone.ts'), path('same.ts'), path('later.ts'), path('extensions')]);
  write('a.ts', 'two');
  rmSync(path('gone.ts'));
  write('later.ts', 'here');
  write('extensions/new.ts', 'here');
  write('nobody-asked.ts', 'here');
  watcher.touched([dirname(path('a.ts'))]);
  const told = ['a.ts', 'extensions/new.ts', 'gone.ts', 'later.ts'].map(path);
  await vi.waitFor(() => expect(batches).toEqual([told]));
  write('extensions/pack/index.ts', 'here');
  watcher.touched([path('extensions/pack')]);
  await vi.waitFor(() => expect(batches.at(-1)).toContain(path('extensions/pack/index.ts')));
});

test('touched through a link is touched', async () => {
  const { watcher, write, path, batches } = bench(60_000);
  write('real/a.ts', 'one');
  symlinkSync(path('real'), path('link'));
  watcher.watch('me', [path('real/a.ts')]);
  write('real/a.ts', 'two');
  watcher.touched([path('link/a.ts')]);
  await vi.waitFor(() => expect(batches).toEqual([[path('real/a.ts')]]));
});

test('pending waits for the window and the comparison', async () => {
  const { watcher, write, path, batches } = bench(100);
  write('a.ts', 'one');
  watcher.watch('me', [path('a.ts')], new Map([[path('a.ts'), 'another']]));
  await watcher.pending();
  expect(batches).toEqual([[path('a.ts')]]);
});

test('a build that writes thousands of files below a watched folder is few batches', async () => {
  const count = process.env.KERN_SOAK === '1' ? 5_000 : 1_500;
  const { watcher, write, path, batches, errors } = bench();
  write('folder/first.js', 'first');
  watcher.watch('me', [path('folder')]);
  const started = performance.now();
  for (let i = 0; i < count; i += 1) write(`folder/out/${i % 50}/${i}.js`, `export default ${i};`);
  const seen = (): Set<string> => new Set(batches.flat().filter((one) => one.endsWith('.js')));
  await vi.waitFor(() => expect(seen().size).toBe(count), { timeout: 60_000, interval: 50 });
  // One batch when it is quick; a slow machine is told once a second.
  expect(batches.length).toBeLessThanOrEqual(2 + Math.ceil((performance.now() - started) / 1_000));
  expect(errors).toEqual([]);
}, 90_000);

test.skipIf(process.platform === 'win32')(
  'a pipe, a link to nothing and a circle of links are no trouble',
  async () => {
    const { watcher, write, path, told, errors } = bench();
    write('folder/a.ts', 'one');
    execFileSync('mkfifo', [path('folder/pipe.ts')]);
    symlinkSync(path('nowhere'), path('folder/dangling.ts'));
    symlinkSync(path('folder'), path('folder/circle'));
    watcher.watch('me', [path('folder'), path('folder/pipe.ts')]);
    write('folder/a.ts', 'two');
    await told('folder/a.ts');
    expect(errors).toEqual([]);
  },
);

test('a link that is pointed elsewhere is a change', async () => {
  const { watcher, write, path, told } = bench();
  write('one.ts', 'one');
  write('two.ts', 'two');
  symlinkSync(path('one.ts'), path('link.ts'));
  watcher.watch('me', [path('link.ts')]);
  symlinkSync(path('two.ts'), path('next'));
  renameSync(path('next'), path('link.ts'));
  await told('link.ts');
});

test('after close nothing is told, and nothing keeps the process alive', async () => {
  const { watcher, write, path, batches } = bench();
  write('a.ts', 'one');
  watcher.watch('me', [path('a.ts')]);
  write('a.ts', 'two');
  await watcher.close();
  watcher.watch('me', [path('a.ts')]);
  watcher.touched([path('a.ts')]);
  write('a.ts', 'three');
  await watcher.pending();
  await new Promise((done) => setTimeout(done, 100));
  expect(batches).toEqual([]);
  const script = `
    import { writeFileSync } from 'node:fs';
    import { createWatcher } from ${JSON.stringify(fileURLToPath(new URL('./watch.ts', import.meta.url)))};
    const handles = () => process.getActiveResourcesInfo().filter((kind) => kind.startsWith('FS') || kind === 'Timeout').length;
    const before = handles();
    const watcher = createWatcher({ onChange: () => changed(), onError: (error) => { throw error; } });
    let changed;
    const told = new Promise((done) => { changed = done; });
    watcher.watch('me', [process.argv[1]]);
    setTimeout(() => writeFileSync(process.argv[1], 'four'), 50);
    const awake = setInterval(() => {}, 1_000);
    await told;
    clearInterval(awake);
    await watcher.close();
    console.log(handles() - before);
    createWatcher({ onChange() {}, onError() {} }).watch('me', [process.argv[1]]); // never closed, and yet it ends`;
  const child = spawnSync(process.execPath, ['--input-type=module', '-e', script, path('a.ts')], {
    encoding: 'utf8',
    timeout: 20_000,
  });
  expect({ out: child.stdout, err: child.stderr, status: child.status }).toEqual({ out: '0\n', err: '', status: 0 });
  expect(readFileSync(path('a.ts'), 'utf8')).toBe('four');
});

test('of a folder with a slash only the names in it count: what comes and goes, not what is written', async () => {
  const b = bench();
  b.write('skills/a/SKILL.md', 'one');
  b.write('skills/a/target/x', '');
  b.write('skills/log', 'one');
  b.watcher.watch('o', [`${b.path('skills')}/`, b.path('skills/a/SKILL.md'), b.path('marker')]);
  b.write('marker', '1');
  await b.told('marker');
  b.write('skills/log', 'two');
  b.write('skills/a/target/y', 'a build');
  b.write('skills/a/other', 'beside it');
  b.write('skills/b/SKILL.md', 'new');
  await b.told('skills/b');
  b.write('skills/a/SKILL.md', 'two');
  await b.told('skills/a/SKILL.md');
  rmSync(b.path('skills/log'));
  await b.told('skills/log');
  b.write('skills/log/is-a-folder', 'now');
  b.write('skills/a/target/z', 'a build');
  const told = await b.allTold();
  expect(told).toContain(b.path('skills/log'));
  expect(told.filter((path) => path.includes('target') || path.includes('is-a-folder'))).toEqual([]);
});

test('a folder of which only the names were wanted is seen whole once somebody wants that', async () => {
  const b = bench();
  b.write('top/deep/x', 'one');
  b.watcher.watch('names', [`${b.path('top')}/`]);
  b.write('top/marker', '');
  await b.told('top/marker');
  b.watcher.watch('all', [b.path('top')]);
  b.write('top/deep/x', 'two');
  await b.told('top/deep/x');
  b.watcher.unwatch('all');
  b.write('top/deep/x', 'three');
  b.write('top/other', '');
  await b.told('top/other');
});

test('a folder with a slash that is not there yet is told when it comes', async () => {
  const b = bench();
  b.watcher.watch('o', [`${b.path('absent')}/`]);
  b.write('absent/x', '');
  await b.told('absent');
});

test('a touched folder is looked at as far as somebody watches, and no further', async () => {
  const b = bench();
  b.write('skills/a/x', 'one');
  b.watcher.watch('o', [`${b.path('skills')}/`]);
  b.write('skills/b/x', 'new');
  b.write('skills/a/x', 'two');
  b.watcher.touched([b.folder]);
  await b.told('skills/b');
  expect((await b.allTold()).filter((path) => path.endsWith('x'))).toEqual([]);
});
