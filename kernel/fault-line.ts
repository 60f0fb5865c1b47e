import { dirname, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** `file:line` in the folder of `file` where an error arose, as far as its stack says so. */
export function faultLine(error: unknown, file: string): string | undefined {
  const folder = dirname(file) + sep;
  // What a plugin threw is the cause of what is told of it.
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth += 1) {
    for (const [, url = '', line] of at.stack?.matchAll(/(file:\/\/[^\s()]+?):(\d+):\d+/g) ?? []) {
      const path = pathOf(url);
      if (path?.startsWith(folder) === true && !path.includes(`${sep}node_modules${sep}`)) return `${path}:${line}`;
    }
  }
  return undefined;
}

function pathOf(url: string): string | undefined {
  try {
    return fileURLToPath(url.replace(/[?#].*$/, ''));
  } catch {
    return undefined;
  }
}
