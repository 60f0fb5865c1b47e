import fc from 'fast-check';
import { expect, test } from 'vitest';
import { counts, seed } from '../plugins/cli/test/soak.ts';
import type { Activation } from './activation.ts';
import type { ChangeResult } from './kernel.ts';
import type { View } from './plugin.ts';
import { isBalanced, owner, plugin, said, words } from './test/words.ts';
import { bootKernel, type FakeClock, fakeClock, fixedSettings, type TestKernel } from './testing.ts';

const ids = ['p0', 'p1', 'p2', 'p3', 'p4', 'p5'] as const;

/** How a plugin is broken, if it is. */
const faults = [
  'none',
  'throws in setup',
  'rejects in setup',
  'an item that is none',
  'a provider that is none',
  'a token of another',
  'start fails',
  'setup hangs',
  'start hangs',
  'requires what is not there',
  'id of a built-in',
  'throws when it is disposed',
] as const;

type Fault = (typeof faults)[number];
type Step =
  | {
      readonly act: 'put';
      readonly id: string;
      readonly fault: Fault;
      readonly requires: readonly string[];
      readonly after: readonly string[];
    }
  | { readonly act: 'drop' | 'switch'; readonly id: string }
  | { readonly act: 'pin' | 'release' | 'wait' };

const anId = fc.constantFrom(...ids);
const some = fc.uniqueArray(anId, { maxLength: 2 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      act: fc.constant('put' as const),
      id: anId,
      fault: fc.oneof(fc.constant('none' as const), fc.constantFrom(...faults)),
      requires: fc.oneof(fc.constant([]), some),
      after: fc.oneof(fc.constant([]), some),
    }),
  },
  { weight: 2, arbitrary: fc.record({ act: fc.constantFrom('drop' as const, 'switch' as const), id: anId }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constantFrom('pin' as const, 'release' as const, 'wait' as const) }) },
);

/** What one run of a setup did. */
interface Run {
  isGone: boolean;
  readonly late: string[];
}

class House {
  readonly t: TestKernel;
  readonly clock: FakeClock;
  readonly runs: Run[] = [];
  readonly off = new Set<string>();
  readonly pins: View[] = [];

  constructor(t: TestKernel, clock: FakeClock) {
    this.t = t;
    this.clock = clock;
  }

