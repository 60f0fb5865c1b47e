import type { Raw } from './transcript-lines.ts';

/** A line of a transcript that has its place in the conversation. */
export interface Row {
  readonly number: number;
  readonly raw: Raw;
  readonly uuid: string;
  readonly parent: string | undefined;
  readonly time: number;
  /** The reply that it is a part of; each part has a line of its own. */
  readonly reply: string | undefined;
  /** Ids of calls that it makes, and of calls that it answers. */
  readonly calls: readonly string[];
  readonly results: readonly string[];
}

/**
 * The conversation as it went last: from its latest line back to its first, in the order of the file. Results of calls
 * that were made together hang beside that line, each below its own call; they belong to it too.
 */
export function mainLine(rows: readonly Row[], problem: (what: string, line: number) => void): readonly Row[] {
  const placeOf = new Map(rows.map(({ uuid }, place) => [uuid, place]));
  const chosen = new Set<string>();
  let place = lastSaid(rows, rows.length);
  for (let row = rows[place]; row !== undefined && !chosen.has(row.uuid); row = rows[place]) {
    const { parent, number } = row;
    chosen.add(row.uuid);
    const before = parent === undefined ? -1 : placeOf.get(parent);
    if (before === undefined) problem('the line that it follows is not there; it follows the one before it', number);
    place = before ?? lastSaid(rows, place);
  }
  const replies = new Set(rows.flatMap((one) => (chosen.has(one.uuid) && one.reply !== undefined ? [one.reply] : [])));
  const isOfReply = ({ uuid, reply }: Row): boolean => chosen.has(uuid) || (reply !== undefined && replies.has(reply));
  const calls = new Set(rows.filter(isOfReply).flatMap((one) => one.calls));
  const line = rows.filter((one) => isOfReply(one) || one.results.some((id) => calls.has(id)));
  const taken = new Set(line);
  const left = rows.filter((one) => !taken.has(one) && isSaid(one)).length;
  if (left > 0) problem(`${left} messages of branches that were left are not taken over`, 0);
  return line;
}

const isSaid = ({ raw }: Row): boolean => raw.type === 'user' || raw.type === 'assistant';

function lastSaid(rows: readonly Row[], before: number): number {
  for (let place = before - 1; place >= 0; place -= 1) if (isSaid(rows[place] as Row)) return place;
  return -1;
}
