import type { SessionStorage } from 'kern/contracts';
import { KernError } from 'kern/plugin';
import { currentVersion } from './header.ts';
import { LineSplitter } from './lines.ts';
import { Scan } from './scan.ts';
import { LineSource, longestLine } from './source.ts';

/** Of a line no more than this is looked at, unless it has to be parsed. */
const glanceBytes = 4 * 1024;

/** Reads a file from its beginning to its end, once. */
export async function scanned(
  storage: Pick<SessionStorage, 'read' | 'readSync'>,
  path: string,
  options: { readonly signal?: AbortSignal | undefined; readonly isThorough?: boolean | undefined },
): Promise<Scan> {
  const isThorough = options.isThorough === true;
  const scan = new Scan(path, new LineSource(storage, path), isThorough);
  const splitter = new LineSplitter(isThorough ? longestLine : glanceBytes, (line) => scan.line(line), {
    word: 'parentId"',
  });
  for await (const chunk of storage.read(path, options.signal)) splitter.push(chunk);
  splitter.end();
  scan.finish();
  if (scan.isForeign) {
    throw new KernError(
      'session_unreadable',
      `${path} is no session: nothing in it looks like one of kern, pi or oh-my-pi`,
      {
        hint: '`kern sessions import` takes over transcripts of other programs',
      },
    );
  }
  const { version } = scan.heading;
  if (!(version <= currentVersion)) {
    scan.repair(
      1,
      'unknown-version',
      `the version is ${Number.isNaN(version) ? 'unknown' : version}, newer than ${currentVersion}: the session can only be read`,
    );
  }
  return scan;
}
