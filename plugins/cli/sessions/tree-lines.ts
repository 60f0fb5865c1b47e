import type { EntryNode, SessionStore } from 'kern/contracts';
import { Story } from './story.ts';
import { noteOf, saidBy, short, subjectOf, textOf } from './words.ts';

type Source = Pick<SessionStore, 'leaf' | 'nodes' | 'entry' | 'label'>;

/** Of an entry, as much as fits beside others. */
const width = 90;
/** Further in, branches no longer move to the right. */
const deepest = 30;

/** The tree of a session, a line an entry. What follows one after the other stands below each other; only branches are moved in. */
export function* treeLines(source: Source): Generator<string> {
  const story = new Story(source);
  const active = new Set(story.path().map(({ id }) => id));
  const seen = new Set<string>();
  // A stack, since a session may be longer than calls may be deep. The last one is told next.
  const waiting: { readonly node: EntryNode; readonly depth: number; readonly isBranch: boolean }[] = [];
  const follow = (id: string | null, depth: number): void => {
    // The way on which the session goes on comes last, and stays where it is.
    const below = [...story.children(id)].sort((a, b) => Number(active.has(a.id)) - Number(active.has(b.id)));
    const told = below.filter((node) => isTold(source, node) || story.children(node.id).length > 0);
    for (const [nth, node] of [...told.entries()].reverse()) {
      const isBranch = told.length > 1 && nth < told.length - 1;
      waiting.push({ node, depth: depth + (isBranch ? 1 : 0), isBranch });
    }
  };
  follow(null, 0);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node, depth, isBranch } = next;
    if (seen.has(node.id)) continue;
    seen.add(node.id);
    const line = lineOf(source, node);
    if (line !== undefined || isBranch) {
      const label = source.label(node.id);
      const mark = `${label === undefined ? '' : ` [${short(label, 40)}]`}${node.id === source.leaf ? ' ← here' : ''}`;
      const indent = '│ '.repeat(Math.max(0, Math.min(depth, deepest) - (isBranch ? 1 : 0)));
      yield `${node.id}  ${indent}${isBranch ? '├─' : ''}${line ?? node.type}${mark}`;
    } else if (node.id === source.leaf) yield `${node.id}  ${'│ '.repeat(Math.min(depth, deepest))}${node.type} ← here`;
    follow(node.id, depth);
  }
}

const isTold = (source: Source, node: EntryNode): boolean =>
  lineOf(source, node) !== undefined || node.id === source.leaf;

function lineOf(source: Source, { id, role }: EntryNode): string | undefined {
  if (role === 'toolResult' || role === 'system') return undefined;
  const entry = source.entry(id);
  if (entry === undefined || entry.type === 'foreign') return undefined;
  if (entry.type === 'compaction') return `compaction: ${short(entry.summary, width)}`;
  if (entry.type === 'branch_summary') return `summary of a branch: ${short(entry.summary, width)}`;
  if (entry.type === 'custom_message') return `${short(entry.customType, 40)}: ${short(textOf(entry.content), width)}`;
  const note = noteOf(entry);
  if (note !== undefined) return short(note, width);
  if (entry.type !== 'message') return undefined;
  const { message } = entry;
  if (message.role === 'user') return `you: ${short(textOf(message.content), width)}`;
  if (message.role === 'fileMention') return `files: ${short(message.files.map(({ path }) => path).join(', '), width)}`;
  if (message.role === 'bashExecution') return `$ ${short(message.command, width)}`;
  if (message.role !== 'assistant')
    return message.role === 'custom'
      ? `${short(message.customType, 40)}: ${short(textOf(message.content), width)}`
      : undefined;
  const said = saidBy(message);
  const calls = message.content.flatMap((part) =>
    part.type === 'toolCall' ? [`${part.name} ${subjectOf(part)}`] : [],
  );
  const text = said === '' ? calls.join('; ') : said;
  return `model: ${short(text === '' ? (message.errorMessage ?? '') : text, width)}`;
}
