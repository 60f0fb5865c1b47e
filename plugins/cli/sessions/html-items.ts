import type { ImageContent, SessionEntry, TextContent, ToolResultMessage, Usage } from 'kern/contracts';
import { escaped, formatted, image } from './html-text.ts';
import type { StoryCall, StoryItem } from './story.ts';
import { countText } from './totals.ts';
import { clockText, noteOf, outcomeOf, short, subjectOf, textOf } from './words.ts';

type Item<K extends StoryItem['kind']> = Extract<StoryItem, { readonly kind: K }>;

/** One item of the story, as it stands on the page. */
export function* itemHtml(item: StoryItem): Generator<string> {
  if (item.kind === 'branches') yield* branchesHtml(item);
  else if (item.kind === 'reply') yield* replyHtml(item);
  else if (item.entry.type !== 'foreign') yield* entryHtml(item, item.entry);
}

function* branchesHtml({ branches }: Item<'branches'>): Generator<string> {
  for (const branch of branches) {
    const { node, messages } = branch;
    yield `<details class="branch"><summary>Another branch from here: ${countText(messages, 'message')}, ${escaped(clockText(node.timestamp))}</summary>\n`;
    for (const item of branch.items()) yield* itemHtml(item);
    yield '</details>\n';
  }
}

function article(
  { node, label, isHidden }: Item<'reply' | 'entry'>,
  kind: string,
  who: string,
  time = node.timestamp,
): string {
  const id = escaped(node.id);
  const mark = label === undefined ? '' : ` <mark>${escaped(label)}</mark>`;
  const hidden = isHidden ? ' <em>no longer told to the model</em>' : '';
  return `<article class="${kind}${isHidden ? ' hidden' : ''}" id="e-${id}"><h2>${escaped(who)} <time>${escaped(clockText(time))}</time>${mark}${hidden} <a class="id" href="#e-${id}">${id}</a></h2>\n`;
}

function* replyHtml(item: Item<'reply'>): Generator<string> {
  const { message, calls } = item;
  yield article(item, 'reply', message.model === '' ? 'Model' : message.model);
  const byId = new Map(calls.map((call) => [call.call.id, call]));
  for (const part of message.content) {
    if (part.type === 'text' && part.text.trim() !== '') yield `<div class="text">${formatted(part.text)}</div>\n`;
    else if (part.type === 'thinking' && part.thinking.trim() !== '')
      yield `<details class="thinking"><summary>Thinking</summary><pre>${escaped(part.thinking.trim())}</pre></details>\n`;
    else if (part.type === 'toolCall') yield* callHtml(byId.get(part.id) ?? { call: part, result: undefined });
  }
  if (message.errorMessage !== undefined) yield `<p class="failure">${escaped(message.errorMessage)}</p>\n`;
  const usage = usageText(message.usage);
  if (usage !== '') yield `<p class="usage">${escaped(usage)}</p>\n`;
  yield '</article>\n';
}

function* callHtml({ call, result }: StoryCall): Generator<string> {
  const isFailed = result === undefined || result.isError;
  const outcome = outcomeOf(result);
  yield `<details class="call${isFailed ? ' failed' : ''}"><summary><b>${escaped(call.name)}</b> <code>${escaped(short(subjectOf(call), 160))}</code>${outcome === '' ? '' : ` <span>${escaped(outcome)}</span>`}</summary>\n`;
  yield `<pre class="arguments">${escaped(call.invalidArguments ?? JSON.stringify(call.arguments, undefined, 2))}</pre>\n`;
  if (result !== undefined) yield* resultHtml(result);
  yield '</details>\n';
}

function* resultHtml({ content, details }: ToolResultMessage): Generator<string> {
  const diff = typeof details === 'object' && details !== null && 'diff' in details ? details.diff : undefined;
  if (typeof diff === 'string' && diff !== '') yield `<pre class="diff">${diffHtml(diff)}</pre>\n`;
  yield* shownHtml(content);
}

function diffHtml(diff: string): string {
  return diff
    .split('\n')
    .map((line) => {
      const text = escaped(line);
      return line.startsWith('+') ? `<ins>${text}</ins>` : line.startsWith('-') ? `<del>${text}</del>` : text;
    })
    .join('\n');
}

function* shownHtml(content: readonly (TextContent | ImageContent)[]): Generator<string> {
  for (const part of content) {
    if (part.type === 'image') yield `${image(part.mimeType, part.data)}\n`;
    else if (part.text !== '') yield `<pre>${escaped(part.text)}</pre>\n`;
  }
}

function* entryHtml(item: Item<'entry'>, entry: SessionEntry): Generator<string> {
  const note = noteOf(entry);
  if (note !== undefined) {
    yield `<p class="note" id="e-${escaped(item.node.id)}">${escaped(note)}</p>\n`;
    return;
  }
  if (entry.type === 'compaction' || entry.type === 'branch_summary') {
    const what =
      entry.type === 'compaction'
        ? `Compaction: ${countText(entry.tokensBefore, 'token')} before`
        : 'Summary of a branch';
    yield `${article(item, 'mark', what)}<details><summary>What it came to</summary><div class="text">${formatted(entry.summary)}</div></details></article>\n`;
    return;
  }
  if (entry.type === 'custom_message') {
    if (!entry.display) return;
    yield `${article(item, 'aside', entry.customType)}<div class="text">${formatted(textOf(entry.content))}</div></article>\n`;
    return;
  }
  if (entry.type === 'message') yield* messageHtml(item, entry.message);
}

function* messageHtml(
  item: Item<'entry'>,
  message: Extract<SessionEntry, { readonly type: 'message' }>['message'],
): Generator<string> {
  switch (message.role) {
    case 'user':
      yield article(item, 'you', 'You');
      for (const part of message.content)
        yield part.type === 'image'
          ? `${image(part.mimeType, part.data)}\n`
          : `<div class="text said">${escaped(part.text.trim())}</div>\n`;
      break;
    case 'fileMention':
      yield article(item, 'aside', 'Files');
      for (const { path, content } of message.files)
        yield `<details class="call"><summary><code>${escaped(path)}</code></summary><pre>${escaped(content)}</pre></details>\n`;
      break;
    case 'bashExecution':
      yield article(item, 'aside', 'Command');
      yield `<pre>$ ${escaped(message.command)}\n${escaped(message.output)}</pre>\n`;
      break;
    case 'toolResult':
      yield article(item, 'aside', `Result of ${message.toolName}`);
      yield* resultHtml(message);
      break;
    case 'custom':
      yield article(item, 'aside', message.customType);
      yield* shownHtml(message.content);
      break;
    case 'system':
      yield article(item, 'aside', 'Instructions');
      yield `<details><summary>${countText(message.content.length, 'character')}${message.toolsAdded === undefined ? '' : `, ${countText(message.toolsAdded.length, 'tool')}`}</summary><pre>${escaped(message.content)}</pre></details>\n`;
      break;
    default:
      return;
  }
  yield '</article>\n';
}

function usageText({ input, output, cacheRead, cacheWrite, cost }: Usage): string {
  const into = input + cacheRead + cacheWrite;
  if (into + output === 0) return '';
  const cached = cacheRead > 0 ? ` (${cacheRead.toLocaleString('en')} from the cache)` : '';
  const price = cost === null ? '' : cost.total > 0 ? ` · $${cost.total.toFixed(4)}` : '';
  return `${into.toLocaleString('en')} in${cached} · ${output.toLocaleString('en')} out${price}`;
}
