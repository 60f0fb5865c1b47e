import { type CommandArgs, type CommandHost, columns, type SessionEntry, type SessionStore } from 'kern/contracts';
import { KernError } from 'kern/plugin';
import { opened } from './opened.ts';
import { Story, type StoryCall, type StoryItem } from './story.ts';
import { costText, countText, totalsOf } from './totals.ts';
import { treeLines } from './tree-lines.ts';
import { clockText, noteOf, outcomeOf, plain, saidBy, short, subjectOf, textOf } from './words.ts';

/** What is shown without --all: the latest items, and of a text so many lines. */
const shownItems = 60;
const shownLines = 40;
const shownOutput = 6;

export async function show(args: CommandArgs, host: CommandHost): Promise<number> {
  const [wanted = ''] = args.positionals;
  const { tree, all, at } = args.options;
  const { file, store } = await opened(wanted, args, host);
  try {
    const leaf = typeof at === 'string' ? entryOf(at, store) : store.leaf;
    if (args.shared.json) {
      host.json(tree === true ? treeJson(file, store) : sessionJson(file, store, leaf));
      return 0;
    }
    for (const line of headLines(file, store)) host.print(line);
    host.print('');
    if (tree === true) for (const line of treeLines(store)) host.print(line);
    else for (const line of storyLines(store, leaf, all === true)) host.print(line);
    return 0;
  } finally {
    await store.close();
  }
}

function entryOf(wanted: string, store: SessionStore): string {
  const found = store.nodes().filter(({ id }) => id.startsWith(wanted));
  const [first] = found;
  if (first !== undefined && (found.length === 1 || first.id === wanted)) return first.id;
  throw new KernError(
    'usage',
    `${found.length === 0 ? 'no entry' : `${found.length} entries`} of the session begin with ${wanted}`,
    {
      hint: '`kern sessions show … --tree` lists them',
    },
  );
}

function headLines(file: string, store: SessionStore): readonly string[] {
  const totals = totalsOf(store);
  const { header } = store;
  const { name } = store.context();
  const tokens = totals.tokens.input + totals.tokens.output + totals.tokens.cacheRead + totals.tokens.cacheWrite;
  return columns([
    ['session', plain(header.id)],
    ...(name === undefined ? [] : [['name', short(name, 120)]]),
    ['folder', short(header.cwd, 200)],
    ['file', short(file, 400)],
    ['began', clockText(header.timestamp)],
    [
      'came to',
      `${countText(totals.questions, 'question')}, ${countText(totals.replies, 'reply')}, ${countText(totals.calls, 'call')}, ${countText(tokens, 'token')}, ${costText(totals)}`,
    ],
    ...(store.repairs.length === 0
      ? []
      : [['repairs', `${store.repairs.length}: \`kern sessions doctor\` tells what is wrong`]]),
  ]);
}

function* storyLines(store: SessionStore, leaf: string | null, isAll: boolean): Generator<string> {
  const kept: { readonly lines: readonly string[] }[] = [];
  let dropped = 0;
  for (const item of new Story(store).items(leaf)) {
    const lines = itemLines(item, isAll);
    if (lines.length === 0) continue;
    if (isAll) {
      yield* lines;
      continue;
    }
    kept.push({ lines });
    if (kept.length <= shownItems) continue;
    kept.shift();
    dropped += 1;
  }
  if (dropped > 0) yield `… ${dropped} before this; --all shows them`;
  for (const { lines } of kept) yield* lines;
}

