import path from 'node:path';
import { type CommandArgs, type CommandHost, type SessionStore, type Sessions, sessions } from 'kern/contracts';
import { KernError } from 'kern/plugin';

/** The service, awake. */
export async function sessionsOf({ view }: CommandHost): Promise<Sessions> {
  await view.use(sessions).load();
  return view.service(sessions);
}

/** The folder of `--session-dir`. */
export function dirOf({ options, shared }: CommandArgs): string | undefined {
  return typeof options.sessionDir === 'string' ? path.resolve(shared.cwd, options.sessionDir) : undefined;
}

/** The file that a word of the line means. */
export async function fileOf(wanted: string, args: CommandArgs, host: CommandHost): Promise<string> {
  const known = await sessionsOf(host);
  const where = { cwd: args.shared.cwd, dir: dirOf(args) };
  if (wanted !== 'latest') return known.find(wanted, where);
  const latest = await known.latest(where);
  if (latest !== undefined) return latest;
  throw new KernError('session_not_found', 'there is no session of this folder', {
    hint: '`kern sessions list --all` shows those of other folders.',
  });
}

/** Opened to be looked at; whoever has it open goes on. */
export async function opened(
  wanted: string,
  args: CommandArgs,
  host: CommandHost,
): Promise<{ readonly file: string; readonly store: SessionStore }> {
  const file = await fileOf(wanted, args, host);
  const store = await (await sessionsOf(host)).open(file, { whenBusy: 'readonly', toRead: true });
  return { file, store };
}
