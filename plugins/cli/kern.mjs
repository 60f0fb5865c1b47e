#!/usr/bin/env node
// The bin. It has to be read by whatever Node the system has, so: no static import, no await at the top, nothing
// younger than Node 12 before the version check.

const argv = process.argv.slice(2);
const required = 24;

if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) printVersion();
else if (Number.parseInt(process.versions.node, 10) < required) runUnderBundledNode().catch(fail);
else run().catch(fail);

async function printVersion() {
  const fs = process.getBuiltinModule ? process.getBuiltinModule('fs') : await import('fs');
  const { version } = JSON.parse(fs.readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  process.stdout.write(`${version}\n`);
}

async function runUnderBundledNode() {
  const { fileURLToPath } = await import('url');
  const { bundledNode, launch } = await import('./launch.mjs');
  const here = fileURLToPath(import.meta.url);
  // A launcher above us means that the Node it chose is too old as well: going on would never end.
  const node = process.env.KERN_LAUNCHER_FD ? undefined : await bundledNode(here, required);
  if (node === undefined) {
    process.stderr.write(
      `kern needs Node ${required} or newer, and this is Node ${process.versions.node} (${process.execPath}).\n` +
        'Install it from https://nodejs.org, or with a version manager: nvm install 24, fnm install 24, mise use node@24.\n' +
        'In a checkout of kern, npm ci brings a Node of its own, which is then used.\n',
    );
    process.exitCode = 1;
    return;
  }
  await launch(node, [...process.execArgv, here, ...argv]);
}

async function run() {
  if (process.env.KERN_TIMING) performance.mark('kern:bin');
  // An import would load all that these can do, which takes milliseconds.
  const fs = process.getBuiltinModule('node:fs');
  const module = process.getBuiltinModule('node:module');
  if (process.env.KERN_LAUNCHER_FD) await import('./launched.mjs');
  await useCompileCache(fs, module);
  const url = entry(fs, module);
  if (url === undefined) {
    process.stderr.write(
      'kern: neither dist/ nor sources are here. Install kern again, or in a checkout: npm run build\n',
    );
    process.exitCode = 1;
    return;
  }
  const { main } = await import(url);
  process.exitCode = await main(argv);
}

/** Compiled code is kept in KERN_HOME; where that cannot be written, start is slower and nothing else changes. */
async function useCompileCache(fs, module) {
  try {
    const os = process.getBuiltinModule('node:os');
    const path = process.getBuiltinModule('node:path');
    const home = process.env.KERN_HOME || path.join(os.homedir(), '.kern');
    const folder = path.join(home, 'cache', 'compile');
    makeFolder(fs, path, folder);
    module.enableCompileCache(folder);
  } catch {
    // A read-only home, or none at all.
  }
}

/** Not by Node's `recursive`, which tries for ever under a file system that answers ENOENT to every mkdir: /proc. */
function makeFolder(fs, path, folder) {
  if (fs.existsSync(folder)) return;
  if (path.dirname(folder) !== folder) makeFolder(fs, path, path.dirname(folder));
  fs.mkdirSync(folder, { mode: 0o700 });
}

/** dist/ whenever it is there; the sources when they are asked for, or are all there is. */
function entry(fs, module) {
  const built = new URL('../../dist/main.js', import.meta.url);
  const source = new URL('./main.ts', import.meta.url);
  const hasSource = fs.existsSync(source);
  const fromSource = process.env.KERN_SOURCE === '1' ? hasSource : hasSource && !fs.existsSync(built);
  if (fromSource) {
    mapOwnNames(module);
    return source.href;
  }
  return fs.existsSync(built) ? built.href : undefined;
}

/** From the sources, kern's own names lead to the sources too: one kernel in the process. */
function mapOwnNames(module) {
  const names = new Map([
    ['kern', '../sdk.ts'],
    ['kern/plugin', '../../kernel/index.ts'],
    ['kern/contracts', '../contracts.ts'],
    ['kern/testing', '../testing.ts'],
  ]);
  module.registerHooks({
    resolve(specifier, context, next) {
      const file = names.get(specifier);
      return next(file === undefined ? specifier : new URL(file, import.meta.url).href, context);
    },
  });
}

function fail(error) {
  process.stderr.write(`kern: ${(error && (error.stack || error.message)) || error}\n`);
  process.exitCode = 1;
}
