import type { Activation, ProviderRecord } from './activation.ts';
import { type Asked, ask, levelsOf, warningOf } from './answers.ts';
import type { Where } from './capability.ts';
import type { Core } from './core.ts';
import { unlessAborted, within } from './limit.ts';
import type { Handle } from './plugin.ts';
import { type Answer, answerKey, placeKey, providerKey, type Snapshot } from './snapshot.ts';

/** Beyond so many places those are forgotten that nobody has asked for in so long a time; the kernel's own never is. */
const mostPlaces = 32;
const leftMs = 10 * 60_000;

const limitOf = ({ provider }: ProviderRecord): number => provider.limitMs ?? 2_000;

const lateWarning = (record: ProviderRecord): string =>
  warningOf(record, `no answer within ${limitOf(record)} ms; its items join when they come`);

export interface AskingPorts {
  readonly core: Pick<Core, 'owners' | 'journal' | 'clock' | 'settings' | 'snapshot' | 'watch' | 'where'>;
  /** Makes a new snapshot with these answers. */
  join(answers: ReadonlyMap<string, Answer>): void;
  /** The same without the others; nobody is told: it is no news that a place is forgotten. */
  forget(answers: ReadonlyMap<string, Answer>): void;
  /** Counts work that a file began, so that a turn waits for it. */
  track(work: Promise<unknown>): void;
}

interface Question {
  readonly record: ProviderRecord;
  readonly levels: Answer['levels'];
  readonly done: Promise<Answer | undefined>;
  /** Nobody waits for it any more; its answer joins when it comes. */
  isLate: boolean;
}

/** Asks the providers: each place once, all at once, each within its limit. */
export class Asking {
  readonly #ports: AskingPorts;
  readonly #core: AskingPorts['core'];
  readonly #open = new Map<string, Question>();
  /** Which question the answer in the snapshot came from: one that was asked earlier and comes later changes nothing. */
  readonly #answered = new Map<string, number>();
  readonly #warnings = new Map<string, readonly string[]>();
  readonly #watches = new Map<string, Handle>();
  /** The places that were asked for, the last one last, and when. */
  readonly #places = new Map<string, number>();
  /** When it was that an answer was asked for, by the clock that stamps files. */
  readonly #askedAt = new WeakMap<Answer, number>();
  #asked = 0;
  #pruned: readonly ProviderRecord[] = [];

  constructor(ports: AskingPorts) {
    this.#ports = ports;
    this.#core = ports.core;
  }

  /**
   * Asks the providers of a snapshot that have not answered for this place; resolves with their answers when all have
   * answered or are late. A signal ends the waiting only.
   */
  async load(
    capability: string,
    where: Where,
    signal: AbortSignal | undefined,
    from: Snapshot,
  ): Promise<ReadonlyMap<string, Answer>> {
    this.#visit(where);
    const answers = new Map<string, Answer>();
    const loadOne = async (record: ProviderRecord): Promise<void> => {
      const key = answerKey(record, where);
      const known = this.#core.snapshot().answers.get(key);
      const answer =
        known !== undefined && this.#answers(known, record)
          ? known
          : await this.#wait(record, this.#questionOf(record, where), where);
      if (answer !== undefined) answers.set(key, answer);
    };
    const records = this.#unanswered(capability, where, from);
    await unlessAborted(signal, Promise.all(records.map(loadOne)));
    return answers;
  }

  /** The ids of those that have not answered for this place. */
  unanswered(capability: string, where: Where, from: Snapshot): readonly string[] {
    return this.#unanswered(capability, where, from).map(({ provider }) => provider.id);
  }

  #unanswered(capability: string, where: Where, from: Snapshot): readonly ProviderRecord[] {
    return from.providers.filter((record) => record.capability.id === capability && this.#isAsked(record, where, from));
  }

