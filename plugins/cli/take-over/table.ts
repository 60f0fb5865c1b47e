import type { Origin } from './found.ts';

/** A foreign setting and what it is here. */
export interface Row {
  readonly from: string;
  /** Keys of kern that get the value. */
  readonly to: readonly string[];
  /** The value as kern has it; `undefined` where it says no more than kern's default does. Throws where kern has none like it. */
  readonly value?: (value: unknown) => unknown;
}

/** Kern has nothing that the value could mean. */
export class NoMatch extends Error {}

const agent = (name: string): readonly string[] => [`plugins.agent.${name}`];
const same = (from: string, to: readonly string[] = agent(from)): Row => ({ from, to });

/** Of a number that may be switched off by one below zero. */
const ifSet = (value: unknown): unknown => (typeof value === 'number' && value < 0 ? undefined : value);

/** `anthropic/claude-x:high` without what is said of thinking. */
const modelName = (value: unknown): unknown => {
  if (typeof value !== 'string' || !value.includes('/')) throw new NoMatch('kern names a model as provider/id');
  return value.replace(/:(off|minimal|low|medium|high|xhigh|max)$/, '');
};

const oneOf =
  (meanings: Readonly<Record<string, unknown>>) =>
  (value: unknown): unknown => {
    if (typeof value === 'string' && Object.hasOwn(meanings, value)) return meanings[value];
    throw new NoMatch(`kern has no ${JSON.stringify(value)}`);
  };

const common: readonly Row[] = [
  same('defaultThinkingLevel', ['thinking']),
  same('steeringMode'),
  same('followUpMode'),
  same('compaction.enabled'),
  same('compaction.reserveTokens'),
  same('compaction.keepRecentTokens'),
  same('branchSummary.reserveTokens'),
  same('retry.enabled'),
  same('retry.maxRetries'),
  same('retry.baseDelayMs'),
  same('retry.maxDelayMs'),
  same('shellPath', ['plugins.tools.bash.shellPath']),
  same('disabledProviders', ['disabledProviders']),
  same('symbolPreset', ['symbolPreset']),
  same('colorBlindMode', ['colorBlindMode']),
];

/** Every foreign setting that means something here. `kern config` of the docs has the same table. */
export const tables: Readonly<Record<Origin, readonly Row[]>> = {
  pi: [
    ...common,
    { from: 'theme', to: ['theme'], value: oneOf({ dark: 'dark', light: 'light', system: undefined }) },
    same('retry.maxAgentDelayMs', agent('retry.maxDelayMs')),
    same('shellCommandPrefix', ['plugins.tools.bash.shellCommandPrefix']),
    same('httpIdleTimeoutMs', ['plugins.models.anthropic.idleTimeoutMs', 'plugins.models.openai-chat.idleTimeoutMs']),
  ],
  'oh-my-pi': [
    ...common,
    { from: 'modelRoles.default', to: ['model'], value: modelName },
    { from: 'modelRoles.smol', to: agent('title.model'), value: modelName },
    { from: 'compaction.thresholdPercent', to: agent('compaction.thresholdPercent'), value: ifSet },
    {
      from: 'compaction.strategy',
      to: agent('compaction.enabled'),
      value: oneOf({ 'context-full': undefined, off: false }),
    },
    same('retry.fallbackChains'),
    { from: 'edit.mode', to: ['plugins.tools.edit.format'] },
    same('bashInterceptor.enabled', ['plugins.tools.bash.interceptor']),
  ],
};

/** Why some are left, where that is not plain. */
const reasons: readonly (readonly [RegExp, string])[] = [
  [/^(enabledModels|scopedModels|cycleOrder)$/, 'kern offers every model that answers'],
  [
    /^(packages|extensions|skills|prompts|themes|disabledExtensions)$/,
    'extensions and files of the other program are not copied',
  ],
  [/^sessionDir$/, 'sessions of kern lie apart; `kern sessions import` brings in others'],
  [/^(defaultProjectTrust|tools\.approvalMode|approvalMode)$/, 'what may happen unasked is never taken over'],
  [
    /^(lastChangelogVersion|collapseChangelog|enableInstallTelemetry|enableAnalytics|startup\.checkUpdate)$/,
    'kern has no need of it',
  ],
  [/^theme\.(dark|light)$/, 'kern has no themes of that name'],
  [/(apiKey|token|secret|password)/i, 'keys are not taken over with settings'],
];

export function reasonFor(key: string): string {
  return reasons.find(([pattern]) => pattern.test(key))?.[1] ?? 'kern has no such setting';
}
