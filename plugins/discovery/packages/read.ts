import { join } from 'node:path';
import {
  type At,
  type FoundItems,
  type FoundKind,
  type FoundText,
  isFields,
  lockedPackages,
  type PackageParts,
  readAs,
} from 'kern/contracts';

/** The items of one kind of all packages of a lock file. A package whose files are not those that were installed has none. */
export async function partsOf<K extends FoundKind>(at: At, kind: K, name: string): Promise<readonly FoundItems[K][]> {
  const content = await at.files.json(at.path);
  if (content === undefined) return [];
  const packages = await lockedPackages(content, { ...at.where, file: at.path, level: at.level });
  if ('wrong' in packages) {
    at.files.warn(at.path, packages.wrong);
    return [];
  }
  const found = await Promise.all(packages.list.map((one) => itemsOf(one, at, kind, name)));
  return found.flat();
}

async function itemsOf<K extends FoundKind>(
  one: PackageParts,
  at: At,
  kind: K,
  name: string,
): Promise<readonly FoundItems[K][]> {
  const { folder } = one;
  const others = await Promise.all(
    Object.entries(one.others).map(async ([id, file]) => [id, await at.files.json(join(folder, file))] as const),
  );
  const stated = one.stated(await at.files.json(join(folder, 'package.json')), Object.fromEntries(others));
  const part = one.kinds.find((known) => known.name === name);
  if (part === undefined) return [];
  const spots = await Promise.all(
    (stated.paths[name] ?? []).map(async (path) => {
      const full = join(folder, path);
      return { path: full, kind: await at.files.kind(full) };
    }),
  );
  const there = spots.filter((spot) => spot.kind !== undefined);
  const servers = name === 'mcpServers' ? stated.servers : undefined;
  if (there.length === 0 && servers === undefined) return [];
  const wrong = await one.whatIsWrong();
  if (wrong !== undefined) {
    at.files.warn(folder, `${wrong.message}; ${wrong.hint}`);
    return [];
  }
  const env = { CLAUDE_PLUGIN_ROOT: folder, KERN_PACKAGE_ROOT: folder };
  const items = await Promise.all(
    there.map(async (spot): Promise<readonly object[]> => {
      const isFolder = spot.kind === 'folder';
      if (kind === 'mcp-server') return serversIn(await at.files.json(spot.path), spot.path);
      if (kind === 'hook' && !isFolder) {
        const data = await at.files.json(spot.path);
        const events = isFields(data) && isFields(data.hooks) ? data.hooks : data;
        return at.make.hooks(events, spot.path, { dialect: stated.dialect, env });
      }
      const format = kind === 'hook' ? 'hook-files' : part.format;
      const options = {
        ...at.options,
        ...(part.deep === undefined ? {} : { deep: part.deep }),
        dialect: stated.dialect,
        hooks: stated.dialect,
      };
      const read = await readAs({ ...at, path: spot.path, isFolder, options }, kind, format);
      return stated.isForeign ? Promise.all(read.map((item) => rooted(item, folder, at))) : read;
    }),
  );
  const inside = servers === undefined ? [] : serversIn(servers, join(folder, 'package.json'));
  return [...items.flat(), ...inside] as readonly FoundItems[K][];

  function serversIn(data: unknown, path: string): readonly object[] {
    const map = isFields(data) && isFields(data.mcpServers) ? data.mcpServers : data;
    return at.make.mcpServers(map, path, { root: folder, variables: env });
  }
}

/** A text of a plugin of Claude Code, with the folder of its plugin put in. */
async function rooted<T extends object>(item: T, folder: string, { make }: At): Promise<T> {
  if (!('read' in item && 'path' in item)) return item;
  const { path } = item as T & FoundText;
  const read = await make.reader(path, async (now) =>
    (await now.head(path))?.body.replaceAll(/\$\{CLAUDE_PLUGIN_ROOT\}/g, () => folder),
  );
  return { ...item, read };
}
