import type { HookItem } from 'kern/contracts';
import { type Context, type Entry, KernError, messageOf } from 'kern/plugin';
import { type Outcome, outcomeOf } from './answer.ts';
import { foundHooks, stateOf } from './gate.ts';
import type { Granted } from './granted.ts';
import { inputOf } from './input.ts';
import { matchesCall, matchesText, matchesTool } from './matcher.ts';
import { momentOf } from './moments.ts';
import type { Occurrence, Scene } from './occurrence.ts';
import { type Ended, runProgram } from './program.ts';

/** What one hook said. */
export interface Said {
  /** `.claude/settings.json#1`. */
  readonly name: string;
  readonly item: HookItem;
  /** The person's own; a project's may only tighten. */
  readonly isOwn: boolean;
  readonly outcome: Outcome;
}

export interface AskPorts {
  readonly ctx: Context;
  /** A fault, for the person, once. */
  tell(text: string): void;
  /** What a hook has to say to the person. */
  say(text: string, hook: string): void;
  /** Hooks that run at most once a session and have run. */
  readonly ran: Set<string>;
  readonly granted: Granted;
  /** What a hook says that nobody waits for. */
  later(said: Said, what: Occurrence, scene: Scene): void;
}

/** Asks all hooks that wait for this, side by side. Their answers come in the order of the hooks: the person's own first. Never rejects. */
export async function askHooks(
  ports: AskPorts,
  what: Occurrence,
  scene: Scene,
  signal: AbortSignal,
): Promise<readonly Said[]> {
  const waiting = await waitingFor(ports, what, scene);
  const said = await Promise.all(
    waiting.map(({ entry, lost }) =>
      lost === undefined ? ask(ports, entry, what, scene, signal) : lostOf(ports, entry, what, lost),
    ),
  );
  return said.filter((one) => one !== undefined);
}

/** A hook to be asked; `lost`: what was trusted of it cannot be run any more. */
interface Waiting {
  readonly entry: Entry<HookItem>;
  readonly lost?: string;
}

/** Whether any hook waits for this, without looking whether it may run. */
export async function anyWaits(ctx: Context, event: string): Promise<boolean> {
  return (await foundHooks(ctx)).some(({ item }) => item.kind !== 'module' && momentOf(item)?.event.event === event);
}

