import type { Message, Model, StreamEvent } from 'kern/contracts';
import { bootKernel } from 'kern/testing';
import { expect, test } from 'vitest';
import type { AgentSettings } from './settings.ts';
import { fakeModel, fakeModels, type Reply, replyOf, says } from './test/fakes.ts';
import { smallSibling, Titler, type TitlerParts } from './title.ts';
import { asTitle } from './title-text.ts';

test.each([
  ['  Fix the login  ', 'Fix the login'],
  ['\n\n"Fix the login."\nand more', 'Fix the login'],
  ['## Title: **Fix** the login', 'Fix the login'],
  ['Title: Fix the login', 'Fix the login'],
  ['<think>\nhm\n</think>\nFix the login', 'Fix the login'],
  ['\u001b[31mFix\u001b[0m \u001b]0;evil\u0007the\u0000 \u202elogin', 'Fix the login'],
  ['Fix 👨‍👩‍👧 names', 'Fix 👨‍👩‍👧 names'],
  ['to be continued...', 'to be continued...'],
  ['\ud800', '\ufffd'],
  [' \n "" \n', undefined],
])('%j is named %j', (text, title) => {
  expect(asTitle(text)).toBe(title);
});

test('a long title is cut between words, and never inside a character', () => {
  expect(asTitle('word '.repeat(40))).toBe(`${'word '.repeat(15).trimEnd()}…`);
  const packed = asTitle('🙂'.repeat(200)) ?? '';
  expect(Array.from(packed)).toHaveLength(80);
  expect(packed.isWellFormed()).toBe(true);
});

const asked: Message = { role: 'user', content: [{ type: 'text', text: 'please fix the login page' }], timestamp: 1 };
const turn = [asked, replyOf([{ type: 'text', text: 'done' }])];

interface Named {
  readonly names: readonly string[];
  readonly requests: readonly { readonly model: Model; readonly purpose: string }[];
}

async function named(
  replies: readonly Reply[],
  parts: Partial<Omit<TitlerParts, 'settings'>> & { readonly settings?: Partial<AgentSettings['title']> },
  known: readonly Model[] = [fakeModel()],
  act = async (titler: Titler): Promise<void> => {
    titler.turnEnded(turn);
    await titler.end();
  },
): Promise<Named> {
  const fake = fakeModels(replies, known);
  await using kernel = await bootKernel([fake.plugin]);
  const names: string[] = [];
  const titler = new Titler({
    view: kernel.view,
    sessionId: () => 's1',
    model: () => known[0] ?? fakeModel(),
    isOneShot: false,
    isNamed: () => names.length > 0,
    name: (title) => names.push(title),
    paid: () => {},
    patienceMs: 10_000,
    ...parts,
    settings: () => ({ enabled: true, always: false, ...parts.settings }),
  });
  await act(titler);
  return { names, requests: fake.requests };
}

test('a model names the session after its first turn, once', async () => {
  const { names, requests } = await named([says('"The login page"')], {}, undefined, async (titler) => {
    titler.turnEnded([asked]);
    titler.turnEnded(turn);
    titler.turnEnded(turn);
    await titler.end();
  });
  expect(names).toEqual(['The login page']);
  expect(requests).toMatchObject([{ purpose: 'title', tools: [], thinking: 'off' }]);
});

test('a session that ends with its prompts is named by their first words, without a request', async () => {
  const { names, requests } = await named([], { isOneShot: true });
  expect(names).toEqual(['please fix the login page']);
  expect(requests).toEqual([]);
  const always = await named([says('Login')], { isOneShot: true, settings: { always: true } });
  expect(always.names).toEqual(['Login']);
});

test('whatever goes wrong with the title, the words are there', async () => {
  const failing: Reply = async function* () {
    yield* [] as StreamEvent[];
    throw new Error('no');
  };
  for (const replies of [[failing], [says('  ')], []])
    expect((await named(replies, {})).names).toEqual(['please fix the login page']);
});

test('a model that does not answer, and listens to no signal, holds up no end', async () => {
  const deaf: Reply = async function* () {
    yield* [] as StreamEvent[];
    await new Promise(() => {});
  };
  expect((await named([deaf], { patienceMs: 0 })).names).toEqual(['please fix the login page']);
});

test('a session that has a name, or wants none, keeps it so', async () => {
  expect(await named([], { isNamed: () => true })).toEqual({ names: [], requests: [] });
  expect(await named([], { settings: { enabled: false } })).toEqual({ names: [], requests: [] });
  let isNamed = false;
  const late: Reply = async function* (request, signal) {
    isNamed = true;
    yield* says('Too late')(request, signal);
  };
  expect((await named([late], { isNamed: () => isNamed })).names).toEqual([]);
});

test('the title comes from the chosen model, else a small one of the same provider, else that of the session', async () => {
  const price = (output: number) => ({ input: 1, output, cacheRead: 0, cacheWrite: 0 });
  const big = fakeModel({ id: 'fake/big', model: 'big', cost: price(10) });
  const dear = fakeModel({ id: 'fake/dear-mini', model: 'dear-mini', cost: price(20) });
  const mini = fakeModel({ id: 'fake/mini', model: 'mini', cost: price(1) });
  const gone = fakeModel({ id: 'fake/gone-mini', model: 'gone-mini', cost: price(1), available: false });
  const other = fakeModel({ id: 'other/mini', provider: 'other', model: 'mini', cost: price(1) });
  const known = [big, dear, gone, other, mini];
  expect((await named([says('a')], {}, known)).requests[0]?.model.id).toBe('fake/mini');
  expect((await named([says('a')], { settings: { model: 'other/mini' } }, known)).requests[0]?.model.id).toBe(
    'other/mini',
  );
  expect((await named([says('a')], {}, [big, other])).requests[0]?.model.id).toBe('fake/big');
  expect(smallSibling(fakeModel(), known)).toBeUndefined();
});
