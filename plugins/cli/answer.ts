import { statSync } from 'node:fs';
import { type Command, type CommandArgs, type CommandHost, models } from 'kern/contracts';
import { type Context, codeOf, didYouMean, type Entry, KernError, type View } from 'kern/plugin';
import { complaintLine, exitCodeOf, isToldAsChange } from './api.ts';
import { usesColor } from './color.ts';
import { complaintOf, listenForComplaints } from './complaints.ts';
import type { ComposeOptions, Composition } from './composition.ts';
import { failureLines, failureReport } from './failure.ts';
import { commandHelp, describe, familyHelp, isLaunch, rootHelp } from './help.ts';
import { placeOutsideHome } from './home-folder.ts';
import type { Match } from './match.ts';
import { parse } from './parse.ts';
import { flagField, isForLaunch, isGiven, type Reading, read, readAll } from './reading.ts';
import { keepersOf } from './replaced.ts';
import { type Early, readShared, usageError, wantsJson } from './shared.ts';
import { hasInput } from './stdin.ts';
import { mark } from './timing.ts';
import type { Word } from './words.ts';

/** What the command line works with: the process, or a test's stand-in for it. */
export interface Outside {
  readonly stdin: NodeJS.ReadStream;
  readonly piped: NodeJS.ReadStream | undefined;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Aborted when the run is to end. */
  readonly signal: AbortSignal;
  readonly version: string;
  compose(options: ComposeOptions): Promise<Composition>;
}

/** The same, with a failure told as it was asked for: in words on stderr, or with `--json` as one value on stdout. */
export async function answerOrReport(
  argv: readonly string[],
  outside: Outside,
  isHeard: () => boolean = () => true,
): Promise<number> {
  try {
    return await answer(argv, outside);
  } catch (error) {
    // Whoever ended the run knows why; a reader that has gone reads nothing.
    if (!isHeard()) return exitCodeOf(error);
    if (wantsJson(argv)) outside.stdout.write(`${JSON.stringify(failureReport(error), undefined, 2)}\n`);
    else outside.stderr.write(`${failureLines(error).join('\n')}\n`);
    return exitCodeOf(error);
  }
}

/** Does what the line says; answers with the exit code. */
async function answer(argv: readonly string[], outside: Outside): Promise<number> {
  const early = readShared(argv, outside.cwd);
  if (isVersion(argv)) return printVersion(early, outside);
  const line = new Line(argv, early, outside);
  try {
    return await line.answer();
  } finally {
    await line.close();
  }
}

function isVersion(argv: readonly string[]): boolean {
  const others = argv.filter((text) => text !== '--json');
  return others.length === 1 && (others[0] === '--version' || others[0] === '-V');
}

function printVersion({ json }: Early, { stdout, version }: Outside): number {
  const about = { version, node: process.versions.node, platform: process.platform, arch: process.arch };
  stdout.write(`${json ? JSON.stringify(about, undefined, 2) : version}\n`);
  return 0;
}

/** One line, and the house in which it is answered. */
class Line {
  readonly #argv: readonly string[];
  readonly #early: Early;
  readonly #outside: Outside;
  #cwd: string;
  #house: Composition | undefined;

  constructor(argv: readonly string[], early: Early, outside: Outside) {
    this.#argv = argv;
    this.#early = early;
    this.#outside = outside;
    this.#cwd = early.cwd;
  }

