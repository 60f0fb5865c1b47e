import type { PermissionQuestion, PermissionVerdict, ToolCallInput, ToolVeto } from 'kern/contracts';
import { messageOf, type Ui } from 'kern/plugin';
import { judge, type Policy } from './judge.ts';
import type { Settings } from './policy.ts';
import type { Places } from './rules.ts';
import { howToAllow, visible } from './words.ts';

/** What the keeper needs of the world. */
export interface Keeper {
  settings(): Settings;
  places(): Places;
  /** Makes known what providers say of places; before it, only what stands here is. */
  prepare(): Promise<void>;
  /** Plugins that answer instead of the person. */
  ask(
    question: PermissionQuestion & { readonly reasons: readonly string[] },
  ): Promise<{ readonly verdict: 'allow' | 'deny'; readonly reason?: string } | undefined>;
  ui(): Ui;
  /** The clock stands still while a person thinks. */
  asking<T>(answer: Promise<T>): Promise<T>;
  decided(decision: { readonly tool: string; readonly verdict: 'allow' | 'deny'; readonly reason: string }): void;
}

/** Refuses a call, or lets it be. Whatever goes wrong here is a refusal. */
export async function decideCall(call: ToolCallInput, keeper: Keeper): Promise<ToolVeto | undefined> {
  const { tool } = call;
  const allow = (reason: string): undefined => keeper.decided({ tool, verdict: 'allow', reason }) as undefined;
  const deny = (reason: string): ToolVeto => {
    keeper.decided({ tool, verdict: 'deny', reason });
    return { block: reason };
  };
  let settings: Settings;
  try {
    settings = keeper.settings();
  } catch (error) {
    return deny(messageOf(error));
  }
  const { policy, isExplicit } = settings;
  const question: PermissionQuestion = { tool, args: call.args, effects: call.effects, cwd: call.where.cwd };
  const { verdict, rule, reasons } = await judgeKnowing(question, policy, keeper);
  const what = reasons.join(', ');
  if (verdict === 'allow') return allow(rule);
  if (verdict === 'deny')
    return deny(
      `${tool} is not allowed (${rule}): it ${what}${policy.mode === 'plan' ? `; ${howToAllow('plan', false, tool)}` : ''}`,
    );
  if (call.by === 'person' && !isExplicit) return allow('the person asked for this call');

  const answered = await keeper.ask({ ...question, reasons });
  if (answered?.verdict === 'allow') return allow(answered.reason ?? 'a plugin allowed it');
  if (answered?.verdict === 'deny') return deny(`${tool} was refused: ${answered.reason ?? 'a plugin said no'}`);
  const ui = keeper.ui();
  if (!ui.available) {
    const isEdit =
      call.effects.length > 0 &&
      call.effects.every(({ kind }) => kind === 'write' || kind === 'delete' || kind === 'read');
    return deny(
      `${tool} needs permission (${rule}): it ${what}. Nobody can be asked here. What would allow it: ${howToAllow(policy.mode, isEdit && !rule.includes('protected'), tool)}`,
    );
  }
  const yes = await keeper.asking(ui.confirm(`Allow ${visible(tool)}?`, [...reasons, `(${rule})`].join('\n')));
  if (yes === true) return allow('the person said yes');
  return deny(
    yes === false ? `the person said no to ${tool}: it ${what}` : `nobody answered whether ${tool} may run: it ${what}`,
  );
}

/** What would be allowed is looked at again with all that providers know: only then it is worth to load them. */
async function judgeKnowing(question: PermissionQuestion, policy: Policy, keeper: Keeper): Promise<PermissionVerdict> {
  const first = judge(question, policy, keeper.places());
  const changes = question.effects.some(({ kind }) => kind === 'write' || kind === 'delete' || kind === 'run');
  if (first.verdict !== 'allow' || !changes || policy.mode === 'all' || policy.mode === 'plan') return first;
  await keeper.prepare();
  return judge(question, policy, keeper.places());
}