async function waitingFor(
  { ctx, tell, ran, granted }: AskPorts,
  what: Occurrence,
  scene: Scene,
): Promise<readonly Waiting[]> {
  const found: Waiting[] = [];
  const same = new Set<string>();
  for (const entry of ownFirst(await granted.inForce(await foundHooks(ctx)))) {
    const { item } = entry;
    if (item.kind === 'module') continue;
    if (!isAt(item, what)) continue;
    // Before its patterns are looked at: one that nobody has trusted could be made to take for ever.
    const { state, why = '' } = await stateOf(ctx, entry);
    // A guard whose files are others by now was trusted as it was: its pattern still counts, and nothing gets past it.
    const isLost = state === 'changed' && what.event === 'PreToolUse' && granted.wasInForce(entry);
    if (state !== 'runs' && !isLost) {
      // Once a file, unless others of it run.
      const isOne = state === 'changed' || granted.hasOf(entry);
      const one = `the hook ${item.name} (${item.event}) does`;
      if (why !== '') tell(`${isOne ? one : `the hooks of ${item.name.replace(/#\d+$/, '')} do`} not run: ${why}`);
      continue;
    }
    try {
      if (!isFor(item, what)) continue;
    } catch (error) {
      tell(
        `the hook ${item.name} (${item.event}) waits for ${JSON.stringify(item.matcher)}, which is no pattern: ${messageOf(error)}`,
      );
      continue;
    }
    if (isLost) {
      found.push({ entry, lost: why });
      continue;
    }
    // What several files say alike is done once.
    const says = JSON.stringify([item.kind, item.command ?? item.path, item.args, item.env]);
    if (same.has(says)) continue;
    same.add(says);
    if (item.once === true) {
      const key = `${scene.sessionId}\0${entry.key}`;
      if (ran.has(key)) continue;
      ran.add(key);
    }
    found.push({ entry });
  }
  return found;
}

const isOwn = ({ origin }: Entry<HookItem>): boolean => origin.level !== 'project';
const ownFirst = (entries: readonly Entry<HookItem>[]): readonly Entry<HookItem>[] => [
  ...entries.filter(isOwn),
  ...entries.filter((entry) => !isOwn(entry)),
];

/** Whether the event of a hook is this. */
function isAt(item: HookItem, { event, matched }: Occurrence): boolean {
  const moment = momentOf(item);
  if (moment === undefined) return false;
  const { sources } = moment;
  if (sources !== undefined && matched !== undefined && !sources.includes(matched)) return false;
  const isFailure =
    event === 'PostToolUseFailure' && moment.event.event === 'PostToolUse' && moment.withFailures === true;
  return isFailure || moment.event.event === event;
}

/** Whether a hook of this event means what happened. Throws where its matcher is no pattern. */
function isFor(item: HookItem, { call, matched }: Occurrence): boolean {
  if (call === undefined) return matched === undefined || matchesText(item, matched);
  const tools = momentOf(item)?.tools;
  if (tools !== undefined && !tools.includes(call.tool.startsWith('mcp__') ? 'mcp' : call.tool)) return false;
  if (!(tools?.includes('bash') ? matchesCommand(item, call.args) : matchesTool(item, call.tool))) return false;
  return item.when === undefined || matchesCall(item.when, call.tool, call.args);
}

/** Cursor holds the matcher of a shell hook against the command. */
const matchesCommand = ({ matcher }: HookItem, { command }: Readonly<Record<string, unknown>>): boolean =>
  matcher === '' || matcher === '*' || new RegExp(matcher).test(String(command));

/** What a guard says that is not there any more as it was trusted. */
function lostOf(ports: AskPorts, entry: Entry<HookItem>, { event }: Occurrence, why: string): Said {
  const said: Said = { name: entry.item.name, item: entry.item, isOwn: false, outcome: { state: 'lost', why } };
  report(said, event, ports);
  return said;
}

async function ask(
  ports: AskPorts,
  entry: Entry<HookItem>,
  what: Occurrence,
  scene: Scene,
  signal: AbortSignal,
): Promise<Said | undefined> {
  const { ctx, later } = ports;
  const { item } = entry;
  const said = (outcome: Outcome): Said => ({ name: item.name, item, isOwn: isOwn(entry), outcome });
  const run = async (): Promise<Said | undefined> => {
    let ended: Ended;
    try {
      const input = inputOf(item, what, scene);
      // What a project was trusted with is named from its top.
      const cwd = isOwn(entry) ? scene.cwd : scene.root;
      ended = await runProgram(ctx, { item, input, env: what.env ?? {}, cwd, root: scene.root, signal });
    } catch (error) {
      return said({ state: 'crashed', why: whyNotStarted(error) });
    }
    return ended.beside ? undefined : said(outcomeOf(item, what.event, what.call?.tool, ended.result));
  };
  if (item.statusMessage !== undefined && item.statusMessage !== '') ctx.ui.notify(item.statusMessage, 'info');
  if (item.async === true) {
    run()
      .then((one) => {
        if (one === undefined) return;
        report(one, what.event, ports);
        later(one, what, scene);
      })
      .catch(() => {}); // nobody is there any more to be told
    return undefined;
  }
  const one = await run();
  if (one !== undefined) report(one, what.event, ports);
  return one;
}

function whyNotStarted(error: unknown): string {
  const hint = error instanceof KernError && error.hint !== undefined ? ` (${error.hint})` : '';
  return `it could not be started: ${messageOf(error)}${hint}`;
}

/** Where a no of a hook keeps something from happening, or is told to the model. Anywhere else the person hears it. */
const isRefusable: ReadonlySet<string> = new Set([
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'PostToolUseFailure',
  'UserPromptSubmit',
  'Stop',
  'PreCompact',
]);

/** What went wrong, with its name. */
function report({ name, item, outcome }: Said, event: string, { tell, say }: AskPorts): void {
  if (outcome.state === 'answered') {
    const { message, decision, reason = 'without a reason' } = outcome.answer;
    if (message !== undefined) say(message, name);
    if (decision === 'deny' && !isRefusable.has(event)) say(`the hook ${name} (${event}) says no: ${reason}`, name);
    return;
  }
  const what = outcome.state === 'failed' ? 'failed' : outcome.state === 'lost' ? 'cannot run' : 'gave no answer';
  tell(`the hook ${name} (${item.event === event ? event : `${item.event}, ${event}`}) ${what}: ${outcome.why}`);
}
