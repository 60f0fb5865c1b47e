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
import { isBinary, searchBuiltIn } from './built-in.ts';
import { searchByRipgrep } from './by-ripgrep.ts';
import { fileType } from './file-types.ts';
import { createPage, type Page } from './page.ts';
import { literalPattern, type Pattern, readPattern } from './pattern.ts';
import { type Ended, type Hits, type Query, searchLimitMs } from './query.ts';

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
}

/** Searches the contents of files. What cannot be searched for is an error result that says why. */
export async function runGrep(args: GrepArguments, running: Running): Promise<ToolResult<GrepDetails>> {
  const { signal, onUpdate, context } = running;
  const query = await queryOf(args, context.where.cwd);
  if ('refused' in query) return errorResult(query.refused);
  const limit = args.limit ?? defaultLimit;
  const offset = Math.max(1, args.offset ?? 1);
  const shownPath = searching.shownPaths(query.shownRoot, context.where.cwd);
  const { accepts } = query;
  const shown = { offset, limit, context: query.context, shownPath, accepts, onGrow: () => updates.soon() };
  const page = createPage(shown);
  // What is found while the search goes on; the page has it in order.
  const preview = createPage(shown);
  const updates = searching.createUpdates(onUpdate, () => page.text || preview.text);
  try {
    const done = await search(query, { hits: page, preview }, running);
    signal.throwIfAborted();
    if ('refused' in done) return errorResult(done.refused);
    const path = query.file === undefined ? query.root : join(query.root, query.file);
    return told(page, { path, offset, query, shownPath, ...done });
  } finally {
    updates.stop();
  }
}

/** By ripgrep where there is one that works and knows the pattern, else by the built-in matcher. */
async function search(
  query: Query,
  pages: { readonly hits: Hits; readonly preview: Hits },
  { rg, context, signal }: Running,
): Promise<{ engine: Engine; ended: Ended } | Refusal> {
  // None of the folders that the globs name is there.
  if (query.folders.length === 0) return { engine: 'built-in', ended: nothing };
  const { needsRipgrep, needsScript } = query.pattern;
  const found = needsScript ? undefined : await searching.findRipgrep(rg);
  if (found !== undefined) {
    const end = await searchByRipgrep(found, query, pages, context, signal);
    if (end.state === 'ended') return { engine: 'ripgrep', ended: end.ended };
    if (end.state === 'refused') return { refused: `ripgrep does not take this pattern.\n${end.why}` };
  }
  if (needsRipgrep !== undefined) {
    const why = needsScript ? 'does not look around or refer back' : 'is not here';
    return {
      refused: `${needsRipgrep} in the pattern is known to ripgrep alone, which ${why}. Write the pattern without it.`,
    };
  }
  try {
    return { engine: 'built-in', ended: await searchBuiltIn(query, pages.hits, signal) };
  } catch (error) {
    if (!(error instanceof KernError) || error.code !== 'pattern_refused') throw error;
    return { refused: `${error.message}. ${error.hint ?? ''}`.trim() };
  }
}

const nothing: Ended = { unreadable: 0, timedOut: false, slow: [], large: [] };

// --- From arguments to a search ----------------------------------------------------------------------------------

async function queryOf(args: GrepArguments, cwd: string): Promise<(Query & { readonly shownRoot: string }) | Refusal> {
  const place = await searching.placeOf(args.path ?? '.', cwd);
  if (place.state === 'refused') return { refused: place.why };
  const pattern = patternOf(args);
  if ('refused' in pattern) return pattern;
  const files = await filesWanted(args);
  if ('refused' in files) return files;
  const root = realPath(place.folder);
  const isFile = place.state === 'file';
  if (isFile && (await isBinary(join(root, place.name))))
    return {
      refused: `${args.path} is not text but binary data. Use a program for it through bash, or \`strings\` for the text in it.`,
    };
  const folders = isFile ? [''] : foldersOf(root, files.included);
  const above = isFile ? [] : await Promise.all(folders.map((folder) => searching.rulesAbove(join(root, folder))));
  return {
    shownRoot: place.folder,
    root,
    file: isFile ? place.name : undefined,
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
async function filesWanted({ glob, include = [], exclude = [], type }: GrepArguments): Promise<FilesWanted | Refusal> {
  const given = (glob === undefined ? include : [glob, ...include]).flatMap(eachOf);
  const included = given.filter((one) => !one.startsWith('!')).map(belowFolder);
  const excluded = [...exclude, ...given.filter((one) => one.startsWith('!')).map((one) => one.slice(1))];
  const wrong = [...included, ...excluded].map(searching.whyNoGlob).find((why) => why !== undefined);
  if (wrong !== undefined) return { refused: `It was not searched: ${wrong}.` };
  const known = type === undefined ? undefined : fileType(type);
  if (known?.state === 'unknown') return { refused: known.why };
  const globs = await searching.createGlobs();
  const isIncluded = included.map((one) => globs.test(one));
  const isOfType = known?.globs.map((one) => globs.test(one)) ?? [];
  const isExcluded = excluded.map((one) => globs.above(one));
  return {
    included,
    accepts: (path) =>
      (isIncluded.length === 0 || isIncluded.some((fits) => fits(path))) &&
      (isOfType.length === 0 || isOfType.some((fits) => fits(path))) &&
      !isExcluded.some((fits) => fits(path)),
    names: known?.globs ?? namesOf(included),
    excluded: excluded.filter((one) => /^[\w./*-]+$/.test(one)),
  };
}

/** `*.ts,*.tsx` without braces is meant as two. */
const eachOf = (globs: string): readonly string[] =>
  /[{}]/.test(globs) ? [globs] : globs.split(/,\s*/).filter((glob) => glob !== '');

/** `src/` means what is in it. */
const belowFolder = (glob: string): string => (glob.endsWith('/') ? `${glob}**` : glob);

/** The names that files have that fit any of the globs, where that can be said in ripgrep's words. */
function namesOf(globs: readonly string[]): readonly string[] {
  const names = globs.map((glob) => glob.slice(glob.lastIndexOf('/') + 1));
  const isPlain = names.every((name) => /^(?:[\w.*?-]|\{[\w.*?,-]+\})+$/.test(name) && !name.includes('**'));
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
}

function told(page: Page, { path, offset, query, engine, ended, shownPath }: Done): ToolResult<GrepDetails> {
  const next = offset + page.shown;
  const notices = [pageNotice(page, offset), cutNotice(page), ...endNotices(page, ended, shownPath)];
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
  return textResult(searching.withNotices('No matches found', [hint, ...notices]), details);
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
  { binaries }: Page,
  { unreadable, timedOut, slow, large }: Ended,
  shownPath: (path: string) => string,
): readonly (string | undefined)[] {
  const list = (paths: readonly string[]): string => paths.map(shownPath).join(', ');
  return [
    ...binaries.map((path) => `${path} is binary from some point on; what follows was not searched.`),
    searching.unreadableNotice(unreadable),
    slow.length > 0 ? `The pattern takes too long on ${list(slow)}; make it simpler. Not all was searched.` : undefined,
    large.length > 0 ? `Too large to be searched across lines: ${list(large)}.` : undefined,
    timedOut ? `Stopped after ${searchLimitMs / 1000} s; there may be more. Search a smaller folder.` : undefined,
  ];
}
