import { stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { TrustItem } from 'kern/plugin';
import type { CustomTool, ExtensionModule, HookItem, McpServer } from './contract.ts';
import type { FoundItems, FoundKind } from './places.ts';

type Level = 'user' | 'project' | 'builtin' | 'session';

/**
 * What of a found item has to be trusted before it runs; undefined where it runs nothing, or is the person's own. Whoever
 * lists items and whoever runs them ask the gate for the same thing, so that what was seen is what is granted.
 */
export async function trustItemOf<K extends FoundKind>(
  kind: K,
  item: FoundItems[K],
  where: { readonly root: string; readonly level: Level },
): Promise<TrustItem | undefined> {
  if (where.level !== 'project') return undefined;
  const found: FoundItems[FoundKind] = item;
  switch (kind) {
    case 'hook':
      // A module is loaded by the host, which presents it so.
      return (found as HookItem).kind === 'module'
        ? ofCode(found as HookItem, where.root)
        : ofHook(found as HookItem, where.root);
    case 'mcp-server':
      return ofServer(found as McpServer, where.root);
    // Both are loaded by the host, which presents them so.
    case 'custom-tool':
    case 'extension-module':
      return ofCode(found as CustomTool | ExtensionModule, where.root);
    default:
      return undefined;
  }
}

const ofCode = ({ path }: { readonly path: string }, root: string): TrustItem => ({
  kind: 'plugin',
  id: relative(root, path).split(sep).join('/'),
  path,
});

async function ofHook(hook: HookItem, root: string): Promise<TrustItem> {
  const { name, path, event, matcher, kind, command, args, env, when } = hook;
  const id = `${event}:${matcher}:${name}`;
  const definition = { event, matcher, kind, command, args, env, when };
  const files = kind === 'command' ? await namedFiles([command ?? '', ...(args ?? [])], root) : [path];
  return { kind: 'hook', id, path, definition, files };
}

async function ofServer(server: McpServer, root: string): Promise<TrustItem> {
  const { name, path, transport, command, args, env, cwd, url, headers } = server;
  const definition = { transport, command, args, env, cwd, url, headers };
  return {
    kind: 'mcp',
    id: name,
    path,
    definition,
    files: await namedFiles([command ?? '', ...(args ?? [])], root, cwd),
  };
}

/** The files of the project that a line of a shell, or arguments, name: what they hold is a part of what would run. */
export async function namedFiles(texts: readonly string[], root: string, cwd = ''): Promise<readonly string[]> {
  const lines = texts.map((text) => text.replaceAll(projectFolder, root));
  // Quotes may stand around a whole line, a word with blanks, or a part of a word: `"$DIR"/check.sh`.
  const words = [...lines, ...lines.map((line) => line.replaceAll(/['"]/g, ''))]
    .flatMap((line) => [...line.split(/[\s'"`;|&<>(){}=,]+/), ...line.split(/['"]/)])
    .filter((word) => word !== '' && !word.startsWith('-') && word.length < 4096 && !word.includes('\0'));
  const from = [root, resolve(root, cwd)];
  const paths = new Set(
    words.flatMap((word) => (isAbsolute(word) ? [word] : from.map((folder) => resolve(folder, word)))),
  );
  const inside = [...paths].filter((path) => path.startsWith(root + sep));
  const there = await Promise.all(
    inside.map(async (path) => ((await stat(path).catch(() => undefined))?.isFile() === true ? [path] : [])),
  );
  return there.flat().toSorted();
}

/** How the neighbours call the folder of the project. */
const projectFolder =
  /\$\{?(?:CLAUDE_PROJECT_DIR|GEMINI_PROJECT_DIR|CURSOR_PROJECT_DIR|workspaceFolder|workspacePath)\}?/g;
