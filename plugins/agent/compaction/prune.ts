import type { ContextMessage, NewEntry, ToolResultMessage } from 'kern/contracts';
import { type Tokens, textTokens } from './tokens.ts';

/** Another reading of a result, by its place in the context. */
export interface Edit {
  readonly at: number;
  readonly entryId: string;
  readonly replacement: ToolResultMessage;
  readonly saved: number;
}

/** Results whose worth does not fade: what a skill says is an instruction. */
const neverPruned: ReadonlySet<string> = new Set(['skill']);
/** A notice takes some tokens too. */
const leastSaving = 100;

/** Old results, left out: of those between `from` and `to` all but the newest `protect` tokens. Oldest first. */
export function leaveOutResults(
  entries: readonly ContextMessage[],
  tokens: Tokens,
  { from, to = entries.length, protect }: { readonly from: number; readonly to?: number; readonly protect: number },
): readonly Edit[] {
  const edits: Edit[] = [];
  let newer = 0;
  for (let at = to - 1; at >= from; at -= 1) {
    const { message, entryId } = entries[at] as ContextMessage;
    if (message.role !== 'toolResult') continue;
    newer += tokens.of(message);
    if (newer <= protect || entryId === undefined || neverPruned.has(message.toolName)) continue;
    const replacement = leftOut(message, tokens.of(message));
    const saved = tokens.of(message) - tokens.of(replacement);
    if (saved >= leastSaving) edits.push({ at, entryId, replacement, saved });
  }
  return edits.reverse();
}

/** The same, only as many as are needed to save `excess` tokens; then, if that is not enough, the newest are shortened. */
export function fitResults(
  entries: readonly ContextMessage[],
  tokens: Tokens,
  from: number,
  excess: number,
): readonly Edit[] {
  if (excess <= 0) return [];
  const reply = entries.findLastIndex(({ message }) => message.role === 'assistant');
  const newest = Math.max(from, reply);
  const edits: Edit[] = [];
  let left = excess;
  for (const edit of leaveOutResults(entries, tokens, { from, to: newest, protect: 0 })) {
    if (left <= 0) return edits;
    edits.push(edit);
    left -= edit.saved;
  }
  if (left <= 0) return edits;
  const results = entries.slice(newest).filter(({ message }) => message.role === 'toolResult');
  const share = Math.max(
    leastSaving,
    Math.floor(
      (results.reduce((sum, { message }) => sum + tokens.of(message), 0) - left) / Math.max(1, results.length),
    ),
  );
  for (let at = newest; at < entries.length; at += 1) {
    const { message, entryId } = entries[at] as ContextMessage;
    if (message.role !== 'toolResult' || entryId === undefined || neverPruned.has(message.toolName)) continue;
    if (tokens.of(message) <= share + leastSaving) continue;
    const replacement = shortened(message, share);
    edits.push({ at, entryId, replacement, saved: tokens.of(message) - tokens.of(replacement) });
  }
  return edits;
}

export function savedBy(edits: readonly Edit[]): number {
  return edits.reduce((sum, { saved }) => sum + saved, 0);
}

export function editEntry({ entryId, replacement }: Edit): NewEntry {
  return { type: 'context_edit', targetId: entryId, replacement };
}

function leftOut(message: ToolResultMessage, tokens: number): ToolResultMessage {
  return withText(
    message,
    `[This result of ${message.toolName}, about ${tokens} tokens, was left out to save room. Call the tool again if it is needed.]`,
  );
}

/** The beginning and the end of a result's text, within `tokens`. Pictures go. */
function shortened(message: ToolResultMessage, tokens: number): ToolResultMessage {
  const text = message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  return withText(message, shortText(text, tokens));
}

/** A text within so many tokens, with what is left out said in the middle. */
export function shortText(text: string, tokens: number): string {
  const whole = textTokens(text);
  if (whole <= tokens) return text;
  // What a token is depends on the text: this one has so many characters a token.
  const characters = Math.floor((text.length * Math.max(0, tokens - 15)) / whole);
  const head = text.slice(0, Math.ceil(characters * 0.7)).replace(/[\ud800-\udbff]$/, '');
  const tail = text.slice(text.length - Math.floor(characters * 0.3)).replace(/^[\udc00-\udfff]/, '');
  return `${head}\n[… about ${whole - tokens} tokens left out …]\n${tail}`;
}

/** Of the details stays what files it was about: what was read and changed is told after a compaction too. */
function withText(message: ToolResultMessage, text: string): ToolResultMessage {
  const { details, ...rest } = message;
  const kept = placesIn(details);
  return { ...rest, content: [{ type: 'text', text }], ...(kept === undefined ? {} : { details: kept }) };
}

function placesIn(details: unknown): object | undefined {
  if (typeof details !== 'object' || details === null) return undefined;
  const kept = Object.entries(details).filter(([key, value]) =>
    ['path', 'kind', 'pending'].includes(key) ? typeof value === 'string' : key === 'files' && Array.isArray(value),
  );
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}
