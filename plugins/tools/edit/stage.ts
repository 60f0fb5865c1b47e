import { constants, type Stats } from 'node:fs';
import { lstat, open, stat } from 'node:fs/promises';
import { formatOver, newFileText, readableText, realPath, whatIsThere } from 'kern/contracts';
import { codeOf, KernError, messageOf } from 'kern/plugin';
import { type Applied, applyEdits } from './apply.ts';
import { withoutNames } from './copied-names.ts';
import { createFinder } from './find.ts';
import { type Alignment, align, changedUnder } from './fresh.ts';
import { applyLines, taggedLine } from './hash-lines.ts';
import { applyHunks } from './hunks.ts';
import { lineTexts, type Splice, spliced } from './lines.ts';
import { type Patch, patchOf } from './patch.ts';
import type { FileRequest } from './request.ts';
import { resolverOf } from './resolve-anchor.ts';
import type { Run, Seen } from './seen.ts';
import { bytesAfter, newSource, type Source, sourceAsRead, sourceOf } from './source.ts';

/** One file of a call, ready to be written. */
export interface Staged {
  readonly op: FileRequest['op'];
  /** As it was given; where another spelling was found for it, what was found. */
  readonly path: string;
  readonly absolute: string;
  readonly moveTo?: { readonly path: string; readonly absolute: string } | undefined;
  readonly before: Buffer | undefined;
  readonly after: Buffer | undefined;
  readonly source: Source;
  readonly splices: readonly Splice[];
  readonly patch: Patch;
  /** What the model had seen of it, placed in the file as it is. */
  readonly alignments: readonly Alignment[];
  /** How many edits it was. */
  readonly edits: number;
  /** What is to be said of it beside that. */
  readonly remarks: readonly string[];
}

/** Why a file was not changed, and the lines that were shown with that. */
export class Refusal extends KernError {
  readonly shown: Run | undefined;
  constructor(text: string, shown?: Run) {
    super('edit_refused', text);
    this.shown = shown;
  }
}

export interface Staging {
  readonly absolute: (path: string) => string;
  /** How the file at a path is called in the answer. */
  readonly named: (path: string) => string;
  readonly maxBytes: number;
  readonly diff: typeof import('diff');
  readonly seen: (absolute: string) => Seen;
}

