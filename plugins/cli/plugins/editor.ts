import { existsSync } from 'node:fs';
import path from 'node:path';

/** A tsconfig that leads an editor to kern's own types, so that nothing has to be installed beside an extension. */
export function editorConfig(root: string): string {
  const types = nodeTypes(root);
  const config = {
    compilerOptions: {
      target: 'es2024',
      lib: ['es2024', 'esnext.disposable', 'esnext.iterator', 'esnext.collection', 'esnext.array', 'esnext.promise'],
      module: 'nodenext',
      moduleResolution: 'nodenext',
      moduleDetection: 'force',
      strict: true,
      noUncheckedIndexedAccess: true,
      noEmit: true,
      skipLibCheck: true,
      allowImportingTsExtensions: true,
      erasableSyntaxOnly: true,
      verbatimModuleSyntax: true,
      resolveJsonModule: true,
      ...(types === undefined ? {} : { types: ['node'], typeRoots: [types] }),
      paths: Object.fromEntries(ownNames(root)),
    },
    include: ['**/*.ts', '**/*.mts'],
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}

/** kern's names and zod, each to a file of types: those of the build, or in a checkout without one the sources. */
function ownNames(root: string): readonly (readonly [string, readonly string[]])[] {
  const built = path.join(root, 'dist', 'types');
  const isBuilt = existsSync(path.join(built, 'plugins', 'testing.d.ts'));
  const own = (file: string): string => (isBuilt ? path.join(built, `${file}.d.ts`) : path.join(root, `${file}.ts`));
  const zod = packageFolder(root, 'zod');
  return [
    ['kern', [own('plugins/sdk')]],
    ['kern/plugin', [own('kernel/index')]],
    ['kern/contracts', [own('plugins/contracts')]],
    ['kern/testing', [own('plugins/testing')]],
    ...(zod === undefined
      ? []
      : ([
          ['zod', [path.join(zod, 'index.d.ts')]],
          ['zod/v4', [path.join(zod, 'v4', 'index.d.ts')]],
          ['zod/mini', [path.join(zod, 'mini', 'index.d.ts')]],
        ] as const)),
  ];
}

function nodeTypes(root: string): string | undefined {
  const folder = packageFolder(root, '@types/node');
  return folder === undefined ? undefined : path.dirname(folder);
}

/** Where a package of ours lies: with us, or beside us where we are installed as a package. */
export function packageFolder(root: string, name: string): string | undefined {
  for (let folder = root; ; folder = path.dirname(folder)) {
    const found = path.join(folder, 'node_modules', name);
    if (existsSync(path.join(found, 'package.json'))) return found;
    if (folder === path.dirname(folder)) return undefined;
  }
}
