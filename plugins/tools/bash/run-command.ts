import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type BashOperations,
  errorResult,
  type Jobs,
  resolvePath,
  shells,
  type ToolContext,
  type ToolResult,
} from 'kern/contracts';
import { type Context, codeOf, type SessionHandle, type SpawnOptions, type SpawnResult } from 'kern/plugin';
import { withoutCut } from './cut.ts';
import { betterTool } from './interceptor.ts';
import { endsOwnTree } from './own-tree.ts';
import { noFolder, refusalOf } from './refusal.ts';
import type { BashSettings } from './settings.ts';
import { afterCommand, freshShell, removeState, type ShellState, takeDump } from './shell-state.ts';
import { createSnapshot, type Snapshot } from './snapshot.ts';
import { isBash, shellArguments } from './wrapper.ts';

export interface BashArguments {
  readonly command: string;
  /** Seconds. */
  readonly timeout?: number | undefined;
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly head?: number | undefined;
  readonly tail?: number | undefined;
  readonly background?: boolean | undefined;
  readonly pty?: boolean | undefined;
}

/** What the tool needs of the plugin around it. */
export interface BashGround {
  readonly settings: BashSettings;
  readonly jobs: () => Promise<Jobs>;
  /** For what goes on when a call is given up. */
  readonly spawn: Context['spawn'];
  /** The session of the running call, where there is one. */
  readonly session: () => SessionHandle | undefined;
  readonly hasTool: (name: string) => boolean;
  /** What runs commands elsewhere. */
  readonly operations: () => Promise<BashOperations | undefined>;
  /** The environment that a child gets before anything is added. */
  readonly environment: () => Readonly<Record<string, string>>;
  readonly states: { value: Record<string, { cwd?: string | undefined; env: Record<string, string | null> }> };
}

export type BashShell = ReturnType<typeof createBashShell>;

const defaultTimeout = 300;
const mostSessions = 50;