/** Works out one file, and writes nothing. */
export async function stage(
  file: FileRequest,
  { absolute: resolve, named, maxBytes, diff, seen }: Staging,
): Promise<Staged> {
  const absolute = resolve(file.path);
  const path = named(file.path);
  if (file.op === 'create') {
    if (await isThere(absolute))
      throw new Refusal(`${path} is there already: change it, or replace all of it with write.`);
    if (!file.content.isWellFormed()) throw new Refusal(`${path}: half a character is in it (a lone surrogate).`);
    const { bytes, encoding, bom } = await newFileText(file.content, realPath(absolute));
    const after = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    if (after.length > maxBytes) throw new Refusal(wouldBeTooLarge(path, after.length, maxBytes));
    const source = newSource('');
    const { text } = await sourceOf(after, bom ? undefined : encoding);
    const splices = [{ start: 0, end: 0, text }];
    const patch = patchOf(path, '', splices, diff.structuredPatch, '/dev/null');
    const isAllPlus = text !== '' && lineTexts(text).every((line) => line.startsWith('+'));
    const remarks = isAllPlus ? ['every line begins with +, as it was given'] : [];
    const staged = { op: 'create', path, absolute, before: undefined, after, source, splices, patch } as const;
    return { ...staged, alignments: [], edits: 1, remarks };
  }
  const moveTo = file.op === 'update' && file.moveTo !== undefined ? file.moveTo : undefined;
  if (file.op === 'delete' || moveTo !== undefined) await refuseLink(absolute, path, moveTo);
  if (moveTo !== undefined && (await isThere(resolve(moveTo))))
    throw new Refusal(`${moveTo} is there already: ${path} was not renamed.`);
  const before = await contentOf(absolute, path, maxBytes);
  const known = seen(absolute);
  if (file.op === 'delete') {
    const source = await anySource(before, known.encoding);
    const splices = source.text === '' ? [] : [{ start: 0, end: source.text.length, text: '' }];
    const patch = deletion(path, source.text, splices, diff.structuredPatch);
    const staged = { op: 'delete', path, absolute, before, after: undefined, source, splices, patch } as const;
    return { ...staged, alignments: [], edits: 1, remarks: [] };
  }
  const source = await sourceAsRead(before, known.encoding);
  const alignments = alignmentsOf(source.text, known);
  const applied = appliedTo(source.text, file, alignments, diff.diffArrays);
  if (!applied.ok) throw new Refusal(`${path} was not changed.\n${applied.problems.join('\n')}`, applied.shown);
  const after = applied.splices.length === 0 ? before : await bytesAfter(source, applied.splices);
  if (after.length > maxBytes && after.length > before.length)
    throw new Refusal(wouldBeTooLarge(path, after.length, maxBytes));
  const patch = patchOf(moveTo ?? path, source.text, applied.splices, diff.structuredPatch, path);
  return {
    op: 'update',
    path,
    absolute,
    moveTo: moveTo === undefined ? undefined : { path: moveTo, absolute: resolve(moveTo) },
    before,
    after,
    source,
    splices: applied.splices,
    patch,
    alignments,
    edits: file.by.kind === 'hunks' ? file.by.hunks.length : file.by.edits.length,
    remarks: [
      ...(path === file.path ? [] : [`given as ${file.path}`]),
      ...(asksForOtherEnds(source.text, file) ? ['line ends as the file has them'] : []),
    ],
  };
}

/** CRLF was given, and there is none. */
const asksForOtherEnds = (source: string, { by }: Extract<FileRequest, { op: 'update' }>): boolean =>
  by.kind === 'texts' && by.edits.some(({ newText }) => newText.includes('\r\n')) && !source.includes('\r\n');

type Outcome =
  | { readonly ok: true; readonly splices: readonly Splice[] }
  | { readonly ok: false; readonly problems: readonly string[]; readonly shown?: Run | undefined };

function appliedTo(
  source: string,
  { by, moveTo }: Extract<FileRequest, { op: 'update' }>,
  alignments: readonly Alignment[],
  diff: typeof import('diff').diffArrays,
): Outcome {
  if (by.kind === 'lines') {
    if (by.edits.length === 0 && moveTo !== undefined) return { ok: true, splices: [] };
    const anchors = resolverOf(shownLines(source), alignments);
    const edits = by.edits.map((edit) =>
      withoutNames(
        edit,
        alignments.map(({ run }) => run),
      ),
    );
    const unclear = edits.flatMap((edit, at) =>
      typeof edit === 'string' ? [`${edits.length === 1 ? 'The edit' : `edits[${at}]`}: ${edit}`] : [],
    );
    if (unclear.length > 0) return { ok: false, problems: unclear };
    const plain = edits.filter((edit) => typeof edit !== 'string');
    const applied = applyLines(source, plain, anchors.resolve, diff);
    if (applied.ok || anchors.stale() === undefined) return applied;
    const shown = anchors.stale();
    const lines = shown?.lines.map((text, at) => taggedLine(shown.from + at, text)).join('\n') ?? '';
    return { ok: false, problems: [...applied.problems, `The lines are now:\n${lines}`], shown };
  }
  if (by.kind === 'hunks') {
    if (by.hunks.length === 0 && moveTo !== undefined) return { ok: true, splices: [] };
    return applyHunks(source, by.hunks, diff);
  }
  const applied = applyEdits(source, by.edits, diff);
  return applied.ok ? unlessChanged(source, applied, alignments) : applied;
}