  /** A plugin that taps, contributes, ticks and emits, broken in one way. */
  #definition({ id, fault, requires, after }: Extract<Step, { act: 'put' }>) {
    return plugin(
      fault === 'id of a built-in' ? 'owner' : id,
      async (ctx) => {
        const run: Run = { isGone: false, late: [] };
        this.runs.push(run);
        const alive = (what: string): void => {
          if (run.isGone) run.late.push(what);
        };
        ctx.defer(() => {
          run.isGone = true;
          if (fault === 'throws when it is disposed') throw new Error('in its way out');
        });
        ctx.tap(said, () => alive('tap'));
        ctx.interval(() => alive('interval'), 700);
        ctx.events.on('tick', () => alive('event'));
        ctx.contribute(words, { word: id, by: id });
        ctx.provide(words, {
          id: 'more',
          displayName: 'More',
          priority: 1,
          load: () => ({ items: [{ item: { word: `${id}+`, by: id } }] }),
        });
        await ctx.keep('port', 'one', () => ({ value: {}, release: () => {} }), { exclusive: true });
        if (fault === 'throws in setup') throw new Error('planted');
        if (fault === 'rejects in setup') await Promise.reject(new Error('planted'));
        if (fault === 'an item that is none') ctx.contribute(words, { word: '', by: id });
        if (fault === 'a provider that is none') ctx.provide(words, { id: 'x' } as never);
        if (fault === 'setup hangs') await new Promise(() => {});
        ctx.onStart(async () => {
          if (fault === 'start fails') throw new Error('planted');
          if (fault === 'start hangs') await new Promise(() => {});
        });
      },
      {
        requires: fault === 'requires what is not there' ? ['nobody'] : requires.filter((other) => other !== id),
        after: after.filter((other) => other !== id),
        declares: fault === 'a token of another' ? [words] : [],
      },
    );
  }

  async #finish<T>(work: Promise<T>): Promise<T> {
    let isOpen = true;
    const done = work.finally(() => {
      isOpen = false;
    });
    // Time passes only while something waits for it.
    for (let at = 0; isOpen && at < 50; at += 1) await this.clock.advance(at < 5 ? 0 : 1_000);
    return done;
  }

  async take(step: Step): Promise<void> {
    const { kernel } = this.t;
    const before = kernel.snapshot().activations;
    if (step.act === 'put') {
      const definition = this.#definition(step);
      const result = await this.#finish(
        this.t.put(definition, { level: 'user', source: step.fault === 'id of a built-in' ? 'elsewhere' : step.id }),
      );
      if (!result.ok) expect(kernel.snapshot().activations).toEqual(before);
      else if (!this.off.has(step.id))
        expect(live(kernel.snapshot().activations, step.id)?.unit.definition).toBe(definition);
      if (step.fault !== 'none' && step.fault !== 'throws when it is disposed' && !this.off.has(step.id))
        expect(result).toMatchObject({ ok: false });
    }
    if (step.act === 'drop') {
      expect(await this.#finish(this.t.drop(step.id, { level: 'user' }))).toMatchObject({ ok: true });
      expect(live(kernel.snapshot().activations, step.id)).toBeUndefined();
    }
    if (step.act === 'switch') {
      if (!this.off.delete(step.id)) this.off.add(step.id);
      const config = Object.fromEntries([...this.off].map((id) => [id, false as const]));
      await this.#finish(
        kernel.configure(fixedSettings(config, {}, this.runs.length + this.off.size), [`plugins.${step.id}`]),
      );
      if (this.off.has(step.id)) expect(live(kernel.snapshot().activations, step.id)).toBeUndefined();
    }
    if (step.act === 'pin') this.pins.push(kernel.outlook.pin());
    if (step.act === 'release') this.pins.shift()?.[Symbol.dispose]();
    if (step.act === 'wait') await this.clock.advance(6_000);
    await this.check();
  }

  /** Begins a change and lets it be. */
  begin(step: Step): Promise<ChangeResult> | undefined {
    if (step.act === 'put') {
      const source = step.fault === 'id of a built-in' ? 'elsewhere' : step.id;
      return this.t.put(this.#definition(step), { level: 'user', source });
    }
    return step.act === 'drop' ? this.t.drop(step.id, { level: 'user' }) : undefined;
  }

  /** What must hold whenever nothing is under way. */
  async check(): Promise<void> {
    const { kernel } = this.t;
    await this.#finish(kernel.drained());
    expect(isBalanced(kernel)).toBe(true);
    const { activations } = kernel.snapshot();
    for (const { unit, state } of activations) {
      expect(state).toBe('live');
      expect(kernel.active(unit.key)?.unit).toBe(unit);
      for (const id of unit.definition.requires ?? []) expect(live(activations, id)).toBeDefined();
    }
    await this.#finish(kernel.outlook.use(words).load());
    const speakers = activations.map(({ id }) => id).filter((id) => id !== 'owner');
    expect(
      new Set(
        kernel.outlook
          .use(words)
          .items()
          .map(({ word }) => word),
      ),
    ).toEqual(new Set(speakers.flatMap((id) => [id, `${id}+`])));
    kernel.outlook.call(said, { text: 'anyone?' });
    for (const pin of this.pins) pin.call(said, { text: 'and before?' });
    kernel.events.emit('tick');
    await this.clock.advance(1_500);
    expect(this.runs.flatMap(({ late }) => late)).toEqual([]);
  }
}

const live = (activations: readonly Activation[], id: string): Activation | undefined =>
  activations.find((one) => one.id === id && one.level === 'user');

test('whatever fails, the snapshot is that of the last success, nothing is lost, and nobody speaks after the end', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      const clock = fakeClock();
      const t = await bootKernel([owner], { clock });
      const house = new House(t, clock);
      for (const step of steps) await house.take(step);
      for (const pin of house.pins) pin[Symbol.dispose]();
      const end = t[Symbol.asyncDispose]();
      await clock.advance(20_000);
      await end;
      expect(t.kernel.counts).toMatchObject({ live: 0, draining: 0 });
      expect(isBalanced(t.kernel)).toBe(true);
      expect(house.runs.flatMap(({ late }) => late)).toEqual([]);
      expect(t.kernel.cells.size).toBe(0);
    }),
    { numRuns: counts({ test: 40, soak: 2_500 }), seed: seed(), endOnFailure: process.env.KERN_SOAK !== '1' },
  );
});

test('changes that nobody waits for are made one after the other, and each tells its own result', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 10 }), async (steps) => {
      const clock = fakeClock();
      const t = await bootKernel([owner], { clock });
      const house = new House(t, clock);
      const results = steps.map((step) => house.begin(step));
      for (let at = 0; at < 40; at += 1) await clock.advance(at < 5 ? 0 : 1_000);
      for (const [at, result] of (await Promise.all(results)).entries()) {
        const step = steps[at];
        const isSound = step?.act !== 'put' || step.fault === 'none' || step.fault === 'throws when it is disposed';
        if (!isSound) expect(result?.ok).toBe(false);
      }
      await house.check();
      await t[Symbol.asyncDispose]();
      expect(isBalanced(t.kernel)).toBe(true);
    }),
    { numRuns: counts({ test: 20, soak: 1_000 }), seed: seed(), endOnFailure: process.env.KERN_SOAK !== '1' },
  );
});
