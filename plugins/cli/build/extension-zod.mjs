// Extensions get all of zod; kern itself uses a part of it. In one copy the whole would load at every start (15 ms of CPU
// measured on Node 24, a third of what else is loaded before the first command is known), so that extensions get a copy of
// their own, which loads when one of them asks. Schemas work across the two: zod keeps its registry and its settings on
// globalThis, and nothing is told apart by instanceof.
import { readFileSync } from 'node:fs';

const mark = '?extensions';
const whoAsks = /[\\/]plugins[\\/]cli[\\/]compose\.ts$/;

/** A plugin for the bundler: what compose.ts imports of zod, and all that imports in turn, are modules of their own. */
export function extensionZod() {
  return {
    name: 'extension-zod',
    async resolveId(source, importer, options) {
      if (importer === undefined) return null;
      const isOwn = importer.endsWith(mark);
      if (!isOwn && !(whoAsks.test(importer) && /^zod(\/|$)/.test(source))) return null;
      const from = isOwn ? importer.slice(0, -mark.length) : importer;
      const found = await this.resolve(source, from, { ...options, skipSelf: true });
      return found === null ? null : { ...found, id: `${found.id}${mark}` };
    },
    load(id) {
      return id.endsWith(mark) ? readFileSync(id.slice(0, -mark.length), 'utf8') : null;
    },
  };
}