  async answer(): Promise<number> {
    refuseNoFolder(this.#early.cwd);
    let house = await this.#move(this.#early.cwd);
    let reading = await (this.#early.help ? readAll : read)(this.#argv, house);
    const asksHelp = this.#early.help || reading.match.kind === 'help';
    if (asksHelp && isOurs(reading.match) && !(house.hasExtensions && isAboutAll(reading.match)))
      return this.#help(reading);
    if (reading.match.kind === 'nothing' && !asksHelp) return this.#withoutWords(reading, house);
    const place = this.#isBound(reading) ? undefined : placeOutsideHome(this.#cwd, house.view, this.#outside);
    if (place !== undefined) house = await this.#move(place);
    // From here on something of the user's and, where it is trusted, of the project's may run.
    if (reading.match.kind !== 'command' || reading.match.command.boots !== 'builtins') {
      await this.#extend(house, reading);
      reading = await (asksHelp ? readAll : read)(this.#argv, house);
    }
    if (asksHelp) return this.#help(reading);
    refuse(reading.match, this.#argv);
    if (reading.match.kind === 'command') return this.#run(reading.match.command, reading.match.path, reading, house);
    return this.#run(reading.launch, [], reading, house);
  }

  async close(): Promise<void> {
    const house = this.#house;
    this.#house = undefined;
    await house?.shutdown();
  }

  async #move(cwd: string): Promise<Composition> {
    await this.close();
    this.#cwd = cwd;
    this.#house = await this.#outside.compose({ cwd, env: this.#outside.env, shared: this.#early });
    mark('composed', this.#outside.env);
    return this.#house;
  }

  /** The place was chosen by the person, or does not matter. */
  #isBound(reading: Reading): boolean {
    const isFree = isForLaunch(reading) && !isGiven(reading, 'allowHome') && !isGiven(reading, 'listModels');
    return this.#early.hasCwd || this.#early.help || !isFree;
  }

  async #extend(house: Composition, reading: Reading): Promise<void> {
    const { match: meant } = reading;
    await house.extend({ asFarAsPossible: meant.kind === 'command' && meant.command.mends === true });
    mark('extended', this.#outside.env);
    const isAsked = isForLaunch(reading) || (meant.kind === 'command' && meant.command.tellsFaults === true);
    // A list on a pipe has nothing to say but its answer.
    if (isAsked || this.#outside.stderr.isTTY) tellComplaints(house, this.#outside.stderr);
    if (!isForLaunch(reading)) return;
    // To the end of the house: a disposer that fails on the way out is told too.
    listenForComplaints(house.kernel.journal, (complaint) => {
      if (!isToldAsChange(complaint)) this.#outside.stderr.write(`${complaintLine(complaint)}\n`);
    });
  }

  /** `kern`, or options alone: what is piped in may be the task, else there is none. */
  async #withoutWords(reading: Reading, house: Composition): Promise<number> {
    const { launch, words } = reading;
    const own = new Set((launch.options ?? []).map(({ name }) => name));
    // What is not an option of every command is one of a run, or is wrong, which a run says.
    const isAsked = words.some((word) => word.kind !== 'option' || own.has(word.option.name));
    if (isAsked || (await this.#isTold())) {
      await this.#extend(house, reading);
      const now = await read(this.#argv, house);
      return this.#run(now.launch, [], now, house);
    }
    if (this.#outside.env.KERN_FIRST_RUN === '1' && !(await hasModel(house.view))) {
      const first = await read(['demo'], house);
      if (first.match.kind === 'command') return this.#run(first.match.command, first.match.path, first, house);
    }
    throw usageError('there is nothing to do', shortUsage);
  }

  /** Something is piped in. */
  async #isTold(): Promise<boolean> {
    const { piped, signal } = this.#outside;
    return piped !== undefined && hasInput(piped, signal);
  }

  async #run(command: Command, path: readonly Word[], reading: Reading, house: Composition): Promise<number> {
    const args = await parse(command, reading.words, path, { ...this.#early, cwd: this.#cwd });
    await applyFlags(reading, args, house);
    const entry = reading.entry(command);
    const host = hostOf(this.#outside, house.view, this.#early.json);
    mark('command', this.#outside.env);
    return house.view.run(entry, (item) => item.run(contextOf(house, entry), args, host));
  }

  #help({ match, commands }: Reading): number {
    const about = match.kind === 'help' ? match.about : match;
    const { version } = this.#outside;
    if (about.kind === 'family') return this.#print(familyHelp(about.words, about.commands), about.commands);
    if (about.kind === 'command') return this.#print(commandHelp(about.command, commands, version), [about.command]);
    refuse(about, this.#argv);
    return this.#print(rootHelp(commands, version), commands);
  }

  #print(lines: readonly string[], commands: readonly Command[]): number {
    const text = this.#early.json
      ? JSON.stringify({ commands: commands.map(describe) }, undefined, 2)
      : lines.join('\n');
    this.#outside.stdout.write(`${text}\n`);
    return 0;
  }
}

/** Help that the built-ins can give: nothing of a project has to be loaded for it. */
function isOurs(match: Match): boolean {
  return match.kind !== 'prompt' && match.kind !== 'slip';
}

/** `kern --help`, which lists what the person's extensions add, too. */
function isAboutAll(match: Match): boolean {
  if (match.kind === 'help') return isAboutAll(match.about);
  return match.kind === 'nothing' || (match.kind === 'command' && isLaunch(match.command));
}

const shortUsage = [
  'Usage: kern [options] <message…>',
  '       kern <command> [options]',
  '`kern --help` lists commands and options.',
  '`kern demo` shows what kern does, without a model.',
].join('\n');

function refuseNoFolder(cwd: string): void {
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() === true) return;
  throw usageError(`${cwd} is not a folder`, 'Give --cwd a folder that is there.');
}

/** Lines that mean nothing we can do. */
function refuse(match: Match, argv: readonly string[]): void {
  if (match.kind === 'family') {
    throw usageError(
      `kern ${match.words.join(' ')} is only the beginning of a command`,
      familyHelp(match.words, match.commands).join('\n'),
    );
  }
  if (match.kind === 'stray') {
    const own = match.words.join(' ');
    const hint =
      didYouMean(match.near.map((word) => `kern ${own} ${word}`)) ?? `\`kern ${own} --help\` lists what there is.`;
    throw usageError(`there is no command kern ${own} ${match.stray}`, hint);
  }
  if (match.kind === 'slip') {
    const meant = didYouMean(match.near.map((word) => `kern ${word}`)) ?? '';
    throw usageError(
      `there is no command ${match.word}. ${meant}`,
      `To send it as a prompt: kern -- ${argv.map(quoted).join(' ')}`,
    );
  }
}

/** As it would be typed. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

async function applyFlags(reading: Reading, { options }: CommandArgs, house: Composition): Promise<void> {
  for (const entry of reading.flags) {
    const value = options[flagField(entry.item.name)];
    if (typeof value !== 'string' && value !== true) continue;
    await house.view.run(entry, (flag) => flag.apply?.(value, contextOf(house, entry)));
  }
}

function contextOf({ kernel }: Composition, entry: Entry<unknown>): Context {
  const context = kernel.contextOf(entry);
  if (context === undefined)
    throw new KernError('plugin_gone', `the plugin of ${entry.key ?? 'this command'} has gone`);
  return context;
}

function hostOf(outside: Outside, view: View, json: boolean): CommandHost {
  const { stdout, stderr, env, signal } = outside;
  return {
    // Looking at it opens it, which costs some milliseconds.
    get stdin() {
      return outside.stdin;
    },
    get piped() {
      return outside.piped;
    },
    stdout,
    stderr,
    env,
    signal,
    view,
    json: (value) => void stdout.write(`${JSON.stringify(value, undefined, 2)}\n`),
    print: (line) => void stdout.write(`${line}\n`),
    say: (line) => void stderr.write(`${line}\n`),
    color: !json && usesColor(stdout, env),
  };
}

function tellComplaints({ kernel }: Composition, stderr: NodeJS.WriteStream): void {
  for (const keeper of keepersOf(kernel)) {
    const { off } = kernel.settings.plugin(keeper, 'builtin');
    if (off !== undefined) stderr.write(`kern: ${keeper} is off (${off}): nothing guards what tools do\n`);
  }
  for (const complaint of kernel.journal.all().flatMap((report) => complaintOf(report) ?? [])) {
    // What is blocked is told by whoever needs it.
    if (complaint.code !== 'blocked') stderr.write(`${complaintLine(complaint)}\n`);
  }
}

async function hasModel(view: View): Promise<boolean> {
  await view.use(models).load();
  try {
    await view.service(models).resolve(undefined);
    return true;
  } catch (error) {
    if (codeOf(error) === 'no_model') return false;
    throw error;
  }
}
