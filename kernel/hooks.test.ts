import { expect, test } from 'vitest';
import { z } from 'zod';
import type { TapOptions } from './hook.ts';
import { decide, type TapFunction, transform } from './hook.ts';
import { begun, opinion, owner, pick, plugin, type Saying, said, shout, sweep, veto } from './test/words.ts';
import { bootKernel, fakeClock } from './testing.ts';

const minute = 60_000;
const input = { text: 'hi' };

type Opinion = TapFunction<'decide', Saying, { block: string }>;

const judge = (id: string, fn: Opinion, options?: TapOptions) => plugin(id, (ctx) => ctx.tap(opinion, fn, options));
const guardian = (id: string, fn: Opinion, options?: TapOptions) => plugin(id, (ctx) => ctx.tap(veto, fn, options));

test('event: everyone is told, and one that fails or answers late keeps nobody waiting', async () => {
  const heard: string[] = [];
  await using t = await bootKernel([
    owner,
    plugin('a', (ctx) => {
      ctx.tap(said, () => {
        throw new Error('deaf');
      });
    }),
    plugin('b', (ctx) => ctx.tap(said, (async () => Promise.reject(new Error('later'))) as () => void)),
    plugin('c', (ctx) => ctx.tap(said, ({ text }) => void heard.push(text))),
  ]);
  expect(t.call(said, input)).toBeUndefined();
  expect(heard).toEqual(['hi']);
  await new Promise((resolve) => setImmediate(resolve));
  expect(t.complaints()).toEqual(['a: plugin a failed in said: deaf', 'b: plugin b failed in said: later']);
});

test('series: told in turn, each awaited, a failure skipped', async () => {
  const heard: string[] = [];
  const slow = (id: string, ms: number) =>
    plugin(id, (ctx) =>
      ctx.tap(begun, async () => {
        await new Promise((resolve) => setTimeout(resolve, ms));
        heard.push(id);
        if (id === 'b') throw new Error('no');
      }),
    );
  await using t = await bootKernel([owner, slow('a', 20), slow('b', 5), slow('c', 1)]);
  await t.call(begun, input);
  expect(heard).toEqual(['a', 'b', 'c']);
});

test('series: one that is late is skipped', async () => {
  const clock = fakeClock();
  const heard: string[] = [];
  await using t = await bootKernel(
    [
      owner,
      plugin('a', (ctx) => ctx.tap(begun, () => new Promise(() => {}))),
      plugin('b', (ctx) => ctx.tap(begun, () => void heard.push('b'))),
    ],
    { clock },
  );
  const call = t.call(begun, input);
  await clock.advance(4_999);
  expect(heard).toEqual([]);
  await clock.advance(1);
  await call;
  expect(heard).toEqual(['b']);
});

test('transform: a value passes through; one that fails, or comes too late, has changed nothing', async () => {
  const clock = fakeClock();
  const late = Promise.withResolvers<Saying>();
  await using t = await bootKernel(
    [
      owner,
      plugin('a', (ctx) => ctx.tap(shout, ({ text }) => ({ text: `${text}!` }))),
      plugin('b', (ctx) => ctx.tap(shout, () => late.promise)),
      plugin('c', (ctx) =>
        ctx.tap(shout, (value) => {
          (value as { text: string }).text = 'changed in place';
          return value;
        }),
      ),
      plugin('d', (ctx) => ctx.tap(shout, async ({ text }) => ({ text: `${text}?` }))),
      plugin('e', (ctx) => ctx.tap(shout, () => undefined)),
    ],
    { clock },
  );
  const call = t.call(shout, { text: 'hi' });
  await clock.advance(5_000);
  late.resolve({ text: 'too late' });
  expect(await call).toEqual({ text: 'hi!?' });
  expect(t.complaints()).toEqual([
    expect.stringContaining('no answer within 5000 ms'),
    expect.stringContaining('c: plugin c failed in shout'),
  ]);
});

test('transform: where a schema is given a value that does not parse is a failure', async () => {
  const trim = transform<Saying>({ id: 'x/trim', answer: z.object({ text: z.string() }) });
  await using t = await bootKernel([
    plugin('x', (ctx) => ctx.tap(trim, () => ({ text: 7 }) as never), { declares: [trim] }),
  ]);
  expect(await t.call(trim, { text: 'hi' })).toEqual({ text: 'hi' });
  expect(t.complaints().join()).toContain('its answer is not one: text');
});

test('the input of a hook is frozen', async () => {
  const seen: boolean[] = [];
  await using t = await bootKernel([
    owner,
    plugin('a', (ctx) => ctx.tap(said, (given) => void seen.push(Object.isFrozen(given)))),
  ]);
  t.call(said, { text: 'hi' });
  expect(seen).toEqual([true]);
});

