import { realpathSync } from 'node:fs';
import path from 'node:path';
import { type CommandArgs, type CommandHost, type ImportReport, sessionImports } from 'kern/contracts';
import { KernError, messageOf, visible } from 'kern/plugin';
import { dirOf, sessionsOf } from './opened.ts';
import { short } from './words.ts';

interface Wanted {
  readonly source: string;
  readonly file: string;
}

export async function importSessions(args: CommandArgs, host: CommandHost): Promise<number> {
  const { cwd, json } = args.shared;
  const { view, signal } = host;
  await view.use(sessionImports).load();
  const imports = view.service(sessionImports);
  const wanted = await wantedOf(args, host);
  const reports: ImportReport[] = [];
  const failures: { readonly file: string; readonly message: string }[] = [];
  for (const { source, file } of wanted) {
    signal.throwIfAborted();
    try {
      const report = await imports.take(source, file, { cwd, dir: dirOf(args), signal });
      reports.push(report);
      if (!json) tell(report, host);
    } catch (error) {
      signal.throwIfAborted();
      failures.push({ file, message: messageOf(error) });
      if (!json) host.say(`! ${visible(messageOf(error))}`);
    }
  }
  const isNamed = args.positionals.length > 0;
  // Of a program the newest come first.
  const next = isNamed ? reports.at(-1) : reports.find((report) => isHere(report, cwd));
  const isNext = next !== undefined && (await (await sessionsOf(host)).remember(next.file, { cwd, dir: dirOf(args) }));
  if (json) host.json({ imported: reports.map(shown), failures });
  else if (wanted.length > 1) {
    const fresh = reports.filter(({ isNew }) => isNew).length;
    host.say(`${fresh} taken over, ${reports.length - fresh} there already, ${failures.length} not`);
  }
  if (next !== undefined && !json) tellNext(next, isNext, args, host);
  // Of many, a few that hold nothing are no failure; of those that were named each is.
  return failures.length > 0 && (isNamed || reports.length === 0) ? 1 : 0;
}

const isHere = (report: ImportReport, cwd: string): boolean => realFolder(report.cwd) === realFolder(cwd);

function realFolder(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return folder; // it is gone, or on another machine
  }
}

/** How to go on, as a line to be copied. */
function tellNext(next: ImportReport, isNext: boolean, args: CommandArgs, host: CommandHost): void {
  const { cwd } = args.shared;
  if (!isHere(next, cwd))
    host.say(`It is a conversation of ${visible(next.cwd)}, not of this folder (${visible(cwd)}).`);
  const { sessionDir } = args.options;
  const dir = typeof sessionDir === 'string' ? ` --session-dir ${visible(sessionDir)}` : '';
  host.say(`Go on in it: kern${dir} --session ${next.id} "…"${isNext ? `, or kern${dir} -c "…"` : ''}`);
}

async function wantedOf(args: CommandArgs, host: CommandHost): Promise<readonly Wanted[]> {
  const { from, all } = args.options;
  const { cwd } = args.shared;
  const imports = host.view.service(sessionImports);
  if (args.positionals.length > 0) {
    const files = args.positionals.map((file) => path.resolve(cwd, file));
    if (typeof from === 'string') return files.map((file) => ({ source: from, file }));
    const wanted: Wanted[] = [];
    for (const file of files) {
      const source = await imports.recognize(file, host.signal);
      if (source === undefined) throw await unknown(file, host);
      wanted.push({ source, file });
    }
    return wanted;
  }
  if (typeof from !== 'string')
    throw new KernError('usage', 'there is nothing to import', {
      hint: 'Name transcripts, or a program: kern sessions import --from claude',
    });
  const files = await imports.find(from, {
    ...(all === true ? {} : { cwd }),
    env: host.env,
    signal: host.signal,
  });
  if (files.length === 0)
    host.say(
      `There is nothing of ${from}${all === true ? '' : ' that belongs to this folder; --all takes those of every folder'}.`,
    );
  return files.map((file) => ({ source: from, file }));
}

async function unknown(file: string, host: CommandHost): Promise<KernError> {
  const sources = await host.view.service(sessionImports).sources();
  return new KernError('import_unreadable', `${file} looks like the transcript of no program that kern knows`, {
    hint: `kern knows ${sources.map(({ id, displayName }) => (id === displayName ? id : `${displayName} (${id})`)).join(', ')}; --from says which it is`,
  });
}

function tell({ source, from, id, name, messages, warnings, isNew }: ImportReport, host: CommandHost): void {
  if (!isNew) {
    host.say(`  there already: ${id} (${visible(from)})`);
    return;
  }
  host.print(`${id}  ${source}, ${messages} messages${name === undefined ? '' : `: ${short(name, 60)}`}`);
  for (const warning of warnings) host.say(`  ! ${visible(warning)}`);
}

function shown({ name, ...report }: ImportReport): object {
  return { ...report, name: name ?? null, warnings: report.warnings };
}
