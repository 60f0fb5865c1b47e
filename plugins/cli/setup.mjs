// What every npm script of a checkout runs first: it installs and builds what is missing, then goes on under Node 24.
// It runs under the system's own Node and with nothing installed, hence the old syntax and no package.
import { spawn } from 'child_process';
import fs from 'fs';
import path from 'path';
import { fileURLToPath } from 'url';
import { finished, install, isInstalled } from './build/install.mjs';
import { isBuilt } from './build/stamp.mjs';
import { bundledNode, launch } from './launch.mjs';

const required = 24;
const here = fileURLToPath(import.meta.url);
const root = path.resolve(path.dirname(here), '..', '..');
const kern = path.join(root, 'plugins', 'cli', 'kern.mjs');
const checks = path.join(root, 'plugins', 'cli', 'test', 'run.ts');
const biome = path.join(root, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');

/** One a script in package.json. `dist` says that it needs the build; `run` what comes after. */
const commands = {
  start: { dist: true, run: start },
  dev: { run: (node, args) => kernIn(userFolder(), node, args, { KERN_SOURCE: '1' }) },
  test: { dist: true, run: (node, args) => tool(node, [checks, 'test'].concat(args)) },
  soak: { dist: true, run: (node, args) => tool(node, [checks, 'soak'].concat(args)) },
  lint: { run: (node, args) => tool(node, [checks, 'lint'].concat(args)) },
  typecheck: { run: (node, args) => tool(node, [checks, 'typecheck'].concat(args)) },
  build: { run: (node) => build(node) },
  fmt: { run: (node, args) => tool(node, [biome, 'format', '--write', '.'].concat(args)) },
  fix: { run: (node, args) => tool(node, [biome, 'check', '--write', '.'].concat(args)) },
  bench: { dist: true, run: (node, args) => kernIn(root, node, ['bench'].concat(args)) },
  docs: { dist: true, run: (node, args) => kernIn(root, node, ['docs', 'generate'].concat(args)) },
};

main(process.argv.slice(2)).catch((error) => {
  process.stderr.write(`kern: ${error.message}\n`);
  process.exitCode = 1;
});

async function main(words) {
  const command = commands[words[0]];
  if (command === undefined) {
    throw new Error(`setup.mjs knows ${Object.keys(commands).join(', ')}, not ${words[0] || 'an empty command'}`);
  }
  if (!isInstalled(root)) {
    const first = !fs.existsSync(path.join(root, 'node_modules'));
    say(`installing dependencies (${first ? 'first run' : 'they have changed'})…`);
    await install(root);
  }
  const node = await findNode();
  if (command.dist && !isBuilt(root)) {
    say(`building (${fs.existsSync(path.join(root, 'dist')) ? 'sources have changed' : 'first run'})…`);
    await build(node);
  }
  await command.run(node, words.slice(1));
}

/** The first run that shows something: the demo where nobody can be asked, else kern itself. */
function start(node, args) {
  if (args.length > 0) return kernIn(userFolder(), node, args);
  if (!process.stdin.isTTY || !process.stdout.isTTY) return kernIn(userFolder(), node, ['demo']);
  return kernIn(userFolder(), node, [], { KERN_FIRST_RUN: '1' });
}

async function findNode() {
  const node = await bundledNode(here, required);
  if (node !== undefined) return node;
  if (Number.parseInt(process.versions.node, 10) >= required) return process.execPath;
  throw new Error(
    `Node ${required} should have come with the packages, but its install script did not run ` +
      `(--ignore-scripts, perhaps). Allow it and run: npm rebuild node — or use Node ${required} or newer yourself`,
  );
}

function build(node) {
  const script = path.join(root, 'plugins', 'cli', 'build', 'build.mjs');
  return finished(spawn(node, [script], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] }), 'the build');
}

function kernIn(folder, node, args, env) {
  return launch(node, [kern].concat(args), { cwd: folder, env });
}

/** Tools find each other through PATH, as under npm. */
function tool(node, args) {
  const bin = path.join(root, 'node_modules', '.bin');
  const env = { PATH: [bin, path.dirname(node), process.env.PATH].filter(Boolean).join(path.delimiter) };
  return launch(node, ['--import', new URL('./launched.mjs', import.meta.url).href].concat(args), { cwd: root, env });
}

/** npm runs its scripts in the package's folder and notes where the person was. */
function userFolder() {
  return process.env.INIT_CWD || process.cwd();
}

function say(line) {
  process.stderr.write(`kern: ${line}\n`);
}