/** The shells of all sessions: what lasts of each, and how a command is run in it. */
export function createBashShell(ground: BashGround) {
  const { settings, states } = ground;
  let snapshot: Snapshot | undefined;
  let privately: string | undefined;
  let calls = 0;

  /** Where a shell writes its state: a file for each call, in a folder for all of them. */
  const stateFile = (): string => {
    // What tidies up folders of temporary files may have taken it.
    if (privately === undefined || !existsSync(privately)) privately = mkdtempSync(join(tmpdir(), 'kern-shell-'));
    calls += 1;
    return join(privately, String(calls));
  };
  const stateOf = (sessionId: string): ShellState => {
    const { cwd, env } = states.value[sessionId] ?? freshShell;
    return { cwd, env };
  };
  const keep = (sessionId: string, { cwd, env }: ShellState): void => {
    const { [sessionId]: _, ...others } = states.value;
    const kept = Object.entries(others).slice(-(mostSessions - 1));
    states.value = Object.fromEntries([...kept, [sessionId, { cwd, env: { ...env } }]]);
  };
  const shellPath = (): string =>
    settings.shellPath ?? shells.programOnPath('bash') ?? (process.platform === 'win32' ? 'bash' : '/bin/sh');

  /** Where a command without a folder of its own runs: where the last one of the session ended, as long as that is there. */
  const placeOf = (sessionId: string, project: string): { folder: string; notices: readonly string[] } => {
    const { cwd } = stateOf(sessionId);
    if (cwd === undefined || cwd === project) return { folder: project, notices: [] };
    if (noFolder(cwd, cwd) === undefined) return { folder: cwd, notices: [] };
    return { folder: project, notices: [`[The folder ${cwd}, where the shell was, is gone: this ran in ${project}.]`] };
  };

  return {
    folderOf: (sessionId: string | undefined, project: string): string =>
      sessionId === undefined ? project : placeOf(sessionId, project).folder,
    close(): void {
      snapshot?.clear();
      if (privately !== undefined) rmSync(privately, { recursive: true, force: true });
    },

    async run(
      args: BashArguments,
      signal: AbortSignal,
      onUpdate: (partial: ToolResult) => void,
      context: ToolContext,
    ): Promise<ToolResult<shells.ShellDetails>> {
      const { sessionId, where } = context;
      const { folder, notices } =
        args.cwd === undefined
          ? placeOf(sessionId, where.cwd)
          : { folder: resolvePath(args.cwd, where.cwd), notices: [] };
      const refusal =
        refusalOf(args) ??
        noFolder(folder, args.cwd ?? folder) ??
        (settings.interceptor ? betterTool(args.command, ground.hasTool) : undefined) ??
        (await endsOwnTree(args.command, context.spawn));
      if (refusal !== undefined) return errorResult(refusal);
      const isCut =
        settings.normalize && args.background !== true && args.head === undefined && args.tail === undefined;
      const cut = isCut ? withoutCut(args.command) : { command: args.command, head: args.head, tail: args.tail };
      const command =
        settings.shellCommandPrefix === undefined ? cut.command : `${settings.shellCommandPrefix}\n${cut.command}`;
      const before = stateOf(sessionId);
      const added: Record<string, string | undefined> = {
        ...Object.fromEntries(Object.entries(before.env).map(([name, value]) => [name, value ?? undefined])),
        ...args.env,
      };
      const shell = shellPath();
      const operations = await ground.operations();
      if (operations === undefined && settings.snapshot && isBash(shell))
        snapshot ??= createSnapshot(shell, ground.spawn);
      const functions = operations === undefined ? await snapshot?.file() : undefined;

      if (args.background === true) {
        if (operations !== undefined) return errorResult('Commands that run elsewhere cannot run in the background.');
        return inBackground(args, { shell, command, folder, added, functions, notices, context });
      }

      const timeout = args.timeout ?? defaultTimeout;
      const plan = { label: args.command, cwd: folder, env: added, timeout, notices };
      const wanted = { head: cut.head, tail: cut.tail };
      const more = { wanted, endAfterHead: isCut && cut.head !== undefined };
      if (operations !== undefined) {
        const start = (options: SpawnOptions) => elsewhere(operations, command, options, signal);
        return shells.runShell({ ...plan, ...more, start }, signal, onUpdate, context);
      }

      const state = stateFile();
      try {
        return await shells.runShell(
          {
            ...plan,
            ...more,
            pty: args.pty === true,
            start: (options) =>
              context.spawn(shell, shellArguments(shell, command, { state, snapshot: functions }), options).result,
            finish() {
              const dump = takeDump(state);
              if (dump === undefined) return { cwd: folder, notices: [] };
              const started = environmentOf(ground.environment(), added);
              const after = afterCommand(before, started, dump, args.cwd === undefined);
              keep(sessionId, after.state);
              return { cwd: dump.cwd, notices: changes(folder, dump.cwd, args.cwd !== undefined, after.tooLong) };
            },
          },
          signal,
          onUpdate,
          context,
        );
      } finally {
        removeState(state);
      }
    },
  };

  async function inBackground(
    args: BashArguments,
    run: {
      shell: string;
      command: string;
      folder: string;
      added: Record<string, string | undefined>;
      functions: string | undefined;
      notices: readonly string[];
      context: ToolContext;
    },
  ): Promise<ToolResult<shells.ShellDetails>> {
    const { shell, command, folder, added, functions, notices, context } = run;
    try {
      return await shells.startBackground(
        {
          cwd: folder,
          session: ground.session(),
          notices,
          start: async (log) =>
            (await ground.jobs()).start({
              command: shell,
              // What it changes of its shell is its own: there is no state to write down.
              args: shellArguments(shell, command, { state: '', snapshot: functions }),
              options: {
                cwd: folder,
                env: added,
                owner: 'tools.bash',
                ...(args.timeout === undefined ? {} : { timeoutMs: args.timeout * 1000 }),
                ...(args.pty === true ? { terminal: { columns: 120, rows: 40 } } : {}),
              },
              label: args.command,
              sessionId: context.sessionId,
              log,
            }),
        },
        context,
      );
    } catch (error) {
      if (codeOf(error) !== 'too_many_jobs' || !(error instanceof Error)) throw error;
      return errorResult(`${error.message}. Wait for one, or end one, with the tool jobs.`);
    }
  }
}

/** What is to be said of where the shell is now. */
function changes(before: string, after: string, isOfThisCall: boolean, tooLong: readonly string[]): readonly string[] {
  return [
    ...(before === after || isOfThisCall ? [] : [`[The shell is now in ${after}]`]),
    ...(tooLong.length === 0 ? [] : [`[Too long to be kept for the next command: ${tooLong.join(', ')}]`]),
  ];
}

function environmentOf(
  clean: Readonly<Record<string, string>>,
  added: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const env: Record<string, string> = { ...clean };
  for (const [name, value] of Object.entries(added)) {
    if (value === undefined) delete env[name];
    else env[name] = value;
  }
  return env;
}

/** A command that runs somewhere else, as if the supervisor had run it. */
async function elsewhere(
  operations: BashOperations,
  command: string,
  options: SpawnOptions,
  signal: AbortSignal,
): Promise<SpawnResult> {
  const began = performance.now();
  const stop = options.signal === undefined ? signal : AbortSignal.any([signal, options.signal]);
  const env = Object.fromEntries(
    Object.entries(options.env ?? {}).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  const { timeoutMs = defaultTimeout * 1000, cwd = '.' } = options;
  const {
    exitCode,
    signal: ended,
    timedOut,
  } = await operations.exec(command, cwd, {
    env,
    timeoutMs,
    signal: stop,
    onData: (chunk) => options.onOutput?.(chunk, 'stdout'),
  });
  return {
    exitCode,
    signal: ended,
    stdout: '',
    stderr: '',
    timedOut: timedOut === true,
    aborted: stop.aborted,
    dropped: 0,
    durationMs: performance.now() - began,
  };
}
