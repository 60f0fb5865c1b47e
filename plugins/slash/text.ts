import {
  type InvokedText,
  leaveToRun,
  type PromptTemplate,
  runnablesOf,
  type ShellLine,
  type SlashCommand,
  shellLinesIn,
  type TextDialect,
} from 'kern/contracts';
import { type Context, KernError, visible } from 'kern/plugin';
import { followedBy, placedIn, placedInShell } from './fill.ts';
import { isAllowedBy, type ShellRun } from './shell-run.ts';

/** What making a text needs of the plugin. */
export interface TextPorts {
  readonly ctx: Pick<Context, 'setting' | 'trust' | 'where'>;
  /** Runs a line: what to put in its place, or why it was not run. */
  run(line: ShellRun, signal: AbortSignal): Promise<{ readonly output: string } | { readonly refused: string }>;
  /** For the person, once. */
  tell(text: string): void;
}

/** The text of a command or a prompt template: made by the plugin that it is of, or as it stands in a file. */
export async function readText(
  item: SlashCommand | PromptTemplate,
  args: string,
  signal: AbortSignal,
): Promise<{ readonly made: string } | { readonly text: string }> {
  const made = 'expand' in item && item.expand !== undefined ? await item.expand(args, signal) : undefined;
  if (made !== undefined) return { made };
  const text = await item.read?.(signal);
  if (text !== undefined) return { text: text.trim() };
  throw new KernError('command_empty', `/${item.name} has no text`, { hint: 'A command has expand, run or read.' });
}

/** What the model reads of a text: arguments put in, shell lines run where they may. */
export async function invokedText(invoked: InvokedText, ports: TextPorts, signal: AbortSignal): Promise<string> {
  const { text, args } = invoked;
  const dialect = dialectOf(invoked);
  // Looked for before arguments are put in: what a person typed brings no line of its own, and neither does an output.
  const lines = shellLinesIn(text, dialect).toSorted((a, b) => a.start - b.start);
  const mayRun = lines.length > 0 && (await isTrusted(invoked, ports));
  const parts: string[] = [];
  let left: string | undefined;
  let at = 0;
  for (const line of lines) {
    parts.push(placedIn(text.slice(at, line.start), args, dialect));
    const output = mayRun ? await outputOf(line, invoked, ports, signal) : undefined;
    const asItStands = placedIn(text.slice(line.start, line.end), args, dialect);
    if (output === undefined) left ??= asItStands;
    parts.push(output ?? asItStands);
    at = line.end;
  }
  parts.push(placedIn(text.slice(at), args, dialect));
  return withNote(followedBy(args, text, parts.join(''), dialect), left);
}

/** The texts of skills are Claude Code's. */
const dialectOf = ({ kind, item }: InvokedText): TextDialect =>
  kind === 'skill' ? 'claude' : (item.dialect ?? 'kern');

const nameOf = ({ kind, item }: InvokedText): string => (kind === 'skill' ? `/skill:${item.name}` : `/${item.name}`);
const inFile = ({ item: { path } }: InvokedText): string => (path === undefined ? '' : ` (${visible(path)})`);

/** Whether the lines of a text may run here at all. The person is told why not. */
async function isTrusted(invoked: InvokedText, { ctx, tell }: TextPorts): Promise<boolean> {
  const { kind, item, origin, text } = invoked;
  // Of what was read now: a file may be another one in the next moment.
  const found = { ...item, read: async () => text };
  const [runnable] = await runnablesOf(kind, found, { root: ctx.where.root, level: origin.level });
  // Of a project, what cannot be presented cannot be trusted.
  if (runnable === undefined && origin.level === 'project') {
    tell(`the shell lines of ${nameOf(invoked)} do not run: a plugin of the project brings them, and names no file`);
    return false;
  }
  const leave = await leaveToRun(ctx, origin, async () => runnable?.item);
  if (leave.state === 'runs') return true;
  if (leave.why !== undefined) tell(`the shell lines of ${nameOf(invoked)}${inFile(invoked)} do not run: ${leave.why}`);
  return false;
}

/** What stands in the place of a line; undefined where it does not run, which the person is told. */
async function outputOf(
  { line, isOpen }: ShellLine,
  invoked: InvokedText,
  { run, tell }: TextPorts,
  signal: AbortSignal,
): Promise<string | undefined> {
  const refused = (why: string): undefined => {
    tell(`a shell line of ${nameOf(invoked)}${inFile(invoked)} was not run: ${visible(line)}: ${why}`);
  };
  if (isOpen === true) return refused('the brace that ends it is missing: write !{command}');
  const command = placedInShell(line, invoked.args, dialectOf(invoked));
  if (command === undefined)
    return refused(
      'what you typed could become a command there. Write the place of the arguments by itself, or as the only thing in double quotes, and no other shell, arithmetic or comment in the line',
    );
  const { item, origin } = invoked;
  const allowed = origin.level === 'user' && 'allowedTools' in item ? (item.allowedTools ?? []) : [];
  const answer = await run({ command, isAllowed: isAllowedBy(allowed, command) }, signal);
  return 'output' in answer ? answer.output : refused(answer.refused);
}

/** What was not run is the model's to run, as any command of its: asked for, and seen. */
function withNote(text: string, left: string | undefined): string {
  if (left === undefined) return text;
  return `${text}\n\n(In this text, ${left} and its like stand for the output of a command that has not been run: run those whose output you need.)`;
}
