import type { Activation, OfferRecord, ProviderRecord } from './activation.ts';
import type { ProviderAnswer, Where } from './capability.ts';
import { type Declarations, declaredCapability, examine } from './declarations.ts';
import { KernError, messageOf } from './error.ts';
import type { Ownership } from './owner.ts';
import type { SettingsPort } from './settings.ts';
import type { Answer } from './snapshot.ts';

/** What asking one provider comes to. */
export type Asked =
  | { readonly state: 'answered'; readonly answer: Answer }
  | { readonly state: 'failed'; readonly warning: string };

/** The levels of which a provider's items are wanted. */
export const levelsOf = ({ provider }: ProviderRecord, settings: SettingsPort): readonly ('user' | 'project')[] =>
  (['project', 'user'] as const).filter((level) => settings.provider(provider.id, level).off === undefined);

/** Asks one provider for one place. Never rejects. */
export async function ask(
  record: ProviderRecord,
  where: Where,
  levels: readonly ('user' | 'project')[],
  declarations: Declarations,
  owners: Ownership,
): Promise<Asked> {
  const { activation, provider } = record;
  try {
    const answer = await owners.run({ activation }, async () =>
      provider.load(where, activation.controller.signal, levels),
    );
    return { state: 'answered', answer: accept(record, where, levels, answer, declarations) };
  } catch (error) {
    return { state: 'failed', warning: warningOf(record, messageOf(error)) };
  }
}

/** A warning as people see it. */
export const warningOf = ({ provider }: ProviderRecord, text: string): string => `[${provider.displayName}] ${text}`;

/** Parses an answer: what is not an item becomes an invalid one, never a reason to lose the others. */
function accept(
  record: ProviderRecord,
  where: Where,
  levels: Answer['levels'],
  answer: ProviderAnswer<unknown>,
  declarations: Declarations,
): Answer {
  if (typeof answer !== 'object' || answer === null || !Array.isArray(answer.items))
    throw new KernError('bad_answer', 'load() answered without a list of items');
  const { activation, provider, capability } = record;
  const declared = declaredCapability(declarations, capability.id, activation.root) ?? capability;
  const offers = answer.items.map((provided, sequence): Answer['offers'][number] => {
    const offer: OfferRecord = {
      activation,
      capability: declared,
      ...examine(declared, provided?.item),
      priority: undefined,
      path: provided?.path,
      givesWayTo: provided?.givesWayTo,
      provider: provider.id,
      rank: record.sequence,
      sequence,
      fate: { isWithdrawn: false },
    };
    return { ...offer, level: levelFor(activation, provided?.level) };
  });
  return {
    record,
    where,
    levels,
    offers,
    warnings: (answer.warnings ?? []).map((warning) => warningOf(record, warning)),
    watch: answer.watch ?? [],
  };
}

/** A project's or a session's plugin speaks for its own level only. */
function levelFor(activation: Activation, level: 'user' | 'project' | undefined): 'user' | 'project' | undefined {
  return activation.level === 'project' || activation.level === 'session' ? undefined : level;
}
