import { opendir } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { decodeText, encodeText } from './codec.ts';
import { editorConfigOf } from './editor-config.ts';
import { gitLineEnd } from './git-attributes.ts';
import { countLineEnds, type LineEnd, withLineEnd, withLineEndsOf } from './line-ends.ts';
import { startOfFile } from './small-file.ts';
import { hasRawBytes } from './utf8.ts';

/** How a text stands in its file. */
export interface StyledText {
  readonly bytes: Uint8Array;
  readonly encoding: string;
  readonly bom: boolean;
  /** The one line end of the file, if it has one. */
  readonly lineEnd: LineEnd | undefined;
  /** What asked for it, if that is not how the text was given: `.editorconfig`. */
  readonly because: string | undefined;
}

/** A whole new content in the place of an old one: encoding, byte order mark and line ends stay what they were. */
export async function replacementText(text: string, before: Uint8Array): Promise<StyledText> {
  const old = await decodeText(before).catch(() => undefined); // damaged: nothing to keep
  // What is no text has no style.
  if (old === undefined || old.text.includes('\0') || hasRawBytes(old.text))
    return styled(text, 'utf-8', false, undefined);
  const plain = old.bom ? withoutMark(text) : text;
  const made = withLineEndsOf(plain, old.text);
  return styled(made, old.encoding, old.bom, made === plain ? undefined : 'the file');
}

/** The content of a new file: line ends and encoding as .editorconfig, .gitattributes or the files beside it have them. */
export async function newFileText(text: string, path: string): Promise<StyledText> {
  const config = await editorConfigOf(path);
  const { encoding, bom } = charsets[config.get('charset') ?? ''] ?? { encoding: 'utf-8', bom: false };
  const plain = bom ? withoutMark(text) : text;
  const ends = countLineEnds(plain);
  const rule = await lineEndFor(path, config);
  // Different line ends in one text are meant. What only neighbours have does not overrule what was given.
  const follows = rule !== undefined && (rule.isRule ? ends.size === 1 : ends.size === 1 && ends.has('\n'));
  const made = follows ? withLineEnd(plain, rule.end) : plain;
  return styled(made, encoding, bom, made === plain ? undefined : rule?.because);
}

async function styled(text: string, encoding: string, bom: boolean, because: string | undefined): Promise<StyledText> {
  const ends = [...countLineEnds(text).keys()];
  const lineEnd = ends.length === 1 ? ends[0] : undefined;
  return { bytes: await encodeText(text, encoding, bom), encoding, bom, lineEnd, because };
}

const charsets: Readonly<Record<string, { readonly encoding: string; readonly bom: boolean }>> = {
  latin1: { encoding: 'iso-8859-1', bom: false },
  'utf-8': { encoding: 'utf-8', bom: false },
  'utf-8-bom': { encoding: 'utf-8', bom: true },
  'utf-16le': { encoding: 'utf-16le', bom: true },
  'utf-16be': { encoding: 'utf-16be', bom: true },
};

interface LineEndRule {
  readonly end: LineEnd;
  readonly because: string;
  /** Somebody wrote it down. */
  readonly isRule: boolean;
}

async function lineEndFor(path: string, config: ReadonlyMap<string, string>): Promise<LineEndRule | undefined> {
  const configured = editorEnds[config.get('end_of_line') ?? ''];
  if (configured !== undefined) return { end: configured, because: '.editorconfig', isRule: true };
  const git = await gitLineEnd(path);
  if (git !== undefined) return { end: git, because: '.gitattributes', isRule: true };
  const near = await lineEndBeside(path);
  return near === undefined ? undefined : { end: near, because: 'the files beside it', isRule: false };
}

const editorEnds: Readonly<Record<string, LineEnd>> = { lf: '\n', crlf: '\r\n', cr: '\r' };

/** The line end of most files of the same kind in the folder. Looks at a few. */
async function lineEndBeside(path: string): Promise<LineEnd | undefined> {
  const extension = extname(path).toLowerCase();
  const votes = new Map<LineEnd, number>();
  let seen = 0;
  let read = 0;
  try {
    for await (const entry of await opendir(dirname(path))) {
      seen += 1;
      if (seen > 2000 || read >= 20) break;
      if (!entry.isFile() || entry.name === basename(path) || extname(entry.name).toLowerCase() !== extension) continue;
      read += 1;
      const start = await startOfFile(join(dirname(path), entry.name), 4096);
      // A CR at the very end may have its LF behind it.
      const ends = [...countLineEnds(start?.toString('latin1').replace(/\r$/, '') ?? '').keys()];
      if (ends.length === 1 && ends[0] !== undefined) votes.set(ends[0], (votes.get(ends[0]) ?? 0) + 1);
    }
  } catch {
    return undefined; // the folder is new
  }
  const [first, second] = [...votes].sort(([, a], [, b]) => b - a);
  return first === undefined || first[1] === second?.[1] ? undefined : first[0];
}

const withoutMark = (text: string): string => (text.startsWith('\ufeff') ? text.slice(1) : text);