/** A place that is not as the model was shown it may be another one than it means: it gets to see it first. */
function unlessChanged(
  source: string,
  applied: Applied & { readonly ok: true },
  alignments: readonly Alignment[],
): Outcome {
  if (alignments.every(({ gaps }) => gaps.length === 0)) return applied;
  const { view } = createFinder(source);
  for (const change of applied.changes) {
    const gap = changedUnder(change, alignments, view());
    if (gap === undefined) continue;
    const from = Math.max(1, gap.from - 2);
    const lines = shownLines(source).slice(from - 1, gap.to + 1);
    const shown = lines.map((line, at) => `${from + at}: ${line}`).join('\n');
    return {
      ok: false,
      problems: [
        `${change.name}: the file has changed since it was read, just where oldText is (line ${gap.from}${gap.to - 1 > gap.from ? ` to ${gap.to - 1}` : ''}). It is now:\n${shown}\nIf the edit is still right, send it again.`,
      ],
      shown: { from, lines },
    };
  }
  return applied;
}

function alignmentsOf(text: string, { runs }: Seen): readonly Alignment[] {
  if (runs.length === 0) return [];
  const fresh = shownLines(text);
  return runs.map((run) => align(run, fresh));
}

/** The lines as read shows them. */
const shownLines = (text: string): readonly string[] => lineTexts(readableText(text));

/** The lines after the change. */
export const linesAfter = ({ source, splices }: Staged): readonly string[] => shownLines(spliced(source.text, splices));

function deletion(
  path: string,
  text: string,
  splices: readonly Splice[],
  diff: typeof import('diff').structuredPatch,
): Patch {
  const patch = patchOf('/dev/null', text, splices, diff, path);
  return splices.length === 0 ? { diff: '', patch: '', firstChangedLine: 1, hunks: [], isWhole: true } : patch;
}

/** What is deleted need not be text. */
async function anySource(bytes: Buffer, encoding: string | undefined): Promise<Source> {
  const isText = !bytes.subarray(0, 8192).includes(0);
  if (!isText || bytes.length > 1_000_000) return newSource('');
  return sourceAsRead(bytes, encoding).catch(() => newSource(''));
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch {
    return false;
  }
}

async function refuseLink(absolute: string, path: string, moveTo: string | undefined): Promise<void> {
  const found = await lstat(absolute).catch(() => undefined);
  if (found?.isSymbolicLink() === true)
    throw new Refusal(
      `${path} is a symlink: ${moveTo === undefined ? 'deleting' : 'renaming'} it here could leave what it leads to, or break it. Use bash.`,
    );
}

/** The bytes of a file, if it is one and not too large. */
async function contentOf(absolute: string, path: string, maxBytes: number): Promise<Buffer> {
  try {
    checkFile(await stat(absolute), path, maxBytes);
    // Something else may stand there by now: opening a pipe without this waits for its writer.
    const handle = await open(absolute, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      checkFile(await handle.stat(), path, maxBytes);
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof KernError) throw error;
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR')
      throw new Refusal(
        `${path} is not there. ${whatIsThere(absolute).replace(/[^.?]$/, '$&.')} A new file is made with write.`,
      );
    throw new Refusal(`${path} could not be read: ${code === 'EACCES' ? 'this user may not' : messageOf(error)}`);
  }
}

function checkFile(found: Stats, path: string, maxBytes: number): void {
  if (found.isDirectory()) throw new Refusal(`${path} is a folder, not a file.`);
  if (!found.isFile()) throw new Refusal(`${path} is a pipe, a socket or a device, not a file.`);
  if (found.size <= maxBytes) return;
  const [size, limit] = formatOver(found.size, maxBytes);
  throw new Refusal(`${path} has ${size}; edit takes files up to ${limit}. Use sed or a program through bash.`);
}

function wouldBeTooLarge(path: string, bytes: number, maxBytes: number): string {
  const [size, limit] = formatOver(bytes, maxBytes);
  return `${path} would have ${size}; the most is ${limit}.`;
}
