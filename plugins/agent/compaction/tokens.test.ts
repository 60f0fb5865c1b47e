import fc from 'fast-check';
import type { ContextMessage, Message, Model, SessionStore } from 'kern/contracts';
import { expect, test } from 'vitest';
import { counts, seed } from '../../cli/test/soak.ts';
import { fakeModel } from '../test/fakes.ts';
import { TestStore } from '../test/store.ts';
import { assistant, calling, counted, desk, never, result, user, words } from './test/desk.ts';
import { Tokens, textTokens, undoneType } from './tokens.ts';

const entriesOf = (messages: readonly Message[]): ContextMessage[] =>
  messages.map((message, at) => ({ message, entryId: String(at) }));

test('four letters are a token, and a sign of Chinese is most of one', () => {
  expect(textTokens('abcd')).toBe(1);
  expect(textTokens('你好')).toBe(2);
});

test('a picture, a call and its arguments count', () => {
  const tokens = new Tokens();
  const image = { type: 'image' as const, data: words(10_000), mimeType: 'image/png' };
  expect(tokens.of(user('abcd', [image]))).toBe(1_201);
  expect(tokens.of(calling('c1', 'read', { path: words(10) }))).toBeGreaterThan(10);
});

test('a sum that goes on where the last one ended is the sum', () => {
  const tokens = new Tokens();
  const entries = entriesOf([user(words(10)), assistant(words(20))]);
  expect(tokens.all(entries)).toBe(30);
  const more = [...entries, ...entriesOf([user(words(5))])];
  expect(tokens.all(more)).toBe(35);
  const other = more.with(1, { message: assistant(words(1)), entryId: '1' });
  expect(tokens.all(other)).toBe(16);
  const hidden = other.toSpliced(1, 1);
  expect(tokens.all(hidden)).toBe(15);
  expect(tokens.all([...hidden, ...entriesOf([user(words(1)), user(words(2))])])).toBe(18);
  expect(tokens.all([])).toBe(0);
});

test('without a count all is estimated, head and tools too', async () => {
  const tools = [{ name: 'abcd', description: words(50), inputSchema: {} }];
  await using d = await desk({ head: { system: words(100), tools } });
  d.say(user(words(10)));
  expect(d.compactor.contextTokens()).toBe(100 + 1 + 50 + 1 + 10);
});

test('what the last reply counted counts, and what came after it is estimated', async () => {
  await using d = await desk({ head: { system: words(100), tools: [] } });
  d.say(user(words(10)), assistant('a', counted(3_000)), user(words(7)));
  expect(d.compactor.contextTokens()).toBe(3_007);
  d.say(assistant('failed', { ...counted(9_000), stopReason: 'error' }));
  expect(d.compactor.contextTokens()).toBe(3_009);
});

test('what another model counted is no count', async () => {
  await using d = await desk();
  d.say(user(words(10)), assistant(words(1), counted(3_000)));
  d.setModel({ ...d.model, model: 'other', id: 'fake/other' });
  expect(d.compactor.contextTokens()).toBe(11);
});

test('a count from before a compaction, or from before an edit of what it counted, is stale', async () => {
  await using d = await desk();
  d.say(user(words(10)), assistant(words(1), counted(3_000)), user('next'));
  const [first] = d.context();
  d.write({ type: 'context_edit', targetId: first?.entryId ?? '', replacement: null });
  d.rebuild();
  expect(d.compactor.contextTokens()).toBe(2);
  d.say(assistant('a', counted(2_000)));
  expect(d.compactor.contextTokens()).toBe(2_000);
  const kept = d.context().at(-1)?.entryId ?? '';
  d.write({ type: 'compaction', summary: words(5), firstKeptEntryId: kept, tokensBefore: 1 });
  d.rebuild();
  expect(d.compactor.contextTokens()).toBeLessThan(100);
});

test('to hide what failed after a count leaves the count as it is', async () => {
  await using d = await desk();
  d.say(user('hi'), assistant('a', counted(2_000)), user(words(3)), assistant('half', { stopReason: 'error' }));
  d.write({ type: 'context_edit', targetId: d.context().at(-1)?.entryId ?? '', replacement: null });
  d.rebuild();
  expect(d.compactor.contextTokens()).toBe(2_003);
});

test('replies that count nothing are passed over', async () => {
  await using d = await desk();
  d.say(user('hi'), assistant('a', counted(2_000)), calling('c1', 'read'), result('c1', 'read', words(40)));
  expect(d.compactor.contextTokens()).toBeGreaterThanOrEqual(2_040);
  await d.compactor.beforeTurn(never());
  expect(d.events).toEqual([]);
});

// --- What was measured before is not measured again ---------------------------------------------------------------------

const models: readonly Model[] = [fakeModel(), fakeModel({ model: 'other', id: 'fake/other' })];
const head = { system: words(30), tools: [] };
const newStore = (): TestStore => {
  const header = { type: 'session', version: 3, id: 's1', timestamp: new Date(0).toISOString(), cwd: '/' } as const;
  return new TestStore(header, undefined, { cwd: '/', persist: false });
};

