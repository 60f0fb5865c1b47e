import { type ThinkingLevel, thinkingLevels } from './contract.ts';

/** The level of a model nearest to the wanted one: the highest that is not above it, else its lowest. */
export function clampThinking(levels: readonly ThinkingLevel[], wanted: ThinkingLevel): ThinkingLevel {
  const rank = (level: ThinkingLevel): number => thinkingLevels.indexOf(level);
  const ordered = [...levels].sort((a, b) => rank(a) - rank(b));
  return ordered.findLast((level) => rank(level) <= rank(wanted)) ?? ordered[0] ?? 'off';
}

/** The level in the words of the provider packages. A model that knows no levels is asked for none. */
export function reasoningFor(
  levels: readonly ThinkingLevel[],
  wanted: ThinkingLevel,
): 'none' | Exclude<ThinkingLevel, 'off'> | undefined {
  if (levels.every((level) => level === 'off')) return undefined;
  const level = clampThinking(levels, wanted);
  return level === 'off' ? 'none' : level;
}
