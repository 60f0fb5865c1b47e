import type { FileHandle } from 'node:fs/promises';
import { detectEncoding, errorResult, formatBytes, formatTruncation, textResult } from 'kern/contracts';
import { decoderTo8 } from './decoder.ts';
import { type CutLine, type Page, readLines } from './lines.ts';
import type { PageWanted, ReadResult, Source } from './result.ts';

export interface TextFound {
  readonly encoding: string;
  readonly bomBytes: number;
  /** Nobody said so: it is what the first bytes look like. */
  readonly isGuess: boolean;
  /** What they look like, where an encoding was asked for. `isAll`: there are no others. */
  readonly looks?: { readonly encoding: string; readonly isAll: boolean };
}

/** A page of a text file, decoded. */
export async function readText(
  handle: FileHandle,
  source: Source,
  found: TextFound,
  { offset, limit }: PageWanted,
  signal: AbortSignal,
): Promise<ReadResult> {
  const { path, real, size } = source;
  const read = async (encoding: string): Promise<Page> =>
    readLines(handle, {
      ...{ offset, limit, size, bomBytes: found.bomBytes },
      ...{ decode: await decoderTo8(encoding), signal },
    });
  let { encoding } = found;
  let page = await read(encoding);
  if (page.stray !== undefined && encoding === 'utf-8' && found.isGuess) {
    // What came before was plain ASCII: these are the first bytes that say more.
    encoding = (await detectEncoding(page.stray, true)).encoding;
    if (encoding !== 'utf-8') page = await read(encoding);
  }
  const details = { path: real, kind: 'text', size, encoding } as const;
  if (page.lines.length === 0 && page.totalLines === 0)
    return textResult('(empty file)', { ...details, totalLines: 0, truncated: false });
  if (page.lines.length === 0) {
    return errorResult(
      page.totalLines === undefined
        ? `${path} has fewer lines than ${offset}.`
        : `${path} has ${page.totalLines} ${page.totalLines === 1 ? 'line' : 'lines'}: there is no line ${offset}.`,
    );
  }
  const last = offset + page.lines.length - 1;
  const notices = [
    ...(encoding === 'utf-8' ? [] : [`[Decoded from ${encoding}${whoKeeps(encoding, found)}]`]),
    ...(page.stray !== undefined && encoding === 'utf-8'
      ? ['[Some bytes are no UTF-8 and shown as \ufffd; edit leaves them as they are.]']
      : []),
    ...noticeOf(page, source, { ...found, encoding }, offset, last),
  ];
  const text = page.lines.join('\n');
  return textResult(notices.length === 0 ? text : `${text}\n\n${notices.join('\n')}`, {
    ...details,
    lines: [offset, last],
    ...(page.totalLines === undefined ? {} : { totalLines: page.totalLines }),
    truncated: page.more || page.cutLine !== undefined,
  });
}

/** Whether edit and write will go by the encoding, too. Bytes that are UTF-8 are nothing else to them, whatever was asked. */
function whoKeeps(encoding: string, { looks }: TextFound): string {
  if (looks === undefined || looks.encoding === encoding) return '; edit and write keep it.';
  return looks.isAll && looks.encoding === 'utf-8'
    ? ', as asked. The file is valid UTF-8, and edit and write take it for that.'
    : `, as asked: edit goes by that, unless all of the file is UTF-8. write goes by what the file looks like: ${looks.encoding}.`;
}

function noticeOf(
  page: Page,
  { real, size }: Source,
  found: Pick<TextFound, 'encoding' | 'bomBytes'>,
  offset: number,
  last: number,
): readonly string[] {
  if (page.cutLine !== undefined) {
    const { bytes, isAll, restAt } = page.cutLine;
    const more = page.more ? ` Use offset=${last + 1} for what follows.` : '';
    return [
      `[Line ${last} is ${formatBytes(bytes)}${isAll ? '' : ' or more'}; its first ${formatBytes(restAt.inLine)} are shown. ${wayOn(page.cutLine, real, found)}${more}]`,
    ];
  }
  if (!page.more) return [];
  const { by, totalLines } = page;
  return [
    `[${formatTruncation({
      direction: 'head',
      ...(by === undefined ? {} : { by }),
      from: offset,
      to: last,
      ...(totalLines === undefined ? { totalBytes: size } : { totalLines }),
      nextOffset: last + 1,
    })}]`,
  ];
}

/** As much as one call of bash shows. */
const pieceBytes = 50_000;

/** How to get at the rest of a line: by its place in the file, which holds whatever ends the lines. */
function wayOn(
  { bytes, isAll, restAt }: CutLine,
  path: string,
  { encoding, bomBytes }: Pick<TextFound, 'encoding' | 'bomBytes'>,
): string {
  // A mark becomes one of UTF-8.
  const markBytes = bomBytes === 0 ? 0 : 3;
  const from = restAt.inFile + markBytes + 1;
  const rest = isAll ? bytes - restAt.inLine : Number.POSITIVE_INFINITY;
  const piece = (count: number): string =>
    encoding === 'utf-8'
      ? `tail -c +${from} ${quoted(path)} | head -c ${count}`
      : `iconv -f ${encoding} -t utf-8 ${quoted(path)} | tail -c +${from} | head -c ${count}`;
  return rest <= pieceBytes
    ? `Its rest: \`${piece(rest)}\`.`
    : `Its next ${pieceBytes} bytes: \`${piece(pieceBytes)}\`; then go on at +${from + pieceBytes}.`;
}

/** For a shell. An absolute path: nothing in it is taken for an option. */
const quoted = (path: string): string => (/^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);
