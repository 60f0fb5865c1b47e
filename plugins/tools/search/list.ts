import { outputLimits } from '../truncate.ts';

/** Lines of a result, collected until one of its limits is reached. */
export interface List {
  /** False where there is no room for it: then the list is full. */
  add(line: string): boolean;
  readonly length: number;
  /** What stopped it. */
  readonly fullBy: 'limit' | 'bytes' | undefined;
  text(): string;
}

export function createList(limit: number, limits: { readonly bytes: number } = outputLimits): List {
  const lines: string[] = [];
  let bytes = 0;
  let fullBy: List['fullBy'];
  return {
    add(line) {
      const size = Buffer.byteLength(line) + 1;
      if (lines.length === limit) fullBy ??= 'limit';
      else if (bytes + size > limits.bytes && lines.length > 0) fullBy ??= 'bytes';
      if (fullBy !== undefined) return false;
      lines.push(line);
      bytes += size;
      return true;
    },
    get length() {
      return lines.length;
    },
    get fullBy() {
      return fullBy;
    },
    text: () => lines.join('\n'),
  };
}

/** What follows a result, after a blank line: each of them on a line, in brackets, as read does it. */
export function withNotices(text: string, notices: readonly (string | undefined)[]): string {
  const said = notices.filter((notice) => notice !== undefined).map((notice) => `[${notice}]`);
  return said.length === 0 ? text : `${text}\n\n${said.join('\n')}`;
}

/** How many folders, or files, could not be looked into. */
export function unreadableNotice(count: number): string | undefined {
  if (count === 0) return undefined;
  return count === 1 ? '1 path could not be read.' : `${count} paths could not be read.`;
}
