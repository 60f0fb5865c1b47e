import type { HookItem } from 'kern/contracts';
import type { Said } from './asked.ts';

/** What the hooks of one event come to. */
export interface Merged {
  /** A no of one is a no; then a question counts, then a yes of the person's own hooks. */
  readonly decision: 'allow' | 'deny' | 'ask' | undefined;
  /** Why, with the name of who says so. */
  readonly reason: string;
  /** Other arguments: of several the first. */
  readonly change:
    | { readonly input: Readonly<Record<string, unknown>>; readonly by: string; readonly dialect: HookItem['dialect'] }
    | undefined;
  /** Others that wanted to change them too. */
  readonly unheard: readonly string[];
  readonly contexts: readonly string[];
  readonly output: string | undefined;
  readonly stop: string | undefined;
}

/** `guards`: who was to judge and gave no answer has said no. */
export function merged(said: readonly Said[], guards: boolean): Merged {
  const answers = said.flatMap(({ name, item, outcome }) =>
    outcome.state === 'answered' ? [{ name, item, answer: outcome.answer }] : [],
  );
  const changes = answers.flatMap(({ name, item, answer: { input } }) =>
    input === undefined ? [] : [{ input, by: name, dialect: item.dialect }],
  );
  const [change] = changes;
  const decisions = said.flatMap((one) => {
    const decision = decisionOf(one, guards);
    if (decision === undefined) return [];
    // Whoever allows it has not seen what another makes of it.
    const isBlind = decision[0] === 'allow' && change !== undefined && change.by !== one.name;
    return isBlind ? [] : [decision];
  });
  const decision = (['deny', 'ask', 'allow'] as const).find((word) => decisions.some(([said]) => said === word));
  return {
    decision,
    reason: decisions.flatMap(([word, reason]) => (word === decision ? [reason] : [])).join('\n'),
    change,
    unheard: changes.slice(1).map(({ by }) => by),
    contexts: answers.flatMap(({ answer: { context } }) => context ?? []),
    output: answers.find(({ answer: { output } }) => output !== undefined)?.answer.output,
    stop: answers.find(({ answer: { stop } }) => stop !== undefined)?.answer.stop,
  };
}

function decisionOf(
  { name, item, isOwn, outcome }: Said,
  guards: boolean,
): readonly ['allow' | 'deny' | 'ask', string] | undefined {
  const named = (text: string): string => `${text} (hook ${name})`;
  if (outcome.state === 'lost')
    return ['deny', named(`the hook that was to judge it cannot run any more: ${outcome.why}`)];
  if (outcome.state !== 'answered') {
    const isNo = item.failClosed || (guards && outcome.state === 'crashed' && item.failOpen !== true);
    return isNo ? ['deny', named(`the hook that was to judge it gave no answer: ${outcome.why}`)] : undefined;
  }
  const { decision, reason } = outcome.answer;
  if (decision === undefined) return undefined;
  // A project cannot open what its own hooks guard.
  if (decision === 'allow' && !isOwn) return undefined;
  return [
    decision,
    named(reason ?? (decision === 'deny' ? 'a hook says no' : decision === 'ask' ? 'a hook asks' : 'a hook allows it')),
  ];
}
