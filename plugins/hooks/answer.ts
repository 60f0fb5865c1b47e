import type { HookItem, SpawnResult } from 'kern/contracts';
import { fromInput } from './tool-inputs.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What a hook said. */
export interface Answer {
  /** To a call, or to a question; `deny` also where it blocks a prompt, a compaction or the end of a run. */
  readonly decision?: 'allow' | 'deny' | 'ask';
  readonly reason?: string;
  /** Other arguments, in kern's words. */
  readonly input?: Readonly<Record<string, unknown>>;
  /** For the model. */
  readonly context?: string;
  /** In place of what a tool answered. */
  readonly output?: string;
  /** The run is to end. */
  readonly stop?: string;
  /** For the person. */
  readonly message?: string;
}

export type Outcome =
  | { readonly state: 'answered'; readonly answer: Answer }
  /** It says itself that it failed: nothing follows from it. */
  | { readonly state: 'failed'; readonly why: string }
  /** It gave no answer: it did not start, was ended, or said something that is none. */
  | { readonly state: 'crashed'; readonly why: string }
  /** A guard that was in force, and whose files nobody has trusted as they are now. */
  | { readonly state: 'lost'; readonly why: string };

/** Longer words for the model are cut. */
const mostContext = 10_000;
/** Where plain text of a hook is meant for the model. */
const tellsText: ReadonlySet<string> = new Set(['SessionStart', 'UserPromptSubmit']);

