import { realpathSync } from 'node:fs';
import { isatty } from 'node:tty';
import {
  type AgentSession,
  agentSessions,
  appearance,
  type CommandArgs,
  type CommandHost,
  exitCodeOf,
  isToldAsChange,
  type Mode,
  modelProviders,
  models,
  modes,
  type SessionOptions,
  sessions,
  type ThinkingLevel,
  terminalUi,
  tools,
  workbench,
} from 'kern/contracts';
import { codeOf, KernError, messageOf, type Service, type Ui, visible } from 'kern/plugin';
import { chosenSession } from './chosen-session.ts';
import { textOrFile } from './files.ts';
import { offerSettings } from './first-start.ts';
import { LastLine } from './last-line.ts';
import { limitsOf } from './limits.ts';
import { readPiped } from './piped.ts';
import { promptsOf } from './prompts.ts';
import { rememberWhenSent } from './remember.ts';

/** From words to a session in a mode. */
export async function run(args: CommandArgs, host: CommandHost): Promise<number> {
  const name = modeName(args);
  try {
    return await runIn(name, args, host);
  } catch (error) {
    // Whoever reads the stream waits for its last line, also of a run that never began.
    if (name === 'json' && !args.shared.json) host.stdout.write(`${JSON.stringify(resultOf(error, host.signal))}\n`);
    throw error;
  }
}

async function runIn(name: string, args: CommandArgs, host: CommandHost): Promise<number> {
  const { view, stderr, signal } = host;
  const { cwd, json } = args.shared;
  const mode = await modeOf(name, args, host);
  const piped = await readPiped(host, args.positionals.length > 0);
  const isAsked = args.options.print === true || json || name !== 'text' || !isatty(0) || !stderr.isTTY;
  view.ui = isAsked ? tellingUi(view.ui, host) : terminalUi(host.stdin, stderr);
  const chosen = await chosenSession(args, host, isAsked ? undefined : view.ui);
  const prompts = promptsOf(chosen.words, piped, cwd);
  if (prompts.length === 0) {
    throw new KernError('usage', 'there is no message', {
      hint:
        chosen.options.resume === undefined
          ? 'Give it as an argument, or pipe it in: kern -p "what is this?"'
          : 'A session goes on with one: kern -c "and now the tests"; `kern sessions show` prints what was said.',
    });
  }
  tellBlocked(host);
  await offerSettings(host);
  await using session = await view.service(agentSessions).create({
    view,
    cwd,
    ...sessionOptions(args),
    ...chosen.options,
    // These end with their prompts.
    oneShot: name === 'text' || name === 'json',
    // Elsewhere a person reads them on stderr.
    ...(name === 'json' ? { faults: faultsOf(host) } : {}),
  });
  tellElsewhere(session, host);
  if (typeof args.options.name === 'string') session.setName(args.options.name);
  watchWhenSent(session, host);
  rememberWhenSent(session, { ...args, positionals: chosen.words }, host);
  const stdout = json ? new LastLine(host.stdout) : host.stdout;
  const code = await mode.run({
    session,
    prompts,
    signal,
    // Opened by a mode that reads it.
    get stdin() {
      return host.stdin;
    },
    stdout,
    stderr,
    color: host.stderr.isTTY === true && host.color,
  });
  if (stdout instanceof LastLine) stdout.print();
  return code;
}

/** Nobody can be asked, and yet somebody may read what is told. Warnings and errors are told as all others are. */
function tellingUi(ui: Ui, host: CommandHost): Ui {
  return {
    ...ui,
    notify(message, level = 'info') {
      if (level !== 'info') ui.notify(message, level);
      else for (const line of message.trimEnd().split('\n')) host.say(visible(line));
    },
  };
}

function faultsOf({ view }: CommandHost): NonNullable<SessionOptions['faults']> {
  return (tell) =>
    view.service(workbench).onComplaint((complaint) => {
      const { plugin, code, message } = complaint;
      if (!isToldAsChange(complaint)) tell({ extensionPath: plugin, event: code, error: message });
    });
}

function modeName({ options, shared }: CommandArgs): string {
  const { mode } = options;
  if (shared.json) {
    if (typeof mode === 'string' && mode !== 'json')
      throw new KernError('usage', `--json and --mode ${mode} say different things`);
    return 'json';
  }
  return typeof mode === 'string' ? mode : 'text';
}

