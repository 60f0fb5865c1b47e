import { constants, copyFileSync, existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { codeOf, KernError, messageOf } from '../error.ts';
import { replaceFile } from '../home.ts';
import { withLock } from '../trust/lock.ts';
import { moveText } from './edit.ts';
import { keyText } from './keys.ts';
import { type Layer, problemWith } from './layers.ts';
import { type ConfigNode, dig, type MapNode, withNode, withoutNode } from './node.ts';
import type { ConfigProblem } from './places.ts';
import type { Row } from './settings.ts';

/** A setting that stands in a file under a name it had before. */
export interface Rename {
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly node: ConfigNode;
}

/** What a file says, read with the names of today. Where it has both, the name of today counts. */
export function withNewNames(root: MapNode, rows: readonly Row[]): { root: MapNode; renames: readonly Rename[] } {
  const renames: Rename[] = [];
  let whole = root;
  for (const { was = [], path: to } of rows) {
    for (const old of was) {
      const from = to[0] === 'plugins' ? [...to.slice(0, 2), ...old.split('.')] : old.split('.');
      const { node } = dig(whole, from);
      if (node === undefined) continue;
      renames.push({ from, to, node });
      whole = withoutNode(whole, from);
      const { node: own, blocked } = dig(whole, to);
      if (own === undefined && blocked === undefined) whole = withNode(whole, to, node);
    }
  }
  return { root: whole, renames };
}

export function renameProblems(layer: Layer, renames: readonly Rename[]): readonly ConfigProblem[] {
  return renames.map(({ from, to, node }) => problemWith(layer, node, keyText(from), `is called ${keyText(to)} now`));
}

/** What became of a file with old names. */
export interface Migrated {
  readonly file: string;
  /** The file as it was. */
  readonly backup: string;
  readonly renames: readonly Rename[];
}

/** Writes the names of today into the file, beside a copy of what it was. */
export function migrateFile(name: string, home: string, renames: readonly Rename[], today: string): Promise<Migrated> {
  // A link stays one.
  const file = realpathSync.native(name);
  return withLock(path.join(home, 'config.lock'), async () => {
    let text = readFileSync(file, 'utf8');
    for (const { from, to } of renames) text = await moveText(text, from, to, file.endsWith('.json'));
    const backup = freeName(`${file}.bak-${today}`);
    try {
      copyFileSync(file, backup, constants.COPYFILE_EXCL);
      await replaceFile(file, text, statSync(file).mode & 0o777);
    } catch (cause) {
      throw new KernError(
        codeOf(cause) ?? 'config_unreadable',
        `${file} has names of an older kern, and cannot be rewritten: ${messageOf(cause)}`,
        {
          hint: `Write ${keyText(renames[0]?.to ?? [])} for ${keyText(renames[0]?.from ?? [])}.`,
          cause,
        },
      );
    }
    return { file, backup, renames };
  });
}

function freeName(name: string): string {
  for (let count = 2, free = name; ; count++) {
    if (!existsSync(free)) return free;
    free = `${name}-${count}`;
  }
}