function itemLines(item: StoryItem, isAll: boolean): readonly string[] {
  if (item.kind === 'branches')
    return item.branches.map(
      ({ node, messages }) => `  ⎇ another branch: ${countText(messages, 'message')} from ${node.id}`,
    );
  const { node, label, isHidden } = item;
  const mark = `${label === undefined ? '' : `  [${short(label, 40)}]`}${isHidden ? '  (no longer told to the model)' : ''}`;
  const heading = (who: string): string => `── ${who} · ${clockText(node.timestamp)} · ${node.id}${mark}`;
  const cut = (text: string, most: number): readonly string[] =>
    limited(plain(text), isAll ? Number.POSITIVE_INFINITY : most);
  if (item.kind === 'reply') {
    const { message, calls } = item;
    const said = saidBy(message);
    const failure = message.errorMessage;
    return [
      heading(message.model === '' ? 'model' : short(message.model, 60)),
      ...(said === '' ? [] : cut(said, shownLines)),
      ...calls.flatMap((call) => callLines(call, cut)),
      ...(failure === undefined ? [] : [`  ✗ ${short(failure, 300)}`]),
      '',
    ];
  }
  const { entry } = item;
  if (entry.type === 'foreign') return [];
  const note = noteOf(entry);
  if (note !== undefined) return [`  · ${short(note, 160)}${mark}`];
  const told = toldLines(entry, cut);
  return told === undefined ? [] : [heading(told.who), ...told.lines, ''];
}

function callLines(
  { call, result }: StoryCall,
  cut: (text: string, most: number) => readonly string[],
): readonly string[] {
  const outcome = outcomeOf(result);
  const line = `  ${result === undefined || result.isError ? '✗' : '✓'} ${short(call.name, 60)} ${short(subjectOf(call), 100)}${outcome === '' ? '' : ` (${outcome})`}`;
  const output = result === undefined ? '' : textOf(result.content).trimEnd();
  return [line.trimEnd(), ...(output === '' ? [] : cut(output, shownOutput).map((text) => `    ${text}`))];
}

function toldLines(
  entry: SessionEntry,
  cut: (text: string, most: number) => readonly string[],
): { readonly who: string; readonly lines: readonly string[] } | undefined {
  if (entry.type === 'compaction')
    return {
      who: `compaction (${countText(entry.tokensBefore, 'token')} before)`,
      lines: cut(entry.summary, shownLines),
    };
  if (entry.type === 'branch_summary') return { who: 'summary of a branch', lines: cut(entry.summary, shownLines) };
  if (entry.type === 'custom_message')
    return entry.display
      ? { who: short(entry.customType, 60), lines: cut(textOf(entry.content), shownLines) }
      : undefined;
  if (entry.type !== 'message') return undefined;
  const { message } = entry;
  switch (message.role) {
    case 'user':
      return { who: 'you', lines: cut(textOf(message.content), shownLines) };
    case 'fileMention':
      return {
        who: 'files',
        lines: message.files.map(
          ({ path, content }) => `  @${short(path, 120)} (${countText(content.length, 'character')})`,
        ),
      };
    case 'bashExecution':
      return { who: `$ ${short(message.command, 100)}`, lines: cut(message.output, shownOutput) };
    case 'toolResult': // of a call that is not there
      return { who: `result of ${short(message.toolName, 60)}`, lines: cut(textOf(message.content), shownOutput) };
    case 'custom':
      return { who: short(message.customType, 60), lines: cut(textOf(message.content), shownLines) };
    default:
      return undefined;
  }
}

function limited(text: string, most: number): readonly string[] {
  const lines = text.split('\n');
  if (lines.length <= most) return lines;
  return [...lines.slice(0, most), `… ${lines.length - most} more lines`];
}

function sessionJson(file: string, store: SessionStore, leaf: string | null): object {
  return {
    session: aboutJson(file, store),
    leaf,
    entries: new Story(store).path(leaf).map(({ id }) => {
      const entry = store.entry(id);
      return {
        ...(entry?.type === 'foreign' ? { ...entry.raw, type: entry.foreignType } : entry),
        label: store.label(id),
      };
    }),
  };
}

function treeJson(file: string, store: SessionStore): object {
  return {
    session: aboutJson(file, store),
    leaf: store.leaf,
    nodes: store.nodes().map((node) => ({ ...node, label: store.label(node.id) })),
  };
}

function aboutJson(file: string, store: SessionStore): object {
  const { id, cwd, timestamp } = store.header;
  const { name, models, thinking } = store.context();
  const repairs = store.repairs;
  return {
    id,
    file,
    name: name ?? null,
    cwd,
    created: timestamp,
    models,
    thinking: thinking ?? null,
    totals: totalsOf(store),
    repairs,
  };
}
