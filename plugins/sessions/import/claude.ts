import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import type { ImportedSession, SessionSource } from 'kern/contracts';
import { mainLine, type Row } from './claude-line.ts';
import { ClaudeReader } from './claude-reader.ts';
import { Draft } from './draft.ts';
import { headLines, isRaw, type Raw, textOf, timeOf, transcriptLines } from './transcript-lines.ts';

/** Kept by Claude Code beside the conversation; nothing of it was said by anybody. */
const bookkeeping: ReadonlySet<string> = new Set([
  'agent-name',
  'api-request',
  'api-request-blob',
  'api-request-shape',
  'atis-latch',
  'cost-state',
  'file-history-snapshot',
  'last-prompt',
  'mode',
  'permission-mode',
  'pr-link',
  'progress',
  'queue-operation',
  'tag',
  'tools-used',
  'worktree-state',
]);

/** Transcripts of Claude Code. */
export const claude: SessionSource = {
  id: 'claude',
  displayName: 'Claude Code',
  folders: ({ home, env }) => [join(env.CLAUDE_CONFIG_DIR ?? join(home || homedir(), '.claude'), 'projects')],
  recognizes: (head) =>
    headLines(head).some((line) => typeof line.sessionId === 'string' && ('parentUuid' in line || isKept(line.type))) ||
    headLines(head).some((line) => line.type === 'summary' && typeof line.leafUuid === 'string'),
  cwdOf: (head) => headLines(head).flatMap(({ cwd }) => (typeof cwd === 'string' ? [cwd] : []))[0],
  read,
};

const isKept = (type: unknown): boolean => typeof type === 'string' && bookkeeping.has(type);

async function read(file: string, signal: AbortSignal): Promise<ImportedSession> {
  const draft = new Draft('anthropic-messages');
  const rows: Row[] = [];
  const titles = new Map<string, string>();
  let [id, cwd, time]: [string | undefined, string | undefined, number | undefined] = [undefined, undefined, undefined];
  let sideLines = 0;
  for await (const line of transcriptLines(file, signal)) {
    if ('problem' in line) {
      draft.problem(line.problem, line.number);
      continue;
    }
    const { raw, number } = line;
    const type = textOf(raw.type) ?? '';
    id ??= textOf(raw.sessionId);
    if (raw.isSidechain === true) {
      sideLines += 1;
      continue;
    }
    cwd ??= textOf(raw.cwd);
    time ??= timeOf(raw.timestamp);
    const title = titleOf(raw);
    if (title !== undefined) titles.set(type, title);
    else if (typeof raw.uuid === 'string' && isRow(type)) rows.push(rowOf(raw, number));
    else if (!isKept(type)) draft.problem(`lines of the kind ${type || '(none)'} mean nothing to kern`, number);
  }
  if (sideLines > 0) draft.problem(`${sideLines} lines of subagents (sidechains) were left out`, 0);
  const line = mainLine(rows, (what, number) => draft.problem(what, number));
  new ClaudeReader(draft).read(line);
  draft.name = titles.get('custom-title') ?? titles.get('ai-title') ?? titles.get('summary');
  return draft.finished({ id: id ?? basename(file, '.jsonl'), cwd: cwd ?? '', time });
}

const isRow = (type: string): boolean =>
  type === 'user' || type === 'assistant' || type === 'attachment' || type === 'system' || type === 'progress';

/** By a person, by a model, or, in older versions, of what a branch came to. The latest of each counts. */
function titleOf({ type, customTitle, aiTitle, summary }: Raw): string | undefined {
  if (type === 'custom-title') return textOf(customTitle) ?? '';
  if (type === 'ai-title') return textOf(aiTitle) ?? '';
  return type === 'summary' ? (textOf(summary) ?? '') : undefined;
}

function rowOf(raw: Raw, number: number): Row {
  const message = isRaw(raw.message) ? raw.message : undefined;
  return {
    number,
    raw,
    uuid: String(raw.uuid),
    // Where older words were summarised, the line goes on from there.
    parent: textOf(raw.parentUuid) ?? textOf(raw.logicalParentUuid),
    time: timeOf(raw.timestamp) ?? 0,
    reply: raw.type === 'assistant' ? textOf(message?.id) : undefined,
    calls: blocks(message?.content, 'tool_use', 'id'),
    results: blocks(message?.content, 'tool_result', 'tool_use_id'),
  };
}

function blocks(content: unknown, type: string, key: string): readonly string[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: unknown) => {
    const id = isRaw(block) && block.type === type ? block[key] : undefined;
    return typeof id === 'string' ? [id] : [];
  });
}
