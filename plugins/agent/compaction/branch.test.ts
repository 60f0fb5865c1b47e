import { expect, test } from 'vitest';
import { says } from '../test/fakes.ts';
import { leftBranch } from './branch.ts';
import { assistant, calling, desk, never, result, user, words } from './test/desk.ts';

test('what is left is told from where the branches part, with its files', async () => {
  await using d = await desk({ reply: says('what was tried') });
  d.say(user('shared'), assistant('ok'));
  const fork = d.store.leaf;
  d.say(user('try a'), calling('c1', 'write', { path: '/w/a.ts' }), result('c1', 'write', 'ok'), assistant('a is bad'));
  const from = d.store.leaf;
  await d.store.moveLeaf(fork);
  d.say(user('try b'));
  const to = d.store.leaf;
  const summary = await d.compactor.summarizeBranch({ from, to, instructions: 'Say why.' }, never());
  expect(summary).toBe('what was tried\n\n## Files changed so far\n\n/w/a.ts');
  const asked = JSON.stringify(d.asked[0]?.messages);
  expect(asked).toContain('try a');
  expect(asked).toContain('a is bad');
  expect(asked).toContain('Say why.');
  expect(asked).not.toMatch(/shared|try b/);
});

test('where nothing is left there is nothing to say, and nobody is asked', async () => {
  await using d = await desk();
  d.say(user('a'), assistant('b'));
  const { leaf } = d.store;
  expect(await d.compactor.summarizeBranch({ from: leaf, to: leaf }, never())).toBe('');
  expect(await d.compactor.summarizeBranch({ from: null, to: leaf }, never())).toBe('');
  expect(d.asked).toEqual([]);
});

test('of a long branch the newest is told, in its order', async () => {
  await using d = await desk();
  for (let nth = 1; nth <= 20; nth += 1)
    d.say(user(`ask ${nth}. ${words(100)}`), assistant(`say ${nth}. ${words(100)}`));
  const { pieces } = leftBranch(d.store, d.store.leaf, null, 500);
  expect(pieces.map((piece) => /(ask|say) \d+/.exec(piece)?.[0])).toEqual(
    ['ask 19', 'say 19', 'ask 20', 'say 20'].slice(-pieces.length),
  );
  expect(pieces.length).toBeGreaterThan(2);
});

test('summaries, notes, named files and commands on the way are told too', async () => {
  await using d = await desk();
  d.write({ type: 'branch_summary', fromId: 'x', summary: 'an old try' });
  d.write({ type: 'custom_message', customType: 'plan', content: 'step one', display: true });
  d.write({
    type: 'message',
    message: { role: 'fileMention', files: [{ path: '/w/f.ts', content: 'secret' }], timestamp: 0 },
  });
  d.write({ type: 'message', message: { role: 'bashExecution', command: 'ls', output: 'f.ts', timestamp: 0 } });
  d.write({ type: 'custom', customType: 'kern.state', data: 'not told' });
  const text = leftBranch(d.store, d.store.leaf, null, 5_000).pieces.join('\n');
  for (const part of ['an old try', 'step one', '/w/f.ts', '$ ls\nf.ts']) expect(text).toContain(part);
  expect(text).not.toMatch(/secret|not told/);
});

test("a failure is the caller's to say, and it is stopped at once", async () => {
  await using failing = await desk({
    reply: says('', { stopReason: 'error', errorCode: 'model_quota', errorMessage: 'no' }),
  });
  failing.say(user('a'));
  await expect(
    failing.compactor.summarizeBranch({ from: failing.store.leaf, to: null }, never()),
  ).rejects.toMatchObject({ code: 'model_quota' });
  await using deaf = await desk({
    reply: async function* () {
      await new Promise(() => {});
    },
  });
  deaf.say(user('a'));
  const controller = new AbortController();
  const running = deaf.compactor.summarizeBranch({ from: deaf.store.leaf, to: null }, controller.signal);
  controller.abort();
  await expect(running).rejects.toMatchObject({ name: 'AbortError' });
});
