import { expect, test } from 'vitest';
import type { Where } from './capability.ts';
import type { PresencePort } from './options.ts';
import type { IdlePlugin } from './snapshot.ts';
import { owner, speaker, words, wordsOf } from './test/words.ts';
import { bootKernel, fixedSettings } from './testing.ts';

/** Files that come when a test says so. */
function files(...there: readonly string[]) {
  const present = new Set(there);
  const looks: string[] = [];
  const watched = new Map<
    string,
    { readonly paths: readonly string[]; readonly fn: (paths: string[]) => void; readonly since?: number | undefined }
  >();
  const presence: PresencePort = {
    look: async (paths, { cwd }: Where) => {
      looks.push(`${cwd}: ${paths.join(' ')}`);
      return { isThere: paths.some((path) => present.has(path)), watch: [`${cwd}/`] };
    },
  };
  return {
    presence,
    looks,
    watched,
    come(path: string): void {
      present.add(path);
      for (const { fn } of [...watched.values()]) fn([path]);
    },
    watch: {
      watch: (owner: string, paths: readonly string[], fn: (paths: readonly string[]) => void, since?: number) => {
        watched.set(owner, { paths, fn, since });
        const dispose = (): void => void watched.delete(owner);
        return { dispose, [Symbol.dispose]: dispose };
      },
      touched: () => {},
      pending: async () => {},
    },
  };
}

const looking = (id: string, looksFor: readonly string[], loads: string[]): IdlePlugin => ({
  id,
  declares: [],
  contributes: { word: '*' },
  looksFor: { word: looksFor },
  load: async () => {
    loads.push(id);
    return speaker(id, id);
  },
});

test('a sleeper that looks for files goes on sleeping where none is there, and wakes where one is', async () => {
  const { presence, watch } = files('a.md');
  const loads: string[] = [];
  await using t = await bootKernel([owner], { presence, watch });
  t.kernel.introduce([
    looking('a', ['a.md', '~/a.md'], loads),
    looking('b', ['b.md'], loads),
    looking('never', [], loads),
  ]);
  await t.view.use(words).load();
  expect([loads, wordsOf(t.kernel)]).toEqual([['a'], ['a of a']]);
});

test('when a file comes, the sleeper wakes without anyone asking again', async () => {
  const { presence, watch, come, watched } = files();
  const loads: string[] = [];
  await using t = await bootKernel([owner], { presence, watch });
  t.kernel.introduce([looking('a', ['a.md'], loads)]);
  await t.view.use(words).load();
  expect([...watched.values()].map(({ paths }) => paths)).toEqual([[`${t.dir}/`]]);
  come('other.md');
  await t.kernel.settled(1_000);
  expect(loads).toEqual([]);
  come('a.md');
  await t.kernel.settled(1_000);
  expect(wordsOf(t.kernel)).toEqual(['a of a']);
});

test('what is watched for is not looked for again until something comes, and what came since the look is told', async () => {
  const { presence, watch, come, looks, watched } = files();
  const loads: string[] = [];
  await using t = await bootKernel([owner], { presence, watch });
  t.kernel.introduce([looking('a', ['a.md'], loads)]);
  const before = Date.now();
  for (let at = 0; at < 3; at += 1) await t.view.use(words).load();
  expect(looks).toHaveLength(1);
  expect([...watched.values()].every(({ since = 0 }) => since >= before && since <= Date.now())).toBe(true);
  come('other.md');
  await t.kernel.settled(1_000);
  expect(looks).toHaveLength(2);
  come('a.md');
  await t.kernel.settled(1_000);
  expect(loads).toEqual(['a']);
});

test('where something is set for a sleeper, it wakes without looking: it may look elsewhere', async () => {
  const { presence, watch, looks } = files();
  const loads: string[] = [];
  await using t = await bootKernel([owner], { presence, watch });
  t.kernel.introduce([looking('a', ['a.md'], loads), looking('b', ['b.md'], loads)]);
  await t.kernel.configure(fixedSettings({ a: { folder: '/elsewhere' } }, {}), ['plugins.a']);
  await t.view.use(words).load();
  expect([loads, looks]).toEqual([['a'], [`${t.dir}: b.md`]]);
});

test('places are watched for as long as there is a kernel, and not more of them than people work in', async () => {
  const { presence, watch, watched } = files();
  const loads: string[] = [];
  const t = await bootKernel([owner], { presence, watch });
  t.kernel.introduce([looking('a', ['a.md'], loads)]);
  for (let at = 0; at < 40; at += 1)
    await t.kernel
      .view({ cwd: `${t.dir}/${at}` })
      .use(words)
      .load();
  expect(watched.size).toBe(16);
  expect([...watched.values()].at(-1)?.paths).toEqual([`${t.dir}/39/`]);
  await t[Symbol.asyncDispose]();
  expect(watched.size).toBe(0);
});

test('of a level that is switched off nothing is looked for, and with both off the sleeper sleeps', async () => {
  const { presence, watch, looks } = files('~/.a', 'a.md');
  const loads: string[] = [];
  const off = new Set<string>();
  const settings = fixedSettings({}, {});
  await using t = await bootKernel([owner], { presence, watch });
  t.kernel.introduce([{ ...looking('a', ['~/.a', '$KERN_HOME/a', '$A_DIR', 'a.md'], loads), provider: 'a' }]);
  const look = async (...levels: readonly string[]): Promise<void> => {
    off.clear();
    for (const level of levels) off.add(level);
    const provider: typeof settings.provider = (id, level) => ({
      ...settings.provider(id, level),
      off: off.has(level) ? 'a test' : undefined,
    });
    await t.kernel.configure({ ...settings, provider }, ['providers.a']);
    await t.view.use(words).load();
  };
  await look('user', 'project');
  expect([loads, looks]).toEqual([[], []]);
  await look('project');
  expect([loads, looks]).toEqual([['a'], [`${t.dir}: ~/.a $KERN_HOME/a $A_DIR`]]);
});
