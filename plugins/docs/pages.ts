import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

export interface Page {
  /** `extensions`: what `kern docs` takes. */
  readonly name: string;
  readonly title: string;
  readonly file: string;
}

/** The pages of a folder, in the order in which a newcomer reads them. */
export async function listPages(folder: string): Promise<readonly Page[]> {
  const names = (await readdir(folder)).filter((file) => file.endsWith('.md')).map((file) => file.slice(0, -3));
  const ordered = names.toSorted((a, b) => placeOf(a) - placeOf(b) || (a < b ? -1 : 1));
  return Promise.all(
    ordered.map(async (name): Promise<Page> => {
      const file = path.join(folder, `${name}.md`);
      return { name, title: titleOf(await readPage(file)) ?? name, file };
    }),
  );
}

export async function readPage(file: string): Promise<string> {
  return (await readFile(file, 'utf8')).replaceAll('\r\n', '\n');
}

const order = [
  ...['first-run', 'extensions', 'models', 'tools', 'sessions', 'permissions', 'trust', 'config', 'commands', 'hooks'],
  ...[
    'custom-tools',
    'packages',
    'capabilities',
    'providers',
    'discovery',
    'instructions',
    'json-mode',
    'troubleshooting',
    'contributing',
    'deviations',
  ],
];

/** A page that is not named here stands at the end. */
function placeOf(name: string): number {
  const place = order.indexOf(name);
  return place === -1 ? order.length : place;
}

/** The first heading. */
function titleOf(text: string): string | undefined {
  return /^# (.+)$/m.exec(text)?.[1];
}