test('gather: all answers, in the order of the taps, without those that fail, are late or have none', async () => {
  const clock = fakeClock();
  const slow = Promise.withResolvers<string>();
  await using t = await bootKernel(
    [
      owner,
      plugin('a', (ctx) => ctx.tap(sweep, () => slow.promise)),
      plugin('b', (ctx) => ctx.tap(sweep, () => 'b')),
      plugin('c', (ctx) => ctx.tap(sweep, () => null)),
      plugin('d', (ctx) => ctx.tap(sweep, async () => Promise.reject(new Error('no')))),
      plugin('e', (ctx) => ctx.tap(sweep, () => new Promise<string>(() => {}))),
    ],
    { clock },
  );
  const call = t.call(sweep, input);
  await clock.advance(1_000);
  slow.resolve('a');
  await clock.advance(1_000);
  expect(await call).toEqual(['a', 'b']);
});

test('resolve: the first answer, at once', async () => {
  const asked: string[] = [];
  const answering = (id: string, answer: string | undefined) =>
    plugin(id, (ctx) =>
      ctx.tap(pick, () => {
        asked.push(id);
        return answer;
      }),
    );
  await using t = await bootKernel([owner, answering('a', undefined), answering('b', 'mine'), answering('c', 'too')]);
  expect(t.call(pick, input)).toBe('mine');
  expect(asked).toEqual(['a', 'b']);
});

test('decide: the first answer counts; null and undefined are no opinion', async () => {
  await using t = await bootKernel([
    owner,
    judge('a', () => null),
    judge('b', async () => undefined),
    judge('c', () => ({ block: 'c' })),
    judge('d', () => ({ block: 'd' })),
  ]);
  expect(await t.call(opinion, input)).toEqual({ block: 'c' });
});

test('decide: an order asked for comes before level and name', async () => {
  await using t = await bootKernel([
    owner,
    judge('a', () => ({ block: 'a' }), { order: 5 }),
    judge('b', () => ({ block: 'b' }), { order: -5 }),
  ]);
  expect(await t.call(opinion, input)).toEqual({ block: 'b' });
});

test('decide: an answer that is none counts as a failure: skipped, or where the hook guards, a denial', async () => {
  const nonsense = () => ({ allow: true }) as never;
  await using t = await bootKernel([owner, judge('a', nonsense), guardian('b', nonsense)]);
  expect(await t.call(opinion, input)).toBeUndefined();
  expect(await t.call(veto, input)).toEqual({
    block: expect.stringContaining('b failed: its answer is not one: block'),
  });
});

test('decide: an answer still on its way, also one of another library, is not an answer', async () => {
  // biome-ignore lint/suspicious/noThenProperty: promises of other libraries are such objects
  const thenable = { then: (resolve: (value: undefined) => void) => resolve(undefined) };
  await using t = await bootKernel([owner, guardian('a', () => thenable as never)]);
  expect(await t.call(veto, input)).toBeUndefined();
});

test('decide: a late tap denies where the hook guards and is skipped elsewhere', async () => {
  const clock = fakeClock();
  await using t = await bootKernel(
    [owner, judge('a', () => new Promise(() => {})), guardian('b', () => new Promise(() => {}))],
    { clock },
  );
  const calls = [t.call(opinion, input), t.call(veto, input)];
  await clock.advance(30_000);
  expect(await Promise.all(calls)).toEqual([undefined, { block: 'b failed: no answer within 30000 ms' }]);
});

test('decide: the clock stands still while a person is asked, also when that is the first thing a tap does', async () => {
  const clock = fakeClock();
  const answer = Promise.withResolvers<{ block: string } | undefined>();
  await using t = await bootKernel([owner, plugin('a', (ctx) => ctx.tap(veto, () => ctx.asking(answer.promise)))], {
    clock,
  });
  const call = t.call(veto, input);
  await clock.advance(10 * minute);
  answer.resolve({ block: 'the person said no' });
  expect(await call).toEqual({ block: 'the person said no' });
});

test('decide: what was left of the time is left when the person has answered', async () => {
  const clock = fakeClock();
  const answer = Promise.withResolvers<void>();
  await using t = await bootKernel(
    [
      owner,
      plugin('a', (ctx) =>
        ctx.tap(veto, async () => {
          await new Promise<void>((resolve) => ctx.timeout(resolve, 20_000));
          await ctx.asking(answer.promise);
          await new Promise(() => {});
        }),
      ),
    ],
    { clock },
  );
  const call = t.call(veto, input);
  await clock.advance(20_000);
  await clock.advance(minute);
  answer.resolve();
  await clock.advance(9_999);
  const first = await Promise.race([call, Promise.resolve('still open')]);
  await clock.advance(1);
  expect([first, await call]).toEqual(['still open', { block: 'a failed: no answer within 30000 ms' }]);
});

