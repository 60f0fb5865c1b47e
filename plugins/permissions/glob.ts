/**
 * A pattern over paths or names: `**` is anything, `*` and `?` stay within one part. Whoever hands in a path has made
 * it absolute and canonical, with `/` between its parts.
 */
export function pathGlob(pattern: string): (path: string) => boolean {
  const expression = new RegExp(
    `^${pattern.replace(/\*\*\/|\*\*|\*|\?|[^*?]+/g, pathToken)}$`,
    foldsCase ? 'isu' : 'su',
  );
  return (path) => expression.test(path);
}

/** A pattern over plain text: `*` is anything. */
export function textGlob(pattern: string): (text: string) => boolean {
  const expression = new RegExp(`^${pattern.split('*').map(escaped).join('.*')}$`, 'su');
  return (text) => expression.test(text);
}

/** Where the file system takes two spellings for one file, so must the rules. */
export const foldsCase = process.platform === 'darwin' || process.platform === 'win32';

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

function pathToken(token: string): string {
  if (token === '**/') return '(?:.*/)?';
  if (token === '**') return '.*';
  if (token === '*') return '[^/]*';
  return token === '?' ? '[^/]' : escaped(token);
}
