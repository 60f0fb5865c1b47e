import { join } from 'node:path';
import type { ImportedSession, SessionSource } from 'kern/contracts';
import { CodexReader } from './codex-reader.ts';
import { Draft } from './draft.ts';
import { at, headLines, isRaw, type Raw, textOf, timeOf, transcriptLines } from './transcript-lines.ts';

/** Transcripts of Codex: rollouts. */
export const codex: SessionSource = {
  id: 'codex',
  displayName: 'Codex',
  folders: ({ home, env }) => {
    const root = env.CODEX_HOME ?? join(home, '.codex');
    return [join(root, 'sessions'), join(root, 'archived_sessions')];
  },
  recognizes: (head) => {
    const [first] = headLines(head);
    if (first === undefined) return false;
    // The first versions wrote the meta data without saying so.
    return first.type === 'session_meta' || (first.type === undefined && 'instructions' in first && 'id' in first);
  },
  cwdOf: (head) => headLines(head).flatMap(cwdsOf)[0],
  read,
};

function cwdsOf(line: Raw): readonly string[] {
  const cwd = line.type === 'session_meta' ? at(line, 'payload', 'cwd') : undefined;
  return typeof cwd === 'string' ? [cwd] : [];
}

async function read(file: string, signal: AbortSignal): Promise<ImportedSession> {
  const draft = new Draft('openai-responses');
  const reader = new CodexReader(draft);
  let meta: Raw = {};
  let time: number | undefined;
  for await (const line of transcriptLines(file, signal)) {
    if ('problem' in line) {
      draft.problem(line.problem, line.number);
      continue;
    }
    const { raw, number } = line;
    const isFirst = time === undefined && Object.keys(meta).length === 0;
    if (isFirst && (raw.type === 'session_meta' || raw.type === undefined)) {
      meta = isRaw(raw.payload) ? raw.payload : raw;
      time = timeOf(meta.timestamp) ?? timeOf(raw.timestamp);
      reader.provider = textOf(meta.model_provider) ?? 'openai';
      continue;
    }
    // The first versions wrote what was said without a time and an envelope.
    if (isRaw(raw.payload)) reader.line(textOf(raw.type) ?? '', raw.payload, timeOf(raw.timestamp), number);
    else if (raw.type !== undefined) reader.line('response_item', raw, undefined, number);
  }
  reader.end();
  const cwd = textOf(meta.cwd) ?? reader.cwd ?? '';
  return draft.finished({ id: textOf(meta.id) ?? textOf(meta.session_id) ?? idOfName(file), cwd, time });
}

/** `rollout-<time>-<id>.jsonl`. */
function idOfName(file: string): string {
  return /([0-9a-f]{8}-[0-9a-f-]{27})\.jsonl$/.exec(file)?.[1] ?? '';
}
