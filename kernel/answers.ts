import type { Activation, OfferRecord, ProviderRecord } from './activation.ts';
import type { ProviderAnswer, Where } from './capability.ts';
import type { Clock } from './clock.ts';
import { KernError, messageOf } from './error.ts';
import type { Ownership } from './owner.ts';
import type { Journal } from './report.ts';
import { parse } from './schema.ts';
import { type Answer, declaredCapability, keyOf, type Snapshot } from './snapshot.ts';

const defaultLimitMs = 2_000;

export interface AskPorts {
  readonly owners: Ownership;
  readonly journal: Journal;
  readonly clock: Clock;
}

/** What asking one provider comes to; `late` goes on behind, and its answer joins when it comes. */
export type Asked = { readonly state: 'answered'; readonly answer: Answer } | { readonly state: 'failed'; readonly warning: string } | { readonly state: 'late'; readonly warning: string; readonly later: Promise<Asked> };

/** Asks one provider for one place, within its limit. Never rejects. */
export async function ask(record: ProviderRecord, where: Where, snapshot: Snapshot, ports: AskPorts, signal?: AbortSignal): Promise<Asked> {
  const { activation, provider } = record;
  const limitMs = provider.limitMs ?? defaultLimitMs;
  const signals = signal === undefined ? [activation.controller.signal] : [activation.controller.signal, signal];
  activation.enter();
  const answered: Promise<Asked> = ports.owners
    .run({ activation }, async () => provider.load(where, AbortSignal.any(signals)))
    .then(
      (answer): Asked => ({ state: 'answered', answer: accept(record, where, answer, snapshot) }),
      (error): Asked => ({ state: 'failed', warning: `[${provider.displayName}] ${messageOf(error)}` }),
    )
    .finally(() => activation.leave());
  const { promise: late, resolve } = Promise.withResolvers<'late'>();
  const cancel = ports.clock.after(limitMs, () => resolve('late'));
  const first = await Promise.race([answered, late]);
  cancel();
  if (first !== 'late') return first;
  return { state: 'late', warning: `[${provider.displayName}] no answer within ${limitMs} ms; its items join when they come`, later: answered };
}

/** Parses an answer: what is not an item becomes an invalid one, never a reason to lose the others. */
function accept(record: ProviderRecord, where: Where, answer: ProviderAnswer<unknown>, snapshot: Snapshot): Answer {
  if (typeof answer !== 'object' || answer === null || !Array.isArray(answer.items)) throw new KernError('bad_answer', 'load() answered without a list of items');
  const { activation, provider } = record;
  const capability = declaredCapability(snapshot, record.capability.id) ?? record.capability;
  const offers = answer.items.map((provided, sequence): Answer['offers'][number] => {
    const parsed = parse(capability.schema, provided.item);
    const item = parsed.ok && capability.normalize !== undefined ? capability.normalize(provided.item) : provided.item;
    const offer: OfferRecord = { activation, capability, item, key: keyOf(capability, item), priority: undefined, path: provided.path, provider: provider.id, sequence, schema: capability.schema, parsed: parsed.ok ? { ok: true, value: item } : parsed, withdrawn: false };
    return { ...offer, level: levelFor(activation, provided.level) };
  });
  return { record, cwd: where.cwd, offers, warnings: (answer.warnings ?? []).map((warning) => `[${provider.displayName}] ${warning}`), watch: answer.watch ?? [] };
}

/** A project's or a session's plugin speaks for its own level only. */
function levelFor(activation: Activation, level: 'user' | 'project' | undefined): 'user' | 'project' | undefined {
  return activation.level === 'project' || activation.level === 'session' ? undefined : level;
}