/** With the mode all that a run needs is woken: what wakes in one breath is one change, and each takes milliseconds. */
async function modeOf(name: string, { options }: CommandArgs, { view, signal }: CommandHost): Promise<Mode> {
  const known = view.use(modes);
  const model = typeof options.model === 'string' ? options.model : view.setting('model');
  await Promise.all([
    known.load(signal, name),
    ...[agentSessions, workbench, models, sessions, appearance].map((service) =>
      view.use(service as Service<unknown>).load(signal),
    ),
    view.use(tools).load(signal),
    ...(typeof model === 'string' ? [view.use(modelProviders).load(signal, model.split('/', 1)[0])] : []),
  ]);
  const mode = known.get(name)?.item;
  if (mode !== undefined) return mode;
  await known.load(signal);
  throw new KernError('usage', `there is no mode ${name}`, {
    hint: `--mode takes ${known
      .items()
      .map(({ id }) => id)
      .join(', ')}`,
  });
}

function sessionOptions({ options, shared }: CommandArgs): Partial<Parameters<AgentSessionsCreate>[0]> {
  const { model, tools, noTools, systemPrompt, appendSystemPrompt, noSession, thinking } = options;
  if (noTools === true && tools !== undefined)
    throw new KernError('usage', '--tools and --no-tools say different things');
  const chosen =
    noTools === true
      ? []
      : typeof tools === 'string'
        ? tools
            .split(',')
            .map((tool) => tool.trim())
            .filter((tool) => tool !== '')
        : undefined;
  const limits = limitsOf(options);
  return {
    ...(limits === undefined ? {} : { limits }),
    ...(typeof model === 'string' ? { model } : {}),
    ...(chosen === undefined ? {} : { tools: chosen }),
    ...(typeof thinking === 'string' ? { thinking: thinking as ThinkingLevel } : {}),
    ...(typeof systemPrompt === 'string' ? { systemPrompt: textOrFile(systemPrompt, shared.cwd) } : {}),
    ...(Array.isArray(appendSystemPrompt)
      ? { appendSystemPrompt: appendSystemPrompt.map((text: string) => textOrFile(text, shared.cwd)) }
      : {}),
    persist: noSession !== true,
  };
}

type AgentSessionsCreate = (typeof agentSessions extends import('kern/plugin').Service<infer S> ? S : never)['create'];

/** Paths in what was said mean another folder than what is said next. */
function tellElsewhere({ header, cwd }: AgentSession, host: CommandHost): void {
  if (header.cwd !== '' && !isSameFolder(header.cwd, cwd))
    host.say(`kern: this session began in ${visible(header.cwd)}; it goes on in ${visible(cwd)}`);
}

function isSameFolder(one: string, other: string): boolean {
  const real = (folder: string): string => {
    try {
      return realpathSync.native(folder);
    } catch {
      return folder; // it is gone
    }
  };
  return one === other || real(one) === real(other);
}

/** The watcher costs more than the first request may wait for. */
function watchWhenSent(session: AgentSession, { view }: CommandHost): void {
  const subscription = session.subscribe((event) => {
    if (event.type !== 'message_start' || event.message.role !== 'assistant') return;
    subscription.dispose();
    view.service(workbench).watch();
  });
}

function tellBlocked(host: CommandHost): void {
  const blocked = host.view.service(workbench).blocked();
  if (blocked.length === 0) return;
  host.say(
    `kern: ${blocked.length === 1 ? 'an extension' : `${blocked.length} extensions`} of this project did not run, because nobody trusted it:`,
  );
  for (const { path, state } of blocked)
    host.say(`  ${visible(path)}${state === 'changed' ? ' (changed since it was trusted)' : ''}`);
  host.say('  `kern trust grant` trusts what is there now; --trust does for this run.');
}

/** The last line of `--mode json` for a run that did not begin. */
function resultOf(error: unknown, { aborted, reason }: AbortSignal): object {
  const code = codeOf(error) ?? 'failed';
  const endedBy = typeof reason === 'object' && reason !== null && 'exitCode' in reason ? reason.exitCode : 130;
  return {
    type: 'result',
    status: aborted ? 'aborted' : 'error',
    text: '',
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
    cost: null,
    turns: 0,
    durationMs: 0,
    sessionId: null,
    sessionFile: null,
    error: aborted ? null : { code, message: messageOf(error) },
    exitCode: aborted ? endedBy : exitCodeOf(error),
  };
}
