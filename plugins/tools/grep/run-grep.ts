import { statSync } from 'node:fs';
import { join } from 'node:path';
import {
  errorResult,
  formatTruncation,
  realPath,
  searching,
  type ToolContext,
  type ToolResult,
  textResult,
} from 'kern/contracts';
import { KernError } from 'kern/plugin';
import { searchBuiltIn } from './built-in.ts';
import { nothing, type Pages, searchByRipgrep } from './by-ripgrep.ts';
import { kindOf } from './file-text.ts';
import { fileType } from './file-types.ts';
import { createPage, type Page } from './page.ts';
import { literalPattern, type Pattern, readPattern } from './pattern.ts';
import type { Ended, Query } from './query.ts';

export interface GrepArguments {
  readonly pattern: string;
  readonly path?: string | undefined;
  readonly glob?: string | undefined;
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
  readonly type?: string | undefined;
  readonly ignoreCase?: boolean | undefined;
  readonly literal?: boolean | undefined;
  readonly multiline?: boolean | undefined;
  readonly context?: number | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

export interface GrepDetails {
  /** The file or folder that was searched. */
  readonly path: string;
  readonly engine: Engine;
  /** Lines that are shown as hits, and the files they are in. */
  readonly matches: number;
  readonly files: number;
  readonly truncated: boolean;
  /** The offset of the next page. */
  readonly nextOffset?: number;
}

type Engine = 'ripgrep' | 'built-in';
type Refusal = { readonly refused: string };

const defaultLimit = 100;

export interface Running {
  readonly signal: AbortSignal;
  readonly onUpdate: (partial: ToolResult) => void;
  readonly context: ToolContext;
  /** A setting: where ripgrep is, or that it is not to be used. */
  readonly rg: string | false | undefined;
  /** A setting: how long it may take. */
  readonly seconds: number;
}

/** Searches the contents of files. What cannot be searched for is an error result that says why. */
export async function runGrep(args: GrepArguments, running: Running): Promise<ToolResult<GrepDetails>> {
  const { signal, onUpdate, context } = running;
  const deadline = searching.createDeadline(signal, running.seconds);
  const query = await queryOf(args, context.where.cwd, deadline);
  if ('refused' in query) return errorResult(query.refused);
  const limit = args.limit ?? defaultLimit;
  const offset = Math.max(1, args.offset ?? 1);
  const shownPath = searching.shownPaths(query.shownRoot, context.where.cwd);
  const { accepts } = query;
  const shown = { offset, limit, context: query.context, shownPath, accepts, onGrow: () => updates.soon() };
  let page = createPage(shown);
  // What is found while the search goes on; the page has it in order.
  const preview = createPage(shown);
  const fresh = (): Page => {
    page = createPage(shown);
    return page;
  };
  const updates = searching.createUpdates(onUpdate, () => page.text || preview.text);
  try {
    const done = await search(query, { fresh, preview }, running, deadline);
    signal.throwIfAborted();
    if ('refused' in done) return errorResult(done.refused);
    const path = query.file === undefined ? query.root : join(query.root, query.file);
    return told(page, { path, offset, query, shownPath, deadline, ...done });
  } finally {
    updates.stop();
  }
}

/** By ripgrep where there is one that works and knows the pattern, else by the built-in matcher. */
async function search(
  query: Query,
  pages: Pages,
  { rg, context }: Running,
  deadline: searching.Deadline,
): Promise<{ engine: Engine; ended: Ended } | Refusal> {
  // None of the folders that the globs name is there.
  if (query.folders.length === 0) return { engine: 'built-in', ended: nothing };
  const { encoding, pattern } = query;
  const { needsRipgrep, needsScript } = pattern;
  const found = needsScript || encoding !== undefined ? undefined : await searching.findRipgrep(rg);
  if (found !== undefined) {
    const end = await searchByRipgrep(found, query, pages, { context, deadline });
    if (end.state === 'ended') return { engine: 'ripgrep', ended: end.ended };
    if (end.state === 'refused') return { refused: `ripgrep does not take this pattern.\n${end.why}` };
  }
  if (needsRipgrep !== undefined) {
    const why = needsScript
      ? 'does not look around or refer back'
      : encoding === undefined
        ? 'is not here'
        : `does not know this file for ${encoding}`;
    return {
      refused: `${needsRipgrep} in the pattern is known to ripgrep alone, which ${why}. Write the pattern without it.`,
    };
  }
  try {
    return { engine: 'built-in', ended: await searchBuiltIn(query, pages.fresh(), deadline) };
  } catch (error) {
    if (!(error instanceof KernError) || error.code !== 'pattern_refused') throw error;
    return { refused: `${error.message}. ${error.hint ?? ''}`.trim() };
  }
}

// --- From arguments to a search ----------------------------------------------------------------------------------

async function queryOf(
  args: GrepArguments,
  cwd: string,
  deadline: searching.Deadline,
): Promise<(Query & { readonly shownRoot: string }) | Refusal> {
  const place = await searching.placeOf(args.path ?? '.', cwd, deadline);
  if (place.state === 'refused') return { refused: place.why };
  const pattern = patternOf(args);
  if ('refused' in pattern) return pattern;
  const root = realPath(place.folder);
  const files = filesWanted(args, [place.folder, root]);
  if ('refused' in files) return files;
  const isFile = place.state === 'file';
  const kind = isFile ? await deadline.race(kindOf(join(root, place.name))) : { isBinary: false };
  if (kind.isBinary)
    return {
      refused: `${args.path} is not text but binary data. Use a program for it through bash, or \`strings\` for the text in it.`,
    };
  const folders = isFile ? [''] : foldersOf(root, files.included);
  const above = isFile ? [] : await Promise.all(folders.map((folder) => searching.rulesAbove(join(root, folder))));
  return {
    shownRoot: place.folder,
    root,
    file: isFile ? place.name : undefined,
    encoding: kind.encoding,
    folders,
    isIgnored: above.some(({ isRootIgnored }) => isRootIgnored),
    isInRepository: above.every(({ isInRepository }) => isInRepository),
    pattern,
    ignoreCase: args.ignoreCase ?? false,
    multiline: args.multiline === true || pattern.hasLineFeed,
    dotAll: args.multiline === true && args.literal !== true,
    context: args.context ?? 0,
    mostHits: Math.max(1, args.offset ?? 1) + (args.limit ?? defaultLimit),
    // A file that is named is searched, whatever it is called.
    accepts: isFile ? () => true : files.accepts,
    names: isFile ? [] : files.names,
    excluded: isFile ? [] : files.excluded,
  };
}

function patternOf({ pattern, literal, multiline }: GrepArguments): Pattern | Refusal {
  if (pattern.includes('\0')) return { refused: 'The pattern has a NUL in it, which no text has.' };
  if (literal === true) return literalPattern(pattern);
  const read = readPattern(pattern, { dotAll: multiline === true });
  if (read.ok) return read.pattern;
  return {
    refused: `The pattern is not a regular expression: ${read.why}.\n${read.shown}\nUse literal: true to search for the text as it is, or put a backslash before a sign that is meant.`,
  };
}

interface FilesWanted {
  readonly included: readonly string[];
  readonly accepts: (path: string) => boolean;
  readonly names: readonly string[];
  readonly excluded: readonly string[];
}

/** Which files: any of `glob` and `include`, of the type, and none of `exclude`. */
function filesWanted(
  { glob, include = [], exclude = [], type }: GrepArguments,
  folders: readonly string[],
): FilesWanted | Refusal {
  const given = (glob === undefined ? include : [glob, ...include]).flatMap(searching.splitGlobs);
  const without = given.filter((one) => one.startsWith('!')).map((one) => one.slice(1));
  const below = [given.filter((one) => !one.startsWith('!')), [...exclude, ...without]].map((globs) =>
    globs.map((one) => searching.globBelow(one, ...folders)),
  );
  const [included = [], excluded = []] = below.map((globs) =>
    globs.flatMap((one) => ('glob' in one ? [one.glob] : [])),
  );
  const elsewhere = below.flat().find((one) => 'refused' in one)?.refused;
  const wrong = elsewhere ?? [...included, ...excluded].map(searching.whyNoGlob).find((why) => why !== undefined);
  if (wrong !== undefined) return { refused: `It was not searched: ${wrong}.` };
  const known = type === undefined ? undefined : fileType(type);
  if (known?.state === 'unknown') return { refused: known.why };
  const wanted = included.map(belowFolder);
  const isIncluded = wanted.map((one) => searching.globTest(one));
  const isOfType = known?.globs.map((one) => searching.globTest(one)) ?? [];
  const isExcluded = excluded.map(searching.globTestAbove);
  return {
    included: wanted,
    accepts: (path) =>
      (isIncluded.length === 0 || isIncluded.some((fits) => fits(path))) &&
      (isOfType.length === 0 || isOfType.some((fits) => fits(path))) &&
      !isExcluded.some((fits) => fits(path)),
    names: known?.globs ?? namesOf(wanted),
    excluded: excluded.filter((one) => /^[\w./*-]+$/.test(one) && !/[^/]\*\*|\*\*[^/]/.test(one)),
  };
}

/** `src/` means what is in it. */
const belowFolder = (glob: string): string => (glob.endsWith('/') ? `${glob}**` : glob);

/** The names that files have that fit any of the globs, where that can be said in ripgrep's words. */
function namesOf(globs: readonly string[]): readonly string[] {
  const names = globs.map((glob) => glob.slice(glob.lastIndexOf('/') + 1));
  const isPlain = names.every(
    (name) => /^(?:[\w.*-]|\{[\w.*-]+(?:,[\w.*-]+)*\})+$/.test(name) && !/\*\*|\{[^}]*\.\./.test(name),
  );
  // A slash within braces is no end of a folder.
  return isPlain && globs.every((glob) => !/\{[^}]*\//.test(glob)) ? [...new Set(names)] : [];
}

/** Where files can be that fit any of the globs; none within another. */
function foldersOf(root: string, globs: readonly string[]): readonly string[] {
  if (globs.length === 0) return [''];
  const folders = [...new Set(globs.map(searching.folderOf))].filter((folder) => isFolder(join(root, folder)));
  const isWithin = (folder: string, other: string): boolean =>
    folder !== other && (other === '' || folder.startsWith(`${other}/`));
  return folders.filter((folder) => !folders.some((other) => isWithin(folder, other))).sort(searching.byCodePoint);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

// --- From hits to a result ---------------------------------------------------------------------------------------

interface Done {
  readonly path: string;
  readonly offset: number;
  readonly query: Query;
  readonly engine: Engine;
  readonly ended: Ended;
  readonly shownPath: (path: string) => string;
  readonly deadline: searching.Deadline;
}

function told(page: Page, { path, offset, query, engine, ended, shownPath, deadline }: Done): ToolResult<GrepDetails> {
  const next = offset + page.shown;
  const stopped = ended.timedOut ? deadline.notice : undefined;
  const notices = [pageNotice(page, offset), cutNotice(page), ...endNotices(page, ended, shownPath), stopped];
  const details: GrepDetails = {
    path,
    engine,
    matches: page.shown,
    files: page.files,
    truncated: page.hasMore || ended.timedOut,
    ...(page.hasMore ? { nextOffset: next } : {}),
  };
  if (page.shown > 0) return textResult(searching.withNotices(page.text, notices), details);
  if (page.seen > 0) return errorResult(`There are only ${page.seen} matches: there is no match ${offset}.`, details);
  const left = query.file === undefined && !query.isIgnored;
  const hint = left ? 'What git ignores was left out; to search it, name its folder as path.' : undefined;
  const blanks = query.pattern.rust.includes('\\s') && !query.multiline;
  const lines = blanks ? 'A match stays within a line; with multiline: true, \\s is also a line end.' : undefined;
  return textResult(searching.withNotices('No matches found', [hint, lines, ...notices]), details);
}

function pageNotice({ shown, hasMore, fullBy }: Page, offset: number): string | undefined {
  if (!hasMore) return undefined;
  const last = offset + shown - 1;
  const by = fullBy === 'size' ? 'bytes' : 'lines';
  return formatTruncation({ direction: 'head', by, from: offset, to: last, nextOffset: last + 1, unit: 'matches' });
}

function cutNotice({ hasCutLines }: Page): string | undefined {
  return hasCutLines ? `Lines longer than ${searching.lineLimit} characters are cut, marked by …` : undefined;
}

function endNotices(
  { binaries, decodings }: Page,
  { unreadable, slow, large }: Ended,
  shownPath: (path: string) => string,
): readonly (string | undefined)[] {
  const list = (paths: readonly string[]): string => paths.map(shownPath).join(', ');
  return [
    ...decodings.map(({ path, encoding }) => `${path} was decoded from ${encoding}.`),
    ...binaries.map((path) => `${path} is binary from some point on; what follows was not searched.`),
    searching.unreadableNotice(unreadable),
    slow.length > 0 ? `The pattern takes too long on ${list(slow)}; make it simpler. Not all was searched.` : undefined,
    large.length > 0 ? `Too large to be searched across lines: ${list(large)}.` : undefined,
  ];
}
