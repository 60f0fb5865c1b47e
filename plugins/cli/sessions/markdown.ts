import type { SessionEntry, SessionStore } from 'kern/contracts';
import { Story, type StoryItem } from './story.ts';
import { costText, countText, totalsOf } from './totals.ts';
import { clockText, noteOf, outcomeOf, short, subjectOf, textOf } from './words.ts';

/** The branch on which a session goes on, as Markdown. */
export function* markdown(store: SessionStore): Generator<string> {
  const totals = totalsOf(store);
  const { header } = store;
  const tokens = totals.tokens.input + totals.tokens.output + totals.tokens.cacheRead + totals.tokens.cacheWrite;
  yield `# ${inline(short(store.context().name ?? 'Session', 200))}\n\n`;
  yield `- Session: ${code(short(header.id, 100))}, began ${inline(clockText(header.timestamp))}\n`;
  yield `- Folder: ${code(short(header.cwd, 300))}\n`;
  yield `- ${countText(totals.questions, 'question')}, ${countText(totals.replies, 'reply')}, ${countText(totals.calls, 'call')} (${totals.failedCalls} failed), ${countText(tokens, 'token')}, ${costText(totals)}\n`;
  for (const item of new Story(store).items()) for (const part of itemParts(item)) yield part;
}

function* itemParts(item: StoryItem): Generator<string> {
  if (item.kind === 'branches') {
    for (const { node, messages } of item.branches)
      yield `\n> Another branch begins here: ${countText(messages, 'message')}, from ${code(node.id)}.\n`;
    return;
  }
  const { node, label, isHidden } = item;
  const mark = `${label === undefined ? '' : ` [${inline(short(label, 60))}]`}${isHidden ? ' (no longer told to the model)' : ''}`;
  const heading = (who: string): string =>
    `\n## ${inline(short(who, 100))} · ${inline(clockText(node.timestamp))}${mark}\n\n`;
  if (item.kind === 'reply') {
    const { message, calls } = item;
    yield heading(message.model === '' ? 'Model' : message.model);
    for (const part of message.content) {
      if (part.type === 'text' && part.text.trim() !== '') yield `${prose(part.text)}\n\n`;
      if (part.type === 'thinking' && part.thinking.trim() !== '')
        yield `${prose(part.thinking)
          .split('\n')
          .map((line) => `> ${line}`)
          .join('\n')}\n\n`;
    }
    for (const { call, result } of calls) {
      const outcome = outcomeOf(result);
      yield `**${inline(call.name)}** ${code(short(subjectOf(call), 200))}${outcome === '' ? '' : ` (${outcome})`}\n\n`;
      yield fenced(JSON.stringify(call.invalidArguments ?? call.arguments, undefined, 2), 'json');
      if (result !== undefined) yield fenced(textOf(result.content), '');
    }
    if (message.errorMessage !== undefined) yield `Failed: ${inline(short(message.errorMessage, 1_000))}\n`;
    return;
  }
  const { entry } = item;
  if (entry.type === 'foreign') return;
  const note = noteOf(entry);
  if (note !== undefined) yield `\n*${inline(short(note, 200))}*${mark}\n`;
  else yield* told(entry, heading);
}

function* told(entry: SessionEntry, heading: (who: string) => string): Generator<string> {
  if (entry.type === 'compaction')
    yield `${heading(`Compaction (${countText(entry.tokensBefore, 'token')} before)`)}${prose(entry.summary)}\n`;
  else if (entry.type === 'branch_summary') yield `${heading('Summary of a branch')}${prose(entry.summary)}\n`;
  else if (entry.type === 'custom_message') {
    if (entry.display) yield `${heading(entry.customType)}${prose(textOf(entry.content))}\n`;
  } else if (entry.type === 'message') {
    const { message } = entry;
    if (message.role === 'user') yield `${heading('You')}${prose(textOf(message.content))}\n`;
    else if (message.role === 'fileMention') {
      yield heading('Files');
      for (const { path, content } of message.files) yield `${code(short(path, 300))}\n\n${fenced(content, '')}`;
    } else if (message.role === 'bashExecution')
      yield `${heading('Command')}${fenced(message.command, 'sh')}${fenced(message.output, '')}`;
    else if (message.role === 'toolResult')
      yield `${heading(`Result of ${message.toolName}`)}${fenced(textOf(message.content), '')}`;
    else if (message.role === 'custom') yield `${heading(message.customType)}${prose(textOf(message.content))}\n`;
  }
}

/**
 * Stored text as Markdown, but for tags: a reader that obeys them would obey a stranger. Only fences are sure to be code;
 * where a span in a line begins and ends depends on what stands before it.
 */
function prose(text: string): string {
  let fence: string | undefined;
  const lines = text
    .trim()
    .split('\n')
    .map((line) => {
      const mark = /^ {0,3}(?:(`{3,})[^`]*|(~{3,}).*)$/.exec(line);
      const run = mark?.[1] ?? mark?.[2];
      if (fence === undefined) {
        fence = run;
        return run === undefined ? line.replace(/<(?=[a-z/!?])/gi, '&lt;') : line;
      }
      if (run?.startsWith(fence) === true && line.trim() === run) fence = undefined;
      return line;
    });
  // What is left open would swallow all that follows.
  return [...lines, ...(fence === undefined ? [] : [fence])].join('\n');
}

/** A fence that is longer than any within. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}\n\n`;
}

function code(text: string): string {
  if (text === '') return '';
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const mark = '`'.repeat(longest + 1);
  return longest === 0 ? `${mark}${text}${mark}` : `${mark} ${text} ${mark}`;
}

const inline = (text: string): string => text.replace(/[\\`*_[\]<>#|]/g, '\\$&');
