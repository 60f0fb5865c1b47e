import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { house, word } from './test/house.ts';

const project = (name: string): string => `project/.kern/extensions/${name}`;
const plugin = (name: string): { kind: 'plugin'; id: string; path: string } => ({
  kind: 'plugin',
  id: `.kern/extensions/${name}`,
  path: '',
});
const itemOf = (h: { path(name: string): string }, name: string) => ({ ...plugin(name), path: h.path(project(name)) });

/** Leaves a mark as soon as it is evaluated. */
function marking(mark: string, text: string, how: 'module' | 'commonjs' = 'module'): string {
  const write = `writeFileSync(${JSON.stringify(mark)}, 'it ran');`;
  return how === 'module'
    ? `import { writeFileSync } from 'node:fs';\n${write}\n${text}`
    : `const { writeFileSync } = require('node:fs');\n${write}\nmodule.exports = { id: 'x', setup() {} };`;
}

test('nothing of an untrusted project runs, whatever kind of file it is, and each is named', async () => {
  await using h = await house();
  const mark = h.path('mark');
  for (const name of ['a.ts', 'b.mts', 'c.js', 'd.mjs', 'pack/index.ts', 'stated/src/main.ts'])
    h.write(project(name), marking(mark, word(name.replace(/\W/g, ''), 'x')));
  h.write(project('e.cjs'), marking(mark, '', 'commonjs'));
  h.write(
    project('stated/package.json'),
    JSON.stringify({
      kern: {
        extensions: ['src/main.ts'],
        id: 'stated',
        contributes: { word: ['stated'] },
        stubs: { word: [{ key: 'stated' }] },
      },
    }),
  );
  await h.host.start();
  await h.watch();
  expect(h.exists('mark')).toBe(false);
  expect(h.words()).toEqual([]);
  expect(Object.values(h.states())).toEqual(Array(7).fill('blocked'));
  expect(h.told).toHaveLength(7);
  expect(h.told).toContain('.kern/extensions/a.ts blocked: this project is not trusted');
  h.write(project('a.ts'), marking(mark, word('a', 'edited')));
  h.kernel.touched([h.path('project')]);
  await h.settle();
  expect(h.exists('mark')).toBe(false);
  expect(h.told).toHaveLength(7);
});

test('what was granted loads when the gate is asked again, and only that', async () => {
  await using h = await house({ [project('a.ts')]: word('a', 'one'), [project('b.ts')]: word('b', 'one') });
  await h.host.start();
  await h.trust.grant([itemOf(h, 'a.ts')]);
  await h.host.recheck();
  expect(h.words()).toEqual(['a: one']);
  expect(h.states()).toMatchObject({ [project('b.ts')]: 'blocked' });
});

test('changed content keeps the old, says so, and is live after a new grant', async () => {
  await using h = await house({ [project('a.ts')]: word('a', 'one') });
  await h.trust.grant([itemOf(h, 'a.ts')]);
  await h.host.start();
  await h.watch();
  h.told.length = 0;
  h.write(project('a.ts'), word('a', 'two'));
  await h.until(
    () => h.told.length > 0,
    () => h.told,
  );
  expect(h.told).toEqual([
    expect.stringMatching(/^a kept: .*a\.ts: its content is no longer what was trusted\n.*kern trust grant$/),
  ]);
  expect(h.journal().at(-1)).toMatch(/^kept_old: kept the old: .*a\.ts: its content is no longer what was trusted$/);
  expect(h.words()).toEqual(['a: one']);
  await h.host.recheck();
  expect(h.words()).toEqual(['a: one']);
  expect(h.told).toHaveLength(1);
  await h.trust.grant([itemOf(h, 'a.ts')]);
  await h.host.recheck();
  expect(h.words()).toEqual(['a: two']);
});

test('content that is again what was trusted goes live by itself', async () => {
  await using h = await house({ [project('a.ts')]: word('a', 'one') });
  await h.trust.grant([itemOf(h, 'a.ts')]);
  h.write(project('a.ts'), word('a', 'other'));
  await h.host.start();
  await h.watch();
  expect(h.told).toEqual(['.kern/extensions/a.ts blocked: its content is no longer what was trusted']);
  h.write(project('a.ts'), word('a', 'one'));
  await h.become('a: one');
});

test('a plugin that is no longer trusted is gone at once, with what requires it', async () => {
  await using h = await house({
    [project('a.ts')]: `
import { definePlugin } from 'kern/plugin';
import { words } from 'test/words';
import { writeFileSync } from 'node:fs';
export default definePlugin({ id: 'a', setup(ctx) {
  ctx.contribute(words, { key: 'a', text: 'one' });
  ctx.signal.addEventListener('abort', () => writeFileSync(ctx.where.root + '/../signalled', 'yes'));
} });`,
    [project('b.ts')]: word('b', 'on it', `requires: ['a'],`),
  });
  await h.trust.grant([itemOf(h, 'a.ts'), itemOf(h, 'b.ts')]);
  await h.host.start();
  expect(h.words()).toEqual(['a: one', 'b: on it']);
  using pinned = h.kernel.outlook.pin();
  await h.trust.revoke([itemOf(h, 'a.ts')]);
  await h.host.recheck();
  expect(h.words()).toEqual([]);
  expect(h.exists('signalled')).toBe(true);
  expect(pinned.pinned).toBe(true);
  expect(h.states()).toEqual({ [project('a.ts')]: 'blocked', [project('b.ts')]: 'loaded' });
  await h.trust.deny([itemOf(h, 'b.ts')]);
  await h.trust.grant([itemOf(h, 'a.ts')]);
  await h.host.recheck();
  expect(h.words()).toEqual(['a: one']);
  expect(h.states()).toEqual({ [project('a.ts')]: 'loaded', [project('b.ts')]: 'blocked' });
});

