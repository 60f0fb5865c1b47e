import type { Model } from 'kern/contracts';
import type { AgentSettings } from '../settings.ts';

export type CompactionSettings = AgentSettings['compaction'];

/** How a window is shared out, in tokens of the model. */
export interface Budget {
  readonly window: number;
  /** Above this the context is made smaller. */
  readonly limit: number;
  /** What a summary may take. */
  readonly summary: number;
}

/**
 * What is left free is as the setting says, but never more than half of a window: in a small one there would else be no
 * room for any conversation.
 */
export function budgetOf(model: Model, settings: CompactionSettings): Budget {
  const window = model.contextWindow;
  const reserve = Math.min(settings.reserveTokens, Math.floor(window / 2));
  const { thresholdPercent: percent } = settings;
  const limit = percent === undefined ? window - reserve : Math.floor((window * percent) / 100);
  // In a small window the summary must not take the place of what stays.
  return { window, limit, summary: Math.min(summaryTokens(model, reserve), Math.max(1, Math.floor(limit / 4))) };
}

/** Most of what is left free: the rest is for what the model says around it. */
export function summaryTokens(model: Model, reserve: number): number {
  const least = Math.min(512, Math.floor(model.contextWindow / 8));
  const most = model.maxOutput > 0 ? model.maxOutput : Number.POSITIVE_INFINITY;
  return Math.max(1, Math.min(Math.max(least, Math.floor(reserve * 0.8)), most));
}
