import { codeOf, messageOf } from 'kern/plugin';

const words: Readonly<Record<string, string>> = {
  EACCES: 'no permission to write in',
  EPERM: 'no permission to write in',
  EROFS: 'only reading is possible in',
  ENOSPC: 'no room is left on the disk of',
  EDQUOT: 'no more may be stored in',
  ENOTDIR: 'this is not a folder:',
  ENOENT: 'nothing can be made in',
  EIO: 'the disk fails at',
};

/** Why something could not be written, for people: the same words for the same cause, whichever file was under way. */
export function writeFault(error: unknown, folder: string): string {
  const code = codeOf(error);
  const said = code === undefined ? undefined : words[code];
  return said === undefined ? messageOf(error) : `${said} ${folder} (${code})`;
}
