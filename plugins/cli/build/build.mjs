// Makes dist/: the kernel and the built-ins as JavaScript in chunks that load when needed, and their types.
// It is put together beside dist/ and moved there whole, so that nobody ever sees half a build.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'tsdown';
import { ascii } from './ascii.mjs';
import { chunkGroups } from './chunks.mjs';
import { extensionZod } from './extension-zod.mjs';
import { lightHeaders } from './light-headers.mjs';
import { plainBuiltins } from './plain-builtins.mjs';
import { sourceStamp, stampFile } from './stamp.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));

const entries = present({
  main: 'plugins/cli/main.ts',
  sdk: 'plugins/sdk.ts',
  plugin: 'kernel/index.ts',
  contracts: 'plugins/contracts.ts',
  testing: 'plugins/testing.ts',
});

// These find files of their own beside themselves at run time.
const apart = /^(jiti|vitest|@vscode\/ripgrep|@silvia-odwyer\/photon-node)(\/|$)/;

const work = path.join(root, `.build-${process.pid}`);
const stamp = sourceStamp(root);
const stampText = JSON.stringify({ times: stamp.times, content: stamp.content() });

try {
  await mkdir(work, { recursive: true });
  const failed = (await Promise.allSettled([bundle(), declarations()])).find(({ status }) => status === 'rejected');
  if (failed) throw failed.reason;
  await writeFile(stampFile(root, work), `${stampText}\n`);
  await replaceDist();
} finally {
  await rm(work, { recursive: true, force: true });
}

async function bundle() {
  if (Object.keys(entries).length === 0) return;
  await build({
    config: false,
    cwd: root,
    entry: entries,
    outDir: work,
    clean: false,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    dts: false,
    sourcemap: true,
    treeshake: true,
    hash: true,
    report: false,
    logLevel: 'warn',
    plugins: [extensionZod(), lightHeaders(), plainBuiltins(), ascii()],
    // kern's own names lead to the sources (the condition in package.json), so that all chunks share one kernel;
    // packages are bundled, so that they load quickly.
    deps: { neverBundle: [apart], alwaysBundle: (id) => !apart.test(id) && !id.startsWith('node:'), onlyBundle: false },
    outExtensions: () => ({ js: '.js' }),
    inputOptions: (options) => ({
      ...options,
      resolve: { ...options.resolve, conditionNames: ['kern-source', 'node', 'import', 'module', 'default'] },
    }),
    outputOptions: (options) => ({
      ...options,
      chunkFileNames: 'chunks/[name]-[hash].js',
      codeSplitting: { groups: chunkGroups(root) },
      comments: { legal: true, annotation: false, jsdoc: false },
    }),
  });
}

/** Types of what the entry points give. That they are right is what `npm run typecheck` says. */
async function declarations() {
  const { main: _main, ...typed } = entries;
  if (Object.keys(typed).length === 0) return;
  const project = path.join(work, 'tsconfig.json');
  await writeFile(
    project,
    JSON.stringify({
      extends: '../tsconfig.json',
      compilerOptions: { noEmit: false, emitDeclarationOnly: true, declaration: true, rootDir: '..', outDir: 'types' },
      files: Object.values(typed).map((file) => `../${file}`),
      include: [],
    }),
  );
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
  const child = spawn(process.execPath, [tsc, '-p', project], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', resolve);
  });
  await rm(project);
  if (!existsSync(path.join(work, 'types'))) throw new Error('tsc wrote no types: npm run typecheck says why');
}

async function replaceDist() {
  const dist = path.join(root, 'dist');
  const old = `${work}-old`;
  // Another build may have finished between the two steps; the later one wins.
  for (let attempt = 1; ; attempt++) {
    try {
      if (existsSync(dist)) await rename(dist, old);
      await rename(work, dist);
      break;
    } catch (error) {
      if (attempt === 5) throw error;
    } finally {
      await rm(old, { recursive: true, force: true });
    }
  }
}

function present(files) {
  return Object.fromEntries(Object.entries(files).filter(([, file]) => existsSync(path.join(root, file))));
}
