import {
  type Effect,
  errorResult,
  exactPath,
  type FileStore,
  type PendingChanges,
  realPath,
  resolvePath,
  spelledAs,
  type ToolContext,
  type ToolResult,
} from 'kern/contracts';
import { KernError } from 'kern/plugin';
import { commit } from './commit.ts';
import { knownAfter } from './fresh.ts';
import type { Misses } from './misses.ts';
import type { EditRequest, FileRequest } from './request.ts';
import { type EditDetails, previewed, told } from './result.ts';
import type { SeenFiles } from './seen.ts';
import { linesAfter, Refusal, type Staged, stage } from './stage.ts';

/** What editing needs of the world around it. */
export interface EditHost {
  readonly files: FileStore;
  readonly maxBytes: number;
  /** The session that edits: what it has seen and tried before is its own. */
  readonly session: string;
  readonly seen: SeenFiles;
  readonly misses: Misses;
  /** Set where changes are shown before they are made. */
  readonly pending?: PendingChanges | undefined;
}

type Result = ToolResult<EditDetails>;

/** Files of a patch, and their size together: all of them are held in memory until all are written. */
const mostFiles = 200;
/** What is known of a larger file is not carried over an edit. */
const mostRemembered = 20_000_000;

/** Edits files, alone with them meanwhile: all, or none. What does not work is an error result. */
export async function editFiles(
  request: EditRequest,
  host: EditHost,
  signal: AbortSignal,
  context: ToolContext,
): Promise<Result> {
  const { where } = context;
  const absolute = placesOf(request, where.cwd);
  const refused = unusable(request, absolute);
  if (refused !== undefined) return errorResult(refused);
  try {
    return await host.files.inOrder(
      pathsOf(request, absolute),
      async () => {
        const staged = await stageAll(request, host, signal, absolute, where.cwd);
        if (host.pending !== undefined) return propose(request, staged, host, host.pending, absolute, context);
        return await write(staged, request, host, signal, context);
      },
      signal,
    );
  } catch (error) {
    return failed(error, request, host);
  }
}

/**
 * Where the files of a call are. A file whose text is changed may be named by what looks the same; one that is made,
 * deleted or moved to is named exactly.
 */
function placesOf({ files }: EditRequest, cwd: string): (path: string) => string {
  const changed = new Set(files.filter(({ op }) => op === 'update').map(({ path }) => path));
  return (path) => (changed.has(path) ? spelledAs(resolvePath(path, cwd)) : exactPath(path, cwd));
}

/** What a call does to files. */
export function effectsOf(request: EditRequest, cwd: string): readonly Effect[] {
  const place = placesOf(request, cwd);
  const at = (path: string): string => realPath(place(path));
  return request.files.flatMap((file): readonly Effect[] => {
    if (file.op !== 'update' || file.moveTo === undefined)
      return [{ kind: file.op === 'delete' ? 'delete' : 'write', path: at(file.path) }];
    return [
      { kind: 'delete', path: at(file.path) },
      { kind: 'write', path: at(file.moveTo) },
    ];
  });
}

async function stageAll(
  { files }: EditRequest,
  { seen, session, maxBytes }: EditHost,
  signal: AbortSignal,
  absolute: (path: string) => string,
  cwd: string,
): Promise<readonly Staged[]> {
  const named = (path: string): string => (exactPath(path, cwd) === absolute(path) ? path : absolute(path));
  const diff = await import('diff');
  const staged: Staged[] = [];
  const refusals: string[] = [];
  for (const file of files) {
    signal.throwIfAborted();
    try {
      staged.push(
        await stage(file, { absolute, named, maxBytes, diff, seen: (path) => seen.of(session, realPath(path)) }),
      );
    } catch (error) {
      if (!(error instanceof KernError)) throw error;
      // What a refusal shows has been seen: the next call may go by it.
      if (error instanceof Refusal && error.shown !== undefined)
        seen.add(session, realPath(absolute(file.path)), error.shown);
      refusals.push(sentence(error));
    }
  }
  if (refusals.length > 0)
    throw new Refusal(files.length === 1 ? refusals.join('\n') : `No file was changed.\n${refusals.join('\n')}`);
  return staged;
}

