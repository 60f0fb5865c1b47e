import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { owner, plugin, words } from '../test/words.ts';
import { bootKernel } from '../testing.ts';
import { changedSince } from './since.ts';
import { createWatcher } from './watch.ts';
import { WatchHub } from './watch-hub.ts';

const patience = { timeout: 15_000, interval: 20 };

interface Bench {
  readonly hub: WatchHub;
  at(name: string): string;
  write(name: string, text: string): void;
  remove(name: string): void;
  /** Subscribes to these as they were read at a time; answers with what is told. */
  follow(names: readonly string[], since: number): Set<string>;
  /** Long enough after what was done before that a stamp tells the two apart. */
  later(): Promise<number>;
}

function bench(): Bench {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'kern-hub-')));
  const hub = new WatchHub({
    make: (onChange) =>
      createWatcher({
        debounceMs: 20,
        onChange,
        onError: (error) => {
          throw error;
        },
      }),
  });
  onTestFinished(async () => {
    await hub.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  const at = (name: string): string => join(folder, name);
  return {
    hub,
    at,
    write: (name, text) => {
      mkdirSync(dirname(at(name)), { recursive: true });
      writeFileSync(at(name), text);
    },
    remove: (name) => rmSync(at(name), { recursive: true }),
    follow: (names, since) => {
      const told = new Set<string>();
      hub.watch(
        'me',
        names.map((name) => at(name)),
        (changed) => {
          for (const path of changed) told.add(path.slice(folder.length + 1));
        },
        since,
      );
      return told;
    },
    later: async () => {
      await new Promise((resolve) => setTimeout(resolve, 40));
      return Date.now();
    },
  };
}

const names = ['same.md', 'edited.md', 'came.md', 'went.md', 'gone/went.md', 'names/', 'never/there.md'];

async function read(b: Bench): Promise<number> {
  for (const name of ['same.md', 'edited.md', 'went.md', 'gone/went.md', 'names/x']) b.write(name, 'read');
  return b.later();
}

function change(b: Bench): void {
  b.write('edited.md', 'anew');
  b.write('came.md', 'new');
  b.remove('went.md');
  b.remove('gone');
  b.write('names/y', '');
}

/** To be sure, also what is not there in a folder that has changed. */
const changed = ['came.md', 'edited.md', 'gone/went.md', 'names', 'never/there.md', 'went.md'];

test('what changes between reading and the start of watching is told when watching starts', async () => {
  const b = bench();
  const told = b.follow(names, await read(b));
  await b.later();
  change(b);
  b.hub.begin();
  await expect.poll(() => [...told].sort(), patience).toEqual(changed);
});

test('what changes between reading and the subscription is told, whether watching has started by then or starts later', async () => {
  for (const isLooking of [true, false]) {
    const b = bench();
    if (isLooking) b.hub.begin();
    const since = await read(b);
    change(b);
    const told = b.follow(names, since);
    b.hub.begin();
    await expect.poll(() => [...told].sort(), patience).toEqual(changed);
  }
});

test('what has not changed is not told, and what has is told once', async () => {
  const b = bench();
  const told = b.follow(names, await read(b));
  b.hub.begin();
  b.write('edited.md', 'anew');
  await expect.poll(() => [...told], patience).toEqual(['edited.md']);
  // Its answer is made anew, and subscribed to.
  const again = b.follow(names, await b.later());
  b.write('same.md', 'last');
  await expect.poll(() => [...again], patience).toEqual(['same.md']);
  expect([...told]).toEqual(['edited.md']);
});

test('what was written since counts, whatever time a program has put on it', () => {
  const b = bench();
  const now = Date.now();
  b.write('a.md', '');
  expect(changedSince([b.at('a.md')], now)).toEqual([b.at('a.md')]);
  expect(changedSince([b.at('a.md')], now + 60_000)).toEqual([]);
  utimesSync(b.at('a.md'), 1, 1);
  expect(changedSince([b.at('a.md')], now)).toEqual([b.at('a.md')]);
});

test('an edit between the look of a provider and the start of watching is not lost', async () => {
  const b = bench();
  b.write('a.md', 'first');
  const load = () => ({
    items: [{ item: { word: readFileSync(b.at('a.md'), 'utf8'), by: 'p' } }],
    watch: [b.at('a.md')],
  });
  const reads = plugin('reads', (ctx) => ctx.provide(words, { id: 'reads', displayName: 'Reads', priority: 0, load }));
  await using t = await bootKernel([owner, reads], { watch: b.hub });
  const reader = t.view.use(words);
  await reader.load();
  b.write('a.md', 'second');
  b.hub.begin();
  await expect.poll(() => reader.items().map(({ word }) => word), patience).toEqual(['second']);
});
