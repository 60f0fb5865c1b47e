import path from 'node:path';
import { type FoundKind, foundCapabilities } from 'kern/contracts';
import type { Capability, Entry, PluginDefinition } from 'kern/plugin';
import { bootKernel, type TestKernel } from 'kern/testing';
import { type Folder, folderWith } from './folder.ts';

/**
 * A place as a file of the corpus tells it. Before the first file stand words about it and, if need be, `cwd: <folder>` and
 * `env: NAME=value`; then come the files, each below a line `-- <path> --`: `project/…`, `home/…` and `kern/…`. In them
 * `<project>` and `<home>` are those folders.
 */
export interface Case {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, string>>;
}

export function readCase(text: string): Case {
  const [head = '', ...parts] = text.split(/^-- (.+) --\n/m);
  const files: Record<string, string> = {};
  for (let at = 0; at < parts.length; at += 2) files[parts[at] ?? ''] = parts[at + 1] ?? '';
  const env = [...head.matchAll(/^env: (\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]);
  return { cwd: /^cwd: (.*)$/m.exec(head)?.[1] ?? '', env: Object.fromEntries(env), files };
}

/** What all providers find in a place: won, shadowed, invalid, and what they warn of. */
export async function tableOf({ cwd, files }: Case, plugins: readonly PluginDefinition[]): Promise<string> {
  using folder = folderWith({ 'project/.git/HEAD': '', 'home/x': '', 'kern/x': '' });
  const absolute = (text: string): string =>
    text.replaceAll(/<(project|home)>/g, (_, name: string) => path.join(folder.path, name));
  folder.put(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, absolute(text)])));
  await using t = await bootKernel(plugins);
  const view = t.kernel.view({
    cwd: path.join(folder.path, 'project', cwd),
    root: path.join(folder.path, 'project'),
    home: path.join(folder.path, 'kern'),
    user: path.join(folder.path, 'home'),
  });
  const lines: string[] = [];
  for (const kind of Object.keys(foundCapabilities) as FoundKind[]) {
    // Of all of them alike only what every item has is looked at.
    const reader = view.use(foundCapabilities[kind] as unknown as Capability<unknown>);
    await reader.load();
    const entries = reader.entries();
    if (entries.length === 0) continue;
    lines.push(kind);
    for (const entry of entries) lines.push(...(await linesOf(entry, folder)));
    lines.push('');
  }
  lines.push('warnings', ...warningsOf(t, plugins, folder));
  return `${lines.join('\n').trimEnd()}\n`;
}

async function linesOf({ item, key, origin, verdict }: Entry<unknown>, folder: Folder): Promise<readonly string[]> {
  const { name: _, path: file = '', level: __, ...data } = item as Record<string, unknown> & { path?: string };
  const why =
    verdict.state === 'shadowed'
      ? ` by ${verdict.by.provider} (${verdict.by.level})`
      : verdict.state === 'invalid'
        ? `: ${verdict.issues.join('; ')}`
        : '';
  const { read, ...rest } = data as { read?: () => Promise<string> };
  const facts = JSON.stringify(rest);
  const text = verdict.state === 'won' && read !== undefined ? await read() : undefined;
  return [
    `  ${verdict.state}${why}: ${short(key ?? '(no key)', folder)} | ${origin.provider}, ${origin.level} | ${short(file, folder)}`,
    ...(facts === '{}' ? [] : [`      ${short(facts, folder)}`]),
    ...(text === undefined ? [] : [`      = ${short(JSON.stringify(text), folder)}`]),
  ];
}

const warningsOf = ({ kernel }: TestKernel, plugins: readonly PluginDefinition[], folder: Folder): readonly string[] =>
  plugins
    .flatMap(({ id }) => kernel.warnings(id.replace('discovery.', '')))
    .map((warning) => `  ${short(warning, folder)}`)
    .filter((line, at, all) => all.indexOf(line) === at)
    .toSorted();

/** Paths as people write them. */
function short(text: string, folder: Folder): string {
  return text
    .replaceAll(path.join(folder.path, 'project'), '.')
    .replaceAll(path.join(folder.path, 'home'), '~')
    .replaceAll(path.join(folder.path, 'kern'), '$KERN_HOME')
    .replaceAll(/(plugin-data\/[\w.-]+)-[0-9a-f]{8}/g, '$1-<project>');
}