  /** Whoever comes by many places, as a server does, leaves most of them for good. */
  #visit(where: Where): void {
    const { clock } = this.#core;
    const place = placeKey(where);
    if (place === placeKey(this.#core.where)) return;
    this.#places.delete(place);
    this.#places.set(place, clock.now());
    for (const [left, since] of this.#places) {
      if (this.#places.size <= mostPlaces || clock.now() - since < leftMs) return;
      this.#places.delete(left);
      const isElsewhere = (key: string): boolean => !key.endsWith(`\0${left}`);
      for (const map of [this.#open, this.#warnings, this.#answered])
        for (const key of map.keys()) if (!isElsewhere(key)) map.delete(key);
      this.#ports.forget(new Map([...this.#core.snapshot().answers].filter(([key]) => isElsewhere(key))));
    }
  }

  #isKept(where: Where): boolean {
    const place = placeKey(where);
    return place === placeKey(this.#core.where) || this.#places.has(place);
  }

  #isAsked(record: ProviderRecord, where: Where, { answers }: Snapshot): boolean {
    const { activation } = record;
    if (activation.state === 'gone' || (activation.root !== undefined && activation.root !== where.root)) return false;
    const known = answers.get(answerKey(record, where));
    return this.#levelsOf(record).length > 0 && !(known !== undefined && this.#answers(known, record));
  }

  #levelsOf(record: ProviderRecord): Answer['levels'] {
    return levelsOf(record, this.#core.settings);
  }

  /** Of this provider, and of every level that is wanted now. */
  #answers(known: Pick<Answer, 'record' | 'levels'>, record: ProviderRecord): boolean {
    return known.record === record && this.#levelsOf(record).every((level) => known.levels.includes(level));
  }

  #questionOf(record: ProviderRecord, where: Where): Question {
    const open = this.#open.get(answerKey(record, where));
    return open !== undefined && this.#answers(open, record) ? open : this.#ask(record, where);
  }

  #ask(record: ProviderRecord, where: Where): Question {
    const { owners } = this.#core;
    const key = answerKey(record, where);
    this.#asked += 1;
    const number = this.#asked;
    const levels = this.#levelsOf(record);
    const since = Date.now();
    const answering = ask(record, where, levels, this.#core.snapshot().declarations, owners);
    const done = answering.then((asked) => {
      if (this.#open.get(key) === question) this.#open.delete(key);
      if (asked.state === 'answered') this.#askedAt.set(asked.answer, since);
      owners.free(() => this.#take(key, number, record, asked));
      return asked.state === 'answered' ? asked.answer : undefined;
    });
    const question: Question = { record, levels, isLate: false, done };
    this.#open.set(key, question);
    return question;
  }

  /** Waits within the provider's limit; once late, nobody waits again for the same question. */
  async #wait(record: ProviderRecord, question: Question, where: Where): Promise<Answer | undefined> {
    if (question.isLate) return undefined;
    const { activation } = record;
    const limitMs = limitOf(record);
    activation.enter();
    try {
      return await within(this.#core.clock, limitMs, question.done, () => {
        if (!question.isLate) this.#note(answerKey(record, where), record, [lateWarning(record)]);
        question.isLate = true;
        return undefined;
      });
    } finally {
      activation.leave();
    }
  }

  #take(key: string, number: number, record: ProviderRecord, asked: Asked): void {
    const { answers, providers } = this.#core.snapshot();
    if (!providers.includes(record) || number < (this.#answered.get(key) ?? 0)) return;
    this.#note(key, record, asked.state === 'answered' ? asked.answer.warnings : [asked.warning]);
    // A provider that fails now takes nothing away: its last good answer stays.
    if (asked.state === 'failed' || !this.#isKept(asked.answer.where)) return;
    this.#answered.set(key, number);
    this.#ports.join(new Map(answers).set(key, asked.answer));
    this.watch([asked.answer]);
  }

  #note(key: string, { activation }: ProviderRecord, warnings: readonly string[]): void {
    const before = this.#warnings.get(key) ?? [];
    this.#warnings.set(key, warnings);
    for (const warning of warnings)
      if (!before.includes(warning)) this.#core.journal.add(activation.id, 'warning', 'provider_warning', warning);
  }

  /**
   * A provider that takes the place of its last revision answers for the places that one had answered for, before it
   * takes over. Its answers are the result; one that is late joins when it comes.
   */
  async carry(candidate: Snapshot, made: readonly Activation[]): Promise<ReadonlyMap<string, Answer>> {
    const { owners, clock } = this.#core;
    const fresh = new Map(
      candidate.providers
        .filter(({ activation }) => made.includes(activation))
        .map((record) => [providerKey(record), record]),
    );
    const answers = new Map<string, Answer>();
    const carryOne = async (key: string, { where }: Answer, record: ProviderRecord): Promise<void> => {
      this.#asked += 1;
      const number = this.#asked;
      const since = Date.now();
      const answering = ask(record, where, this.#levelsOf(record), candidate.declarations, owners).then((one) => {
        if (one.state === 'answered') this.#askedAt.set(one.answer, since);
        return one;
      });
      const asked = await within(clock, limitOf(record), answering, () => undefined);
      if (asked === undefined) {
        this.#note(key, record, [lateWarning(record)]);
        void answering.then((late) => owners.free(() => this.#take(key, number, record, late)));
        return;
      }
      this.#note(key, record, asked.state === 'answered' ? asked.answer.warnings : [asked.warning]);
      if (asked.state === 'answered') answers.set(key, asked.answer);
    };
    const asked = [...this.#core.snapshot().answers].flatMap(([key, answer]) => {
      const record = fresh.get(providerKey(answer.record));
      return record === undefined ? [] : [carryOne(key, answer, record)];
    });
    await Promise.all(asked);
    return answers;
  }

  /** Follows what answers depend on: a change asks again. */
  watch(answers: Iterable<Answer>): void {
    for (const answer of answers) {
      const { record, where, watch } = answer;
      const key = answerKey(record, where);
      const before = this.#watches.get(key);
      this.#watches.delete(key);
      // A new question, also while one is open: that one may have read the old files.
      const again = (): void => this.#ports.track(this.#wait(record, this.#ask(record, where), where));
      if (watch.length > 0)
        this.#watches.set(key, this.#core.watch(`answer:${key}`, watch, again, this.#askedAt.get(answer)));
      // Only now: what both look at is looked at without a break, and nobody has to begin anew.
      before?.dispose();
    }
  }

  /** Forgets what no provider of the snapshot answers for. */
  prune(): void {
    const { answers, providers } = this.#core.snapshot();
    for (const [key, handle] of this.#watches) {
      if (answers.has(key)) continue;
      handle.dispose();
      this.#watches.delete(key);
    }
    // A question that is never answered keeps no plugin that is gone.
    for (const [key, { record }] of this.#open) if (!providers.includes(record)) this.#open.delete(key);
    // Every answer makes a snapshot; the providers are hardly ever others.
    if (providers.length === this.#pruned.length && providers.every((record, at) => record === this.#pruned[at]))
      return;
    this.#pruned = providers;
    const known = new Set(providers.map(providerKey));
    const isKnown = (key: string): boolean => known.has(key.split('\0').slice(0, 3).join('\0'));
    for (const map of [this.#warnings, this.#answered])
      for (const key of map.keys()) if (!isKnown(key)) map.delete(key);
  }

  /** What a provider's last answers warned of, by provider id. */
  warnings(provider: string): readonly string[] {
    return [...this.#warnings].flatMap(([key, warnings]) => (key.split('\0')[2] === provider ? warnings : []));
  }

  close(): void {
    for (const handle of this.#watches.values()) handle.dispose();
    this.#watches.clear();
  }
}
