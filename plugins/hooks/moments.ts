import type { HookItem } from 'kern/contracts';
import type { HookEvent } from './contract.ts';
import { hookEvents } from './events.ts';

/** When a hook is asked, in one dialect's words and in the table's. */
export interface Moment {
  readonly event: HookEvent;
  /** Only for these tools of kern's; `mcp` for all that servers offer. */
  readonly tools?: readonly string[];
  /** Also where the call failed. */
  readonly withFailures?: boolean;
  /** Only where the session begins so. */
  readonly sources?: readonly string[];
}

const folded = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
const byName = new Map(hookEvents.map((event) => [folded(event.event), event]));

/** The events of other dialects that are called otherwise there, or mean a part of one. */
const others: Readonly<Record<string, { readonly is: string } & Omit<Moment, 'event'>>> = {
  beforetool: { is: 'PreToolUse' },
  aftertool: { is: 'PostToolUse', withFailures: true },
  beforeagent: { is: 'UserPromptSubmit' },
  afteragent: { is: 'Stop' },
  precompress: { is: 'PreCompact' },
  beforesubmitprompt: { is: 'UserPromptSubmit' },
  beforeshellexecution: { is: 'PreToolUse', tools: ['bash', 'powershell'] },
  aftershellexecution: { is: 'PostToolUse', tools: ['bash', 'powershell'], withFailures: true },
  beforemcpexecution: { is: 'PreToolUse', tools: ['mcp'] },
  aftermcpexecution: { is: 'PostToolUse', tools: ['mcp'], withFailures: true },
  beforereadfile: { is: 'PreToolUse', tools: ['read'] },
  afterfileedit: { is: 'PostToolUse', tools: ['edit', 'write'] },
  taskstart: { is: 'SessionStart', sources: ['startup', 'clear', 'fork'] },
  taskresume: { is: 'SessionStart', sources: ['resume'] },
  taskcomplete: { is: 'Stop' },
  taskcancel: { is: 'Interrupt' },
};

/** Dialects that have no event of their own for a call that failed. */
const withoutFailures: ReadonlySet<HookItem['dialect']> = new Set<HookItem['dialect']>([
  'codex',
  'gemini',
  'cline',
  'kern',
  'pi',
  'oh-my-pi',
]);

/** The moment of a hook; undefined for an event that nobody knows. Case and underscores do not count: `pre_tool_use`. */
export function momentOf({ event, dialect }: Pick<HookItem, 'event' | 'dialect'>): Moment | undefined {
  const name = folded(event);
  const other = Object.hasOwn(others, name) ? others[name] : undefined;
  const known = byName.get(other === undefined ? name : folded(other.is));
  if (known === undefined) return undefined;
  if (other !== undefined) return { ...other, event: known };
  return { event: known, withFailures: known.event === 'PostToolUse' && withoutFailures.has(dialect) };
}

/** Why a hook never runs: nobody knows its event, or it does not come. */
export function whyUnused(item: HookItem): string | undefined {
  const moment = item.kind === 'module' ? undefined : momentOf(item);
  if (item.kind === 'module' || moment?.event.from !== undefined) return undefined;
  return moment === undefined
    ? `there is no event ${item.event}: kern docs hooks has those that there are`
    : `${item.event} never comes: ${moment.event.note ?? 'kern fires no such event'}`;
}
