import type { ContextMessage } from 'kern/contracts';

/** Where a context is divided. Indices into its messages. */
export interface Cut {
  /** The first that is not itself a summary of what was before. */
  readonly start: number;
  /** The turn whose end stays begins here; the same as `first` when no turn is divided. */
  readonly turn: number;
  /** The first that stays as it was said. */
  readonly first: number;
}

export interface CutOptions {
  readonly entries: readonly ContextMessage[];
  readonly tokens: (entry: ContextMessage) => number;
  /** What is to stay, about. */
  readonly keep: number;
  /** What may stay, so that the last turn stays whole. */
  readonly room: number;
  /** A context of one turn is divided only when it is larger than this. */
  readonly divideAbove: number;
  /** What the messages from here on would come to without their old results. */
  readonly leastOf: (from: number) => number;
}

/**
 * Finds the cut; undefined when there is nothing before it. It is never between a call and its results. The last turn
 * stays whole as long as there is room for it, if need be without its old results.
 */
export function findCut(options: CutOptions): Cut | undefined {
  const { entries, tokens, keep, room, divideAbove, leastOf } = options;
  const start = firstOwn(entries);
  const places = placesOf(entries, start);
  const first = placeFor(options, start, places);
  if (first === undefined) return undefined;
  const turns = turnsOf(entries, start, places);
  const lastTurn = turns.at(-1);
  if (lastTurn !== undefined && first > lastTurn) {
    const whole = sum(entries, tokens, lastTurn);
    const isOnly = lastTurn === turns[0] && lastTurn === (places[0] ?? lastTurn);
    if (!isOnly && (whole <= room || leastOf(lastTurn) <= room)) return { start, turn: lastTurn, first: lastTurn };
    if (isOnly && whole <= divideAbove) return undefined;
  }
  // A turn that began before the last summary is part of what that summary tells.
  const turn = turns.findLast((begin) => begin <= first) ?? first;
  const begun = entries.slice(turn, first);
  // A few words at the beginning of a turn are not worth a summary of their own, and what a person said stays together.
  const isWhole = begun.every(({ message }) => isSaid(message)) && isSaidAt(entries, first);
  if (isWhole || sum(begun, tokens, 0) <= keep / 4) return turn > start ? { start, turn, first: turn } : undefined;
  // Where a turn begins soon enough, none needs to be divided.
  const next = turns.find((begin) => begin > first);
  if (next !== undefined && sum(entries, tokens, next) >= keep / 2) return { start, turn: next, first: next };
  return { start, turn, first };
}

/** Where the messages begin that are not the summary of earlier ones. */
export function firstOwn(entries: readonly ContextMessage[]): number {
  return isSummary(entries[0]) ? 1 : 0;
}

export function isSummary(entry: ContextMessage | undefined): boolean {
  return entry?.message.role === 'custom' && entry.message.customType === 'kern.compaction';
}

/** Where the context may be cut: at an entry of the session that is no result, with no call before it unanswered. */
function placesOf(entries: readonly ContextMessage[], start: number): readonly number[] {
  const places: number[] = [];
  let open = new Set<string>();
  for (let at = start; at < entries.length; at += 1) {
    const { message, entryId } = entries[at] as ContextMessage;
    if (message.role === 'toolResult') {
      open.delete(message.toolCallId);
      continue;
    }
    // The next reply comes after all results, also those that got lost.
    if (entryId !== undefined && (open.size === 0 || message.role === 'assistant')) places.push(at);
    if (message.role === 'assistant')
      open = new Set(message.content.flatMap((part) => (part.type === 'toolCall' ? [part.id] : [])));
  }
  return places;
}

/** The first place at which no more stays than is to stay; else the last there is. Never the very beginning. */
function placeFor({ entries, tokens, keep }: CutOptions, start: number, places: readonly number[]): number | undefined {
  let at = entries.length;
  for (let stays = 0; at > start; at -= 1) {
    stays += tokens(entries[at - 1] as ContextMessage);
    if (stays > keep) break;
  }
  if (at === start) return undefined;
  const place = places.find((candidate) => candidate >= at) ?? places.at(-1);
  return place !== undefined && place > start ? place : undefined;
}

/** Where the turns begin: what a person said, with the notes and files that were put before it. */
function turnsOf(entries: readonly ContextMessage[], start: number, places: readonly number[]): readonly number[] {
  const isPlace = new Set(places);
  const turns: number[] = [];
  let begin: number | undefined;
  let hasUser = false;
  for (let at = start; at < entries.length; at += 1) {
    const { message } = entries[at] as ContextMessage;
    if (!isSaid(message)) {
      begin = undefined;
      hasUser = false;
      continue;
    }
    if (begin === undefined && isPlace.has(at)) begin = at;
    if (message.role === 'user' && begin !== undefined && !hasUser) {
      hasUser = true;
      turns.push(begin);
    }
  }
  return turns;
}

const isSaidAt = (entries: readonly ContextMessage[], at: number): boolean => {
  const message = entries[at]?.message;
  return message !== undefined && isSaid(message);
};

const isSaid = ({ role }: ContextMessage['message']): boolean => role === 'user' || role === 'custom';

function sum(entries: readonly ContextMessage[], tokens: CutOptions['tokens'], from: number): number {
  return entries.slice(from).reduce((all, entry) => all + tokens(entry), 0);
}
