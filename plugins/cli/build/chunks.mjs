// Which modules share a file of dist/. Rolldown makes a chunk of every import() and of everything that two of them share;
// each costs a start half a millisecond. So what every run needs comes in few files.
import { existsSync } from 'node:fs';
import path from 'node:path';

/** What every command needs: the kernel, the manifests of the built-ins and what those are written with. */
const base = ['kernel/index.ts', 'plugins/index.ts'];

/** What is loaded on the way to the first reply of a model, whichever it is. */
const turn = [
  'plugins/agent/index.ts',
  'plugins/appearance/index.ts',
  'plugins/cli/run/index.ts',
  'plugins/cli/run/run.ts',
  'plugins/hooks/index.ts',
  'plugins/models/bridge/run.ts',
  'plugins/models/index.ts',
  'plugins/modes/index.ts',
  'plugins/modes/print/index.ts',
  'plugins/permissions/index.ts',
  'plugins/prompt/index.ts',
  'plugins/prompt/sections.ts',
  'plugins/sessions/index.ts',
  'plugins/sessions/read/file.ts',
  'plugins/sessions/stores.ts',
  'plugins/skills/index.ts',
  'plugins/skills/listing.ts',
  'plugins/skills/offered.ts',
  'plugins/slash/index.ts',
  'plugins/tools/edit/index.ts',
  'plugins/tools/index.ts',
];

// The part of zod that schemas are made and checked with. The rest is for extensions: languages, compiled schemas.
const zodInUse =
  /[\\/]zod[\\/]v4[\\/](core[\\/](api|checks|core|doc|errors|json-schema-processors|memoizer|parse|regexes|registries|schemas|standard-schema|to-json-schema|util|versions)|classic[\\/](checks|errors|iso|parse|schemas)|locales[\\/]en)\.js$/;

/** The groups of `output.codeSplitting`. Throws where a file of the lists is not there any more. */
export function chunkGroups(root) {
  return [
    { name: 'zod', priority: 4, includeDependenciesRecursively: false, test: zodInUse },
    { name: 'zod-rest', priority: 3, includeDependenciesRecursively: false, test: /[\\/]zod[\\/]/ },
    { name: 'base', priority: 2, test: isOneOf(root, base) },
    { name: 'turn', priority: 1, test: isOneOf(root, turn) },
  ];
}

function isOneOf(root, files) {
  const missing = files.filter((file) => !existsSync(path.join(root, file)));
  if (missing.length > 0) throw new Error(`chunks.mjs lists ${missing.join(', ')}, which is not there`);
  const paths = new Set(files.map((file) => path.join(root, file)));
  return (id) => paths.has(path.normalize(id));
}