async function write(
  staged: readonly Staged[],
  { format }: EditRequest,
  { files, seen, session, misses }: EditHost,
  signal: AbortSignal,
  { touched }: ToolContext,
): Promise<Result> {
  const written = await commit(staged, files, () => signal.throwIfAborted());
  touched([...new Set([...staged.map(({ absolute }) => absolute), ...written])]);
  misses.done(session);
  for (const file of staged) remember(file, seen, session);
  return told(staged, format);
}

/** What the session knows of a file it has just changed. */
function remember(file: Staged, seen: SeenFiles, session: string): void {
  const path = realPath(file.moveTo?.absolute ?? file.absolute);
  if (file.moveTo !== undefined || file.op === 'delete') seen.forget(session, realPath(file.absolute));
  if (file.op === 'delete') return;
  const isKnown = file.patch.isWhole && file.source.text.length <= mostRemembered;
  if (!isKnown) seen.forget(session, path);
  else seen.set(session, path, knownAfter(file.alignments, file.patch.hunks, linesAfter(file)));
}

/** Shows what would be done, and keeps it for `resolve`. */
function propose(
  request: EditRequest,
  staged: readonly Staged[],
  host: EditHost,
  pending: PendingChanges,
  absolute: (path: string) => string,
  { sessionId, where }: ToolContext,
): Result {
  const { pending: _, ...direct } = host;
  const promised = fingerprint(staged);
  const id = pending.add(sessionId, {
    tool: 'edit',
    title: staged.map(({ op, path }) => `${op} ${path}`).join(', '),
    effects: effectsOf(request, where.cwd),
    apply: async (signal, context) => {
      try {
        return await direct.files.inOrder(
          pathsOf(request, absolute),
          async () => {
            const fresh = await stageAll(request, direct, signal, absolute, where.cwd);
            if (fingerprint(fresh) !== promised)
              throw new Refusal(
                'What was shown is not what would be done now: the file has changed since. Edit it again.',
              );
            return await write(fresh, request, direct, signal, context);
          },
          signal,
        );
      } catch (error) {
        return failed(error, request, direct);
      }
    },
  });
  return previewed(staged, request.format, id);
}

/** What goes and what comes, wherever in the file it stands by then. */
const fingerprint = (staged: readonly Staged[]): string =>
  JSON.stringify(
    staged.map(({ op, absolute, moveTo, source, splices }) => [
      op,
      absolute,
      moveTo?.absolute,
      splices.map(({ start, end, text }) => [source.text.slice(start, end), text]),
    ]),
  );

function failed(error: unknown, request: EditRequest, { misses, session }: EditHost): Result {
  if (!(error instanceof KernError)) throw error;
  const times = misses.failed(session, request);
  const again =
    times < 2
      ? ''
      : `\nThis very edit has failed ${times} times: sent again it will fail again. Read the place anew${request.format === 'replace' ? ' and copy oldText from there' : ''}, or go another way (write, or a program through bash).`;
  return errorResult(sentence(error) + again);
}

const sentence = ({ message, hint }: KernError): string =>
  hint === undefined ? message : `${message.replace(/\.$/, '')}. ${hint}`;

const pathsOf = ({ files }: EditRequest, absolute: (path: string) => string): readonly string[] =>
  files.flatMap((file) =>
    file.op === 'update' && file.moveTo !== undefined
      ? [absolute(file.path), absolute(file.moveTo)]
      : [absolute(file.path)],
  );

function unusable(request: EditRequest, absolute: (path: string) => string): string | undefined {
  const { files } = request;
  if (files.length > mostFiles) return `${files.length} files at once are too many: ${mostFiles} are the most.`;
  const named = new Map<string, string>();
  const given = files.flatMap((file: FileRequest) =>
    file.op === 'update' && file.moveTo !== undefined ? [file.path, file.moveTo] : [file.path],
  );
  for (const path of given) {
    const place = absolute(path);
    if (place.includes('\0')) return `${JSON.stringify(path)} is no path: it has a NUL in it.`;
    const real = realPath(place);
    const other = named.get(real);
    if (other !== undefined)
      return `${path} is in the call twice${other === path ? '' : ` (also as ${other})`}: put all that is to change in one place.`;
    named.set(real, path);
  }
  return undefined;
}
