import type { AgentEvent } from 'kern/contracts';
import { harmless, type Screen, short } from './screen.ts';

type Of<T extends AgentEvent['type']> = Extract<AgentEvent, { readonly type: T }>;

/** Repairs that are named; the others are counted. */
const namedRepairs = 3;

/** Shows what happens to the session beside what is said in it: its file, its model, waiting, making room. */
export function paintSession(event: AgentEvent, screen: Screen): void {
  const warn = (text: string): void => screen.line(screen.style('red', `${screen.sign('warning')} ${text}`));
  const note = (text: string): void => screen.line(screen.style('dim', `  ${text}`));
  switch (event.type) {
    case 'session_write_failed':
      warn(
        `the session cannot be written: ${harmless(event.error)} (${event.pending === 0 ? 'what is said is kept in memory only' : `${event.pending} entries wait in memory`})`,
      );
      break;
    case 'session_write_restored':
      screen.line(`  the session is written again (${event.written} entries)`);
      break;
    case 'session_busy':
      warn(busyText(event));
      break;
    case 'session_repaired':
      warn(
        `the session file was not as it should be (${count(event.repairs.length, 'place')}); nothing was thrown away:`,
      );
      for (const { line, message } of event.repairs.slice(0, namedRepairs))
        note(`line ${line}: ${short(message, 200)}`);
      if (event.repairs.length > namedRepairs) note(`… ${event.repairs.length - namedRepairs} more`);
      break;
    case 'model_changed':
    case 'thinking_changed':
      if (event.reason !== undefined) warn(short(event.reason, 400));
      break;
    case 'auto_retry_start':
      warn(`${short(event.errorMessage, 200)}: ${againText(event)}`);
      break;
    case 'auto_compaction_start':
      note(event.reason === 'overflow' ? 'the request is too long: making room' : 'making room in the context');
      break;
    case 'auto_compaction_end':
      if (event.errorMessage !== undefined) warn(short(event.errorMessage, 400));
      if (event.result !== undefined)
        note(`room was made: ${tokens(event.result.tokensBefore)} tokens became ${tokens(event.result.tokensAfter)}`);
      break;
    default:
      break;
  }
}

function busyText({ owner, as }: Of<'session_busy'>): string {
  const who = `process ${owner.pid} on ${harmless(owner.host)}`;
  const what = {
    fork: `the session is open in ${who}: this goes on in a copy of it`,
    readonly: `the session is open in ${who}: here it can only be read`,
    takeover: `${who} had the session open and ${owner.isStopped === true ? 'is stopped' : 'is gone'}: taken over`,
  };
  return what[as];
}

function againText({ attempt, maxAttempts, delayMs, model }: Of<'auto_retry_start'>): string {
  if (model !== undefined) return `asking ${harmless(model)} instead`;
  const wait = delayMs >= 1_000 ? `in ${Math.round(delayMs / 1_000)} s` : 'now';
  return `trying again ${wait} (${attempt} of ${maxAttempts})`;
}

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`;
const tokens = (number: number): string => (number >= 10_000 ? `${Math.round(number / 1_000)}k` : String(number));
