import { type Model, type ThinkingLevel, thinkingLevels } from 'kern/contracts';
import { KernError } from 'kern/plugin';

/** What is used where nobody chose a level. */
const defaultLevel: ThinkingLevel = 'medium';

export function isThinkingLevel(value: unknown): value is ThinkingLevel {
  return thinkingLevels.includes(value as ThinkingLevel);
}

/** A level by its name. */
export function parseThinking(level: string): ThinkingLevel {
  if (isThinkingLevel(level)) return level;
  throw new KernError('thinking_unknown', `${level} is no thinking level`, {
    hint: `one of ${thinkingLevels.join(', ')}`,
  });
}

/** The level a model can do: the wanted one, else the next lower, else its lowest. A model that does not think: off. */
export function clampThinking(wanted: ThinkingLevel | undefined, model: Model): ThinkingLevel {
  const can = thinkingLevels.filter((level) => model.thinking.includes(level));
  const at = thinkingLevels.indexOf(wanted ?? defaultLevel);
  return can.findLast((level) => thinkingLevels.indexOf(level) <= at) ?? can[0] ?? 'off';
}

/** What is written beside the level that is used, for models that can do more; undefined where it is the same. */
export function wantedBeside(
  wanted: ThinkingLevel | undefined,
  thinking: ThinkingLevel,
): ThinkingLevel | 'default' | undefined {
  if ((wanted ?? defaultLevel) === thinking) return undefined;
  return wanted ?? 'default';
}

/** Why a model thinks otherwise than it was asked to; undefined where it does as asked. */
export function clampNotice(
  wanted: ThinkingLevel | undefined,
  thinking: ThinkingLevel,
  { id }: Model,
): string | undefined {
  if (wanted === undefined || wanted === thinking) return undefined;
  if (thinking === 'off') return `${id} does not think: the level ${wanted} is left out`;
  return `${id} does not know the thinking level ${wanted}: ${thinking} is used`;
}
