import fc from 'fast-check';
import type { ContextMessage, Message } from 'kern/contracts';
import { expect, test } from 'vitest';
import { counts, seed } from '../../cli/test/soak.ts';
import { type Reply, replyOf, says } from '../test/fakes.ts';
import { expectPaired } from '../test/world.ts';
import { assistant, type Desk, desk, never, result, textsOf, user, words } from './test/desk.ts';

type Step =
  | { readonly do: 'say'; readonly size: number; readonly image: boolean }
  | { readonly do: 'work'; readonly results: readonly number[]; readonly tool: string; readonly size: number }
  | { readonly do: 'answer'; readonly size: number; readonly stop: 'stop' | 'aborted' | 'error' }
  | { readonly do: 'note'; readonly size: number }
  | { readonly do: 'check' | 'ask' | 'overflow' | 'undo' };

const size = fc.oneof({ weight: 6, arbitrary: fc.nat(300) }, { weight: 1, arbitrary: fc.nat(6_000) });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('say' as const), size, image: fc.boolean() }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('work' as const),
      results: fc.array(size, { minLength: 1, maxLength: 4 }),
      tool: fc.constantFrom('read', 'bash', 'skill'),
      size: fc.nat(200),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('answer' as const),
      size,
      stop: fc.constantFrom('stop' as const, 'stop' as const, 'aborted' as const, 'error' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('note' as const), size: fc.nat(100) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('check' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('ask' as const, 'overflow' as const, 'undo' as const) }) },
);
const reply: fc.Arbitrary<Reply> = fc.oneof(
  { weight: 4, arbitrary: fc.nat(400).map((tokens) => says(words(tokens + 1, 's'))) },
  { weight: 1, arbitrary: fc.constant(says('')) },
  { weight: 1, arbitrary: fc.constant(says(words(5_000, 's'))) },
  { weight: 1, arbitrary: fc.constant(says('half', { stopReason: 'length' })) },
);

const image = { type: 'image' as const, data: 'AAAA', mimeType: 'image/png' };

/** A conversation that grows by steps, and what must hold at any moment. */
class Story {
  readonly #desk: Desk;
  #nth = 0;
  #last: string | undefined;

  constructor(d: Desk) {
    this.#desk = d;
  }

  async take(next: Step): Promise<void> {
    const d = this.#desk;
    this.#nth += 1;
    const n = this.#nth;
    switch (next.do) {
      case 'say':
        this.#last = `request ${n}: ${words(next.size)}`;
        d.say(user(this.#last, next.image ? [image] : []));
        break;
      case 'note':
        d.say({
          role: 'custom',
          customType: 'note',
          content: [{ type: 'text', text: `note ${n} ${words(next.size)}` }],
          display: false,
          timestamp: 0,
        });
        break;
      case 'answer':
        d.say(assistant(`answer ${n} ${words(next.size)}`, { stopReason: next.stop }));
        break;
      case 'work': {
        const calls = next.results.map((_, at) => ({
          type: 'toolCall' as const,
          id: `c${n % 3}${at}`, // ids come again
          name: next.tool,
          arguments: {},
        }));
        d.say(
          replyOf([{ type: 'text', text: words(next.size) }, ...calls]),
          ...next.results.map((tokens, at) => result(`c${n % 3}${at}`, next.tool, words(tokens))),
        );
        break;
      }
      default:
        await this.#compact(next.do);
    }
    this.#holds();
  }

  async #compact(how: 'check' | 'ask' | 'overflow' | 'undo'): Promise<void> {
    const d = this.#desk;
    const before = d.compactor.contextTokens();
    const leaf = d.store.leaf;
    if (how === 'check') await d.compactor.beforeTurn(never());
    if (how === 'ask') await d.compactor.compact({}, never()).catch(() => {});
    if (how === 'overflow') await d.compactor.afterOverflow(never());
    if (how === 'undo') {
      await d.compactor.undo().catch(() => {});
      return;
    }
    if (d.store.leaf === leaf) return;
    if (how !== 'ask') expect(d.compactor.contextTokens()).toBeLessThan(before);
    const done = d.events.length;
    await d.compactor.beforeTurn(never());
    await d.compactor.beforeTurn(never());
    // It may take a second step where the first was a mild one, and never goes in circles.
    expect(d.events.length).toBeLessThanOrEqual(done + 2);
  }

  #holds(): void {
    const d = this.#desk;
    const context = d.context();
    expectPaired(context.map(({ message }) => message));
    expect(context.filter(({ entryId }) => entryId === undefined)).toEqual([]);
    if (this.#last !== undefined) expect(textsOf(context).join('\n')).toContain(this.#last);
    for (const { message, entryId } of context) this.#isAsSaid(message, entryId);
    const starts = d.events.filter(({ type }) => type === 'auto_compaction_start').length;
    expect(d.events).toHaveLength(starts * 2);
  }

  /** What stays is as it was said; only results may be shorter. */
  #isAsSaid(message: Message, entryId: ContextMessage['entryId']): void {
    const entry = entryId === undefined ? undefined : this.#desk.store.entry(entryId);
    if (entry?.type !== 'message' || message.role === 'toolResult') return;
    expect(message).toEqual(entry.message);
  }
}

test('whatever is said and however it is compacted: the context is valid, and the last request is in it word for word', {
  timeout: 600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), reply, async (steps, said) => {
      await using d = await desk({ window: 12_000, reply: said });
      const story = new Story(d);
      for (const next of steps) await story.take(next);
    }),
    { numRuns: counts({ test: 60, soak: 3_000 }), seed: seed() },
  );
});