type Step =
  | { readonly do: 'say' | 'reply'; readonly size: number; readonly counts: boolean; readonly failed: boolean }
  | { readonly do: 'hide' | 'compact' | 'go'; readonly at: number }
  | { readonly do: 'undo' | 'switch' | 'rebuild' | 'measure' };
const at = fc.nat(1_000);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constantFrom('say' as const, 'reply' as const),
      size: fc.nat(50),
      counts: fc.boolean(),
      failed: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('hide' as const, 'go' as const), at }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('compact' as const), at }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('undo' as const, 'switch' as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('rebuild' as const, 'measure' as const) }) },
);

/** A conversation as sessions keep one: its context grows, and is made anew where it became another. */
class Story {
  readonly store = newStore();
  readonly tokens = new Tokens();
  model = models[0] as Model;
  context: ContextMessage[] = [];

  take(next: Step): void {
    const { store } = this;
    const pick = (nth: number): string | undefined => store.nodes()[nth % Math.max(1, store.nodes().length)]?.id;
    switch (next.do) {
      case 'say':
        this.#keep(user(words(next.size)));
        break;
      case 'reply': {
        const { provider, model } = this.model;
        const usage = next.counts ? counted(1_000 + next.size) : {};
        const stopReason = next.failed ? 'error' : 'stop';
        this.#keep(assistant(words(next.size + 1), { provider, model, stopReason, ...usage }));
        break;
      }
      case 'hide': {
        const targetId = this.context[next.at % Math.max(1, this.context.length)]?.entryId;
        if (targetId === undefined) return;
        void store.append({ type: 'context_edit', targetId, replacement: null });
        this.context = this.context.filter(({ entryId }) => entryId !== targetId);
        break;
      }
      case 'go':
        void store.moveLeaf(pick(next.at) ?? null);
        this.#rebuild();
        break;
      case 'compact': {
        const firstKeptEntryId = this.context[next.at % Math.max(1, this.context.length)]?.entryId;
        if (firstKeptEntryId === undefined) return;
        void store.append({ type: 'compaction', summary: words(5), firstKeptEntryId, tokensBefore: 1 });
        this.#rebuild();
        break;
      }
      case 'undo':
        void store.append({ type: 'custom', customType: undoneType, data: { targetId: '', edits: [] } });
        break;
      case 'switch':
        this.model = this.model === models[0] ? (models[1] as Model) : (models[0] as Model);
        break;
      case 'rebuild':
        this.#rebuild();
        break;
      case 'measure':
        break;
    }
  }

  measured(tokens = this.tokens) {
    return tokens.measure(this.context.slice(), head, this.model, this.store);
  }

  #keep(message: Message): void {
    void this.store.append({ type: 'message', message });
    this.context.push({ message, entryId: this.store.leaf ?? undefined });
  }

  #rebuild(): void {
    this.context = [...this.store.context().messages];
  }
}

test('whatever happens to a conversation, what is measured step by step is what is measured at once', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const story = new Story();
      for (const next of steps) {
        story.take(next);
        // Some changes are not measured one by one.
        if (next.do === 'switch' || next.do === 'hide') continue;
        expect(story.measured()).toEqual(story.measured(new Tokens()));
      }
    }),
    { numRuns: counts({ test: 200, soak: 20_000 }), seed: seed() },
  );
});

/** A message that tells each time it is looked into. */
function watched(message: Message, looked: () => void): Message {
  return new Proxy(message, {
    get: (target, key) => {
      looked();
      return Reflect.get(target, key);
    },
  });
}

test('what was measured is not looked into again, whether or not replies count', () => {
  for (const usage of [{}, counted(2_000)]) {
    const tokens = new Tokens();
    const store = newStore();
    let looks = 0;
    let reads = 0;
    const counting: Pick<SessionStore, 'leaf' | 'entry'> = {
      get leaf() {
        return store.leaf;
      },
      entry: (id) => {
        reads += 1;
        return store.entry(id);
      },
    };
    const entries: ContextMessage[] = [];
    const keep = (message: Message): void => {
      void store.append({ type: 'message', message });
      entries.push({ message: watched(message, () => (looks += 1)), entryId: store.leaf ?? undefined });
    };
    const { provider, model } = models[0] as Model;
    const turn = (more: object): void => {
      keep(user('go on'));
      keep(assistant(words(3), { provider, model, ...more }));
    };
    const measure = () => tokens.measure(entries.slice(), head, models[0] as Model, counting);
    // The count of the first reply stays the last one where the others count nothing.
    turn(counted(1_000));
    for (let nth = 0; nth < 300; nth += 1) turn(usage);
    measure();
    turn(usage);
    looks = 0;
    reads = 0;
    measure();
    expect(looks).toBeLessThan(40);
    expect(reads).toBeLessThan(5);
  }
});