test('decide: a call that waits for another stands still while that one asks a person', async () => {
  const clock = fakeClock();
  const answer = Promise.withResolvers<undefined>();
  await using t = await bootKernel(
    [
      owner,
      plugin('outer', (ctx) => ctx.tap(veto, () => ctx.call(opinion, { text: 'may it?' }))),
      plugin('inner', (ctx) => ctx.tap(opinion, () => ctx.asking(answer.promise))),
    ],
    { clock },
  );
  const call = t.call(veto, input);
  await clock.advance(10 * minute);
  answer.resolve(undefined);
  expect(await call).toBeUndefined();
});

test('decide: answers that count only from some levels are no opinion from others', async () => {
  const permit = decide<Saying, { verdict: string }>({
    id: 'x/permit',
    answer: z.object({ verdict: z.string() }),
    onlyFrom: { levels: ['builtin', 'user'], when: ({ verdict }) => verdict === 'allow' },
  });
  const x = plugin('x', undefined, { declares: [permit] });
  const says = (id: string, verdict: string) => plugin(id, (ctx) => ctx.tap(permit, () => ({ verdict })));
  await using t = await bootKernel([x]);
  await t.put(says('a', 'allow'), { level: 'project' });
  expect(await t.call(permit, input)).toBeUndefined();
  await t.put(says('b', 'allow'), { level: 'user' });
  expect(await t.call(permit, input)).toEqual({ verdict: 'allow' });
  await t.put(says('a', 'refuse'), { level: 'project' });
  expect(await t.call(permit, input)).toEqual({ verdict: 'refuse' });
});

test('a guarding tap cannot be silenced by an early answer of another: there is no way to say yes', async () => {
  await using t = await bootKernel([
    owner,
    guardian('a', () => undefined, { order: -100 }),
    guardian('b', () => ({ block: 'no' }), { order: 100 }),
  ]);
  expect(await t.call(veto, input)).toEqual({ block: 'no' });
});

test('a tap that fails five times in a row is muted until its next revision, and that is said once', async () => {
  let calls = 0;
  const broken = (answer: () => { block: string }) =>
    judge('a', () => {
      calls += 1;
      return answer();
    });
  const fails = broken(() => ({ no: 'answer' }) as never);
  await using t = await bootKernel([owner, fails]);
  for (let time = 0; time < 8; time += 1) await t.call(opinion, input);
  expect(calls).toBe(5);
  expect(t.complaints().filter((line) => line.includes('not asked there again'))).toHaveLength(1);
  await t.put(broken(() => ({ block: 'well again' })));
  expect(await t.call(opinion, input)).toEqual({ block: 'well again' });
});

test('a success in between starts the count anew', async () => {
  let calls = 0;
  const now = (): void => {
    calls += 1;
    if (calls % 5 !== 0) throw new Error('mostly');
  };
  await using t = await bootKernel([owner, plugin('a', (ctx) => ctx.tap(said, now))]);
  for (let time = 0; time < 30; time += 1) t.call(said, input);
  expect(calls).toBe(30);
});

test('a guarding tap is never muted: it denies each time it fails', async () => {
  await using t = await bootKernel([owner, guardian('a', () => Promise.reject(new Error('broken')))]);
  for (let time = 0; time < 8; time += 1) expect(await t.call(veto, input)).toEqual({ block: 'a failed: broken' });
});

test('a hook nobody taps costs nothing and answers what it was given', async () => {
  await using t = await bootKernel([owner]);
  expect([t.view.taps(said), t.view.taps(veto)]).toEqual([0, 0]);
  expect(
    await Promise.all([t.call(shout, input), t.call(sweep, input), t.call(opinion, input), t.call(begun, input)]),
  ).toEqual([input, [], undefined, undefined]);
  expect([t.call(said, input), t.call(pick, input)]).toEqual([undefined, undefined]);
});

test('counting the taps of a hook with a bare token does not decide how the hook is called', async () => {
  await using t = await bootKernel([owner, guardian('a', () => Promise.reject(new Error('broken')))]);
  expect(t.view.taps({ token: 'hook', id: 'veto', kind: 'decide' })).toBe(1);
  expect(await t.call(veto, input)).toEqual({ block: 'a failed: broken' });
});

test('a tap made while its plugin is live is heard from the next call on', async () => {
  const heard: string[] = [];
  let tap = (): void => {};
  await using t = await bootKernel([
    owner,
    plugin('a', (ctx) => {
      tap = () => ctx.tap(said, ({ text }) => void heard.push(text));
    }),
  ]);
  t.call(said, { text: 'one' });
  tap();
  t.call(said, { text: 'two' });
  expect(heard).toEqual(['two']);
});
