import { expect, test } from 'vitest';
import { KernError } from '../error.ts';
import type { Place } from './host.ts';
import { house, word } from './test/house.ts';

const versions = (level: 'user' | 'project' = 'user') => {
  const force = { version: '1', isWhole: true };
  const place = (path: (name: string) => string): Place => ({
    entry: path(`packages/pack/${force.version}/index.ts`),
    folder: path(`packages/pack/${force.version}`),
    level,
    name: 'pack',
    shortName: 'pack',
    same: 'user:pack:index.ts',
    check: async () => {
      if (!force.isWhole) throw new KernError('package_changed', 'pack is not what was installed');
    },
  });
  return { force, place };
};

test('another version of a package takes the place of the one that runs, in one step', async () => {
  const { force, place } = versions();
  await using h = await house(
    {
      'packages/pack/1/index.ts': word('pack', 'one'),
      'packages/pack/2/index.ts': word('pack', 'two'),
      'packages/pack/3/index.ts': word('renamed', 'three'),
    },
    { others: async () => [place(h.path)] },
  );
  await h.host.start();
  expect(h.words()).toEqual(['pack: one']);
  force.version = '2';
  await h.host.catchUp();
  expect(h.words()).toEqual(['pack: two']);
  expect(h.told).toEqual(['pack live', 'pack live']);
  expect(Object.keys(h.states())).toEqual(['packages/pack/2/index.ts']);
  force.version = '3';
  await h.host.catchUp();
  expect(h.words()).toEqual(['renamed: three']);
});

test('a version that does not load keeps the one that runs, and is tried again', async () => {
  const { force, place } = versions();
  await using h = await house(
    { 'packages/pack/1/index.ts': word('pack', 'one'), 'packages/pack/2/index.ts': 'export default {{{' },
    { others: async () => [place(h.path)] },
  );
  await h.host.start();
  force.version = '2';
  await h.host.catchUp();
  expect(h.words()).toEqual(['pack: one']);
  expect(h.told.at(-1)).toMatch(/^pack kept: .*cannot be parsed/);
  await h.watch();
  expect(h.words()).toEqual(['pack: one']);
  h.write('packages/pack/2/index.ts', word('pack', 'two'));
  await h.become('pack: two');
});

test('what is not what was installed is not read', async () => {
  const { force, place } = versions();
  force.isWhole = false;
  await using h = await house(
    { 'packages/pack/1/index.ts': word('pack', 'one') },
    { others: async () => [place(h.path)] },
  );
  await h.host.start();
  expect(h.words()).toEqual([]);
  expect(h.failures()).toEqual(['pack: package_changed']);
  force.isWhole = true;
  await h.host.reload();
  expect(h.words()).toEqual(['pack: one']);
});