/** What became of a program: 0 is an answer, 2 says no, 126 and more that it did not run or was ended, all else that it failed. */
export function outcomeOf(item: HookItem, event: string, tool: string | undefined, ended: SpawnResult): Outcome {
  const { exitCode, signal, stdout, stderr, timedOut, aborted, overLimit, dropped } = ended;
  if (aborted) return { state: 'crashed', why: 'it was aborted' };
  if (timedOut) return { state: 'crashed', why: `it took longer than ${item.timeoutMs / 1000} s, and was ended` };
  if (overLimit !== undefined) return { state: 'crashed', why: `it was ended: too much ${overLimit}` };
  if (signal !== undefined || exitCode === undefined)
    return { state: 'crashed', why: `${signal ?? 'something'} ended it` };
  if (exitCode === 2) {
    const reason = stderr.trim() || stdout.trim();
    return { state: 'answered', answer: { decision: 'deny', ...(reason === '' ? {} : { reason: cut(reason) }) } };
  }
  if (exitCode >= 126) return { state: 'crashed', why: `exit ${exitCode}${said(stderr, stdout)}` };
  if (exitCode !== 0) return { state: 'failed', why: `exit ${exitCode}${said(stderr, stdout)}` };
  if (dropped > 0) return { state: 'crashed', why: 'it printed more than an answer may be long' };
  const text = stdout.trim();
  if (!text.startsWith('{'))
    return { state: 'answered', answer: text !== '' && tellsText.has(event) ? { context: cut(text) } : {} };
  const fields = parsed(text);
  if (fields === undefined) {
    const isSeveral = text.split(/\n\s*(?=\{)/).filter((part) => parsed(part) !== undefined).length > 1;
    const why = isSeveral
      ? 'it printed several answers, and one is asked for'
      : 'its answer begins like JSON and is none';
    return { state: 'crashed', why };
  }
  const wrong = wrongIn(fields);
  if (wrong !== undefined) return { state: 'crashed', why: wrong };
  return { state: 'answered', answer: answerOf(fields, item, event, tool) };
}

function parsed(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What of an answer nobody can read: whoever wrote it meant something by it. */
function wrongIn(fields: Fields): string | undefined {
  const { special, inner } = partsOf(fields);
  const says: readonly (readonly [string, unknown])[] = [
    ['hookSpecificOutput.permissionDecision', special.permissionDecision],
    ['hookSpecificOutput.decision.behavior', inner.behavior],
    ['permission', fields.permission],
    ['decision', fields.decision],
  ];
  for (const [name, word] of says) {
    if (word === undefined || word === null || word === '') continue;
    if (typeof word !== 'string' || !Object.hasOwn(decisions, word.toLowerCase()))
      return `its ${name} is ${JSON.stringify(word).slice(0, 100)}: allow, approve, deny, block and ask are known`;
  }
  const inputs = { updatedInput: special.updatedInput ?? inner.updatedInput, updated_input: fields.updated_input };
  for (const [name, input] of Object.entries(inputs))
    if (input !== undefined && input !== null && !isFields(input)) return `its ${name} is no map of arguments`;
  return undefined;
}

function partsOf(fields: Fields): { readonly special: Fields; readonly inner: Fields } {
  const special = isFields(fields.hookSpecificOutput) ? fields.hookSpecificOutput : {};
  return { special, inner: isFields(special.decision) ? special.decision : {} };
}

const said = (stderr: string, stdout: string): string => {
  const text = (stderr.trim() || stdout.trim()).split('\n').slice(0, 3).join(' ');
  return text === '' ? '' : `: ${text.length > 300 ? `${text.slice(0, 300)}…` : text}`;
};

const cut = (text: string): string =>
  text.length > mostContext ? `${text.slice(0, mostContext)}\n[The hook said more; the rest is left out.]` : text;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const decisions: Readonly<Record<string, NonNullable<Answer['decision']>>> = {
  allow: 'allow',
  approve: 'allow',
  deny: 'deny',
  block: 'deny',
  ask: 'ask',
};

/** What the JSON of a hook says, whichever dialect it speaks: they share no word with two meanings. */
export function answerOf(
  fields: Fields,
  { dialect = 'claude' }: HookItem,
  event: string,
  tool: string | undefined,
): Answer {
  const { special, inner } = partsOf(fields);
  const text = (...values: readonly unknown[]): string | undefined =>
    values.find((value): value is string => typeof value === 'string' && value !== '');
  const isOver = fields.continue === false || fields.halt === true;
  // Cursor says with `continue: false` that a prompt is not sent.
  const isBlockedPrompt = isOver && (event === 'UserPromptSubmit' || dialect === 'cursor');
  const word = text(special.permissionDecision, inner.behavior, fields.permission, fields.decision)?.toLowerCase();
  const decision =
    isBlockedPrompt || fields.cancel === true ? 'deny' : word === undefined ? undefined : decisions[word];
  const reason = text(
    special.permissionDecisionReason,
    inner.message,
    fields.reason,
    fields.agent_message,
    fields.agentMessage,
    fields.errorMessage,
    fields.stopReason,
    fields.user_message,
    fields.userMessage,
  );
  const input = [special.updatedInput, inner.updatedInput, special.tool_input, fields.updated_input].find(isFields);
  const context = text(
    special.additionalContext,
    fields.additionalContext,
    fields.additional_context,
    fields.contextModification,
    fields.context,
  );
  const output = special.updatedToolOutput ?? special.updatedMCPToolOutput ?? fields.updated_mcp_tool_output;
  const followUp = event === 'Stop' ? text(fields.followup_message) : undefined;
  const message = text(fields.systemMessage, fields.user_message, fields.userMessage);
  return {
    ...(followUp !== undefined
      ? { decision: 'deny', reason: cut(followUp) }
      : {
          ...(decision === undefined ? {} : { decision }),
          ...(reason === undefined ? {} : { reason: cut(reason) }),
        }),
    ...(input === undefined || tool === undefined ? {} : { input: fromInput(dialect, tool, input) }),
    ...(context === undefined ? {} : { context: cut(context) }),
    ...(output === undefined ? {} : { output: typeof output === 'string' ? output : JSON.stringify(output) }),
    ...(isOver && !isBlockedPrompt ? { stop: text(fields.stopReason, fields.reason) ?? 'a hook ended the run' } : {}),
    ...(message === undefined ? {} : { message }),
  };
}
