import { relative, sep } from 'node:path';
import type { At, Rule } from 'kern/contracts';

/** A rule is named by its place: `back:style`; one that has a folder of its own, by that folder. */
export async function cursorRules({ path: folder, make }: At): Promise<readonly Rule[]> {
  const entries = await make.below(folder, { depth: 4 });
  const files = entries.filter(({ name, kind }) => kind === 'file' && /.\.mdc?$/.test(name));
  const found = await Promise.all(
    files.map(({ path }) => {
      const parts = relative(folder, path)
        .replace(/\.mdc?$/, '')
        .split(sep);
      const isFolder = parts.length > 1 && parts.at(-1) === 'RULE';
      return make.rule(path, { name: (isFolder ? parts.slice(0, -1) : parts).join(':') });
    }),
  );
  return found.filter((rule) => rule !== undefined);
}
