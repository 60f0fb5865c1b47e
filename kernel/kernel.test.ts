import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineCapability } from './capability.ts';
import { decide, event, transform } from './hook.ts';
import { definePlugin } from './plugin.ts';
import { bootKernel } from './testing.ts';

const words = defineCapability<{ word: string; loud?: boolean }>({
  id: 'word',
  schema: z.object({ word: z.string(), loud: z.boolean().optional() }) as never,
  key: (item) => item.word,
});
const said = event<{ text: string }>({ id: 'said' });
const veto = decide<{ what: string }, { block: string }>({
  id: 'veto',
  answer: z.object({ block: z.string() }) as never,
  guard: { deny: (reason) => ({ block: reason }) },
});
const shout = transform<{ text: string }>({ id: 'shout' });
const owner = definePlugin({ id: 'owner', declares: [words, said, veto, shout], setup: () => undefined });

test('the first of two items with one key wins, the other names it', async () => {
  await using t = await bootKernel([
    owner,
    definePlugin({ id: 'b', setup: (ctx) => ctx.contribute(words, { word: 'hello' }) }),
    definePlugin({ id: 'a', after: ['b'], setup: (ctx) => ctx.contribute(words, { word: 'hello' }) }),
  ]);
  const entries = t.view.use(words).entries();
  expect(entries.map(({ origin, verdict }) => [origin.plugin, verdict.state])).toEqual([
    ['b', 'won'],
    ['a', 'shadowed'],
  ]);
  expect(entries[1]?.verdict).toMatchObject({ by: { plugin: 'b' } });
});

test('a guarding tap that fails denies', async () => {
  await using t = await bootKernel([
    owner,
    definePlugin({
      id: 'policy',
      setup: (ctx) =>
        ctx.tap(veto, () => {
          throw new Error('boom');
        }),
    }),
  ]);
  expect(await t.call(veto, { what: 'rm' })).toEqual({ block: 'policy failed: boom' });
});

test('a transform that fails passes the value unchanged', async () => {
  await using t = await bootKernel([
    owner,
    definePlugin({ id: 'a', setup: (ctx) => ctx.tap(shout, ({ text }) => ({ text: `${text}!` })) }),
    definePlugin({
      id: 'b',
      setup: (ctx) =>
        ctx.tap(shout, async () => {
          throw new Error('no');
        }),
    }),
    definePlugin({ id: 'c', setup: (ctx) => ctx.tap(shout, async ({ text }) => ({ text: text.toUpperCase() })) }),
  ]);
  expect(await t.call(shout, { text: 'hi' })).toEqual({ text: 'HI!' });
  expect(t.complaints()).toEqual(['b: plugin b failed in shout: no']);
});

test('a failing change keeps the old plugin live', async () => {
  const heard: string[] = [];
  await using t = await bootKernel([
    owner,
    definePlugin({ id: 'ear', setup: (ctx) => ctx.tap(said, ({ text }) => heard.push(`1 ${text}`)) }),
  ]);
  const result = await t.put(
    definePlugin({
      id: 'ear',
      setup: () => {
        throw new Error('half-written');
      },
    }),
  );
  expect(result).toMatchObject({ ok: false, plugin: 'ear' });
  t.call(said, { text: 'x' });
  await t.put(definePlugin({ id: 'ear', setup: (ctx) => ctx.tap(said, ({ text }) => heard.push(`2 ${text}`)) }));
  t.call(said, { text: 'y' });
  expect(heard).toEqual(['1 x', '2 y']);
  expect(t.complaints()[0]).toContain('kept the old');
  await t.kernel.drained();
  const { created, disposed, live } = t.kernel.counts;
  expect(created - disposed).toBe(live);
});