test('a plugin that changed and is no longer trusted is gone, not kept', async () => {
  await using h = await house({ [project('a.ts')]: word('a', 'one') });
  await h.trust.grant([itemOf(h, 'a.ts')]);
  await h.host.start();
  await h.watch();
  await h.trust.revoke();
  h.write(project('a.ts'), word('a', 'two'));
  await h.become();
  await h.settle();
  expect(h.told.at(-1)).toBe('a blocked: this project is not trusted');
});

test('trust for the run holds whatever the content becomes', async () => {
  await using h = await house({ [project('a.ts')]: word('a', 'one') }, { runTrust: true });
  await h.host.start();
  await h.watch();
  h.write(project('a.ts'), word('a', 'two'));
  await h.become('a: two');
});

test('an import that no scan foresees is refused until the folder it lies in was trusted with it', async () => {
  await using h = await house();
  const mark = h.path('mark');
  h.write('project/hidden.ts', marking(mark, `export const text = 'hidden';`));
  h.write(
    project('a.ts'),
    `const { text } = await import(['..', '..', 'hid' + 'den.ts'].join('/'));\n${word('a', 'x').replace("'x'", 'text')}`,
  );
  await h.trust.grant([itemOf(h, 'a.ts')]);
  await h.host.start();
  expect(h.exists('mark')).toBe(false);
  expect(h.failures()).toEqual(['.kern/extensions/a.ts: plugin_refused']);
  expect(h.journal().at(-1)).toContain('hidden.ts is not part of what was trusted for .kern/extensions/a.ts');
  // In its own folder it is part of what is trusted.
  h.write(project('pack/hidden.ts'), marking(mark, `export const text = 'seen';`));
  h.write(
    project('pack/index.ts'),
    `const { text } = await import('./' + 'hidden' + '.ts');\n${word('b', 'x').replace("'x'", 'text')}`,
  );
  await h.host.catchUp();
  await h.trust.grant([itemOf(h, 'pack/index.ts')]);
  await h.host.recheck();
  expect(h.words()).toEqual(['b: seen']);
});

test('a file that code imports later is held against what was trusted, too', async () => {
  await using h = await house({
    [project('pack/later.ts')]: `export const text = 'granted';`,
    [project('pack/index.ts')]: `
import { definePlugin } from 'kern/plugin';
import { words } from 'test/words';
export default definePlugin({ id: 'a', setup(ctx) {
  ctx.contribute(words, { key: 'a', text: 'ready', later: () => import('./later.ts') });
} });`,
  });
  await h.trust.grant([itemOf(h, 'pack/index.ts')]);
  await h.host.start();
  h.write(project('pack/later.ts'), marking(h.path('mark'), `export const text = 'swapped';`));
  const [found] = [...h.kernel.snapshot().offers].map(({ item }) => item as { later?: () => Promise<unknown> });
  await expect(found?.later?.()).rejects.toMatchObject({ code: 'plugin_refused' });
  expect(h.exists('mark')).toBe(false);
});

test.each([
  ['an entry', 'a.ts', 'a.ts'],
  ['a helper', 'pack/index.ts', 'pack/helper.ts'],
])('the content of %s that is swapped between the look and the load is refused', async (_what, entry, swapped) => {
  let swap = (): void => {};
  await using h = await house(
    {
      [project('a.ts')]: word('a', 'good'),
      [project('pack/index.ts')]: `import './helper.ts';\n${word('b', 'good')}`,
      [project('pack/helper.ts')]: 'export {};',
    },
    {
      trust: (trust) => ({
        ...trust,
        seal: async (item) => {
          const seal = await trust.seal(item);
          swap();
          return seal;
        },
      }),
    },
  );
  await h.trust.grant([itemOf(h, entry)]);
  swap = () => writeFileSync(h.path(project(swapped)), marking(h.path('mark'), word('a', 'evil')));
  await h.host.start();
  expect(h.exists('mark')).toBe(false);
  expect(h.words()).toEqual([]);
  expect(h.failures()).toEqual([`.kern/extensions/${entry}: plugin_refused`]);
});

test('content that is swapped between the gate and the seal is refused', async () => {
  let swap = (): void => {};
  await using h = await house(
    { [project('a.ts')]: word('a', 'good') },
    {
      trust: (trust) => ({
        ...trust,
        gate: {
          check: async (item) => {
            const state = await trust.gate.check(item);
            swap();
            return state;
          },
        },
      }),
    },
  );
  await h.trust.grant([itemOf(h, 'a.ts')]);
  const mark = h.path('mark');
  swap = () => writeFileSync(h.path(project('a.ts')), marking(mark, word('a', 'evil')));
  await h.host.start();
  expect(h.exists('mark')).toBe(false);
  expect(h.failures()).toEqual(['.kern/extensions/a.ts: plugin_refused']);
});
