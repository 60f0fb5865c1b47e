import { homedir } from 'node:os';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { Context, Where } from 'kern/plugin';
import { discoveryFiles } from './contract.ts';
import { foundCapabilities } from './discoverer.ts';
import type { FormatName, FoundKind, PlaceOptions, Places } from './places.ts';

/** What lies in folders that a person names. */
export interface NamedFolders<K extends FoundKind> extends Omit<Places, 'places' | 'folders' | 'replaces'> {
  readonly kind: K;
  readonly format: FormatName;
  readonly options?: PlaceOptions;
  /** Absolute, from `~`, or from the project's folder. */
  readonly paths: readonly string[];
}

/** Provides what lies in named folders. Those of the project are the project's, all others the person's. */
export function provideFolders<K extends FoundKind>(
  ctx: Pick<Context, 'provide' | 'use' | 'service'>,
  named: NamedFolders<K>,
): void {
  const { kind, id, displayName, description, priority } = named;
  const { schema } = foundCapabilities[kind];
  const known = new Map<string, ReadonlyMap<string, object>>();
  ctx.provide(foundCapabilities[kind], {
    id,
    displayName,
    description,
    priority,
    async load(where, signal, levels) {
      const { answer } = await import('./files/answer.ts');
      await ctx.use(discoveryFiles).load();
      const table = tableOf(named, where);
      return answer({ table, kind, schema, where, signal, levels, files: ctx.service(discoveryFiles), known });
    },
  });
}

function tableOf<K extends FoundKind>(
  { kind, format, options = {}, paths, ...table }: NamedFolders<K>,
  where: Where,
): Places {
  const places = paths.map((path) => ({ ...options, kind, format, path: placeOf(path, where) }));
  return { ...table, places: places as Places['places'] };
}

/** As a table has it: `$PROJECT/…` for what lies in the project, however it is written. */
function placeOf(written: string, { root, user = homedir() }: Where): string {
  const path = /^~(?:\/|$)/.test(written) ? join(user, written.slice(1)) : resolve(root, written);
  const way = relative(root, path);
  const isOutside = way === '' || way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way);
  return isOutside ? path : `$PROJECT/${way.split(sep).join('/')}`;
}
