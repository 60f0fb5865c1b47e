import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test as plain } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const old = olderNode();
// The old Node is not a program a test can install: where there is none, this cannot be shown.
const why = old === undefined ? ' (needs a Node older than 24 on PATH)' : '';
const underOldNode = plain.skipIf(old === undefined);

/** What the copy's main does, by its first word. */
const main = `
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
export async function main([word, ...rest]) {
  const stay = () => new Promise((resolve) => { console.log('ready ' + process.pid); setTimeout(resolve, 60_000); });
  if (word === 'show') {
    const child = spawnSync('sh', ['-c', 'test -e /dev/fd/3 && echo open || echo closed; echo "\${KERN_LAUNCHER_FD-hidden}"']);
    console.log(JSON.stringify({ major: parseInt(process.versions.node), rest, child: String(child.stdout).trim().split('\\n') }));
    return 7;
  }
  if (word === 'copy') { for await (const text of process.stdin) process.stdout.write(text); return 0; }
  if (word === 'stay') await stay();
  if (word === 'count') {
    let count = 0;
    let asked = 0;
    process.on('SIGINT', () => console.log('int ' + ++count));
    process.on('SIGUSR2', () => console.log('usr ' + ++asked));
    process.on('SIGTERM', () => process.exit(143));
    await stay();
  }
  if (word === 'orderly') {
    process.on('SIGTERM', () => setTimeout(() => { if (rest[0]) writeFileSync(rest[0], 'ended in order'); process.exit(143); }, 20));
    process.on('SIGINT', () => process.exit(130));
    await stay();
  }
  return 0;
}
`;

/** A copy of the package that holds the bin and a main of ours. */
function copy(options: { readonly node?: boolean; readonly dist?: boolean } = {}): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'kern-bin-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  mkdirSync(path.join(folder, 'plugins/cli'), { recursive: true });
  for (const file of ['kern.mjs', 'launch.mjs', 'launched.mjs']) {
    cpSync(path.join(root, 'plugins/cli', file), path.join(folder, 'plugins/cli', file));
  }
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ name: 'kern', version: '9.8.7', type: 'module' }));
  if (options.dist !== false) write(folder, 'dist/main.js', main);
  if (options.node !== false) {
    mkdirSync(path.join(folder, 'node_modules'));
    symlinkSync(path.join(root, 'node_modules/node'), path.join(folder, 'node_modules/node'), 'junction');
  }
  return folder;
}

function write(folder: string, file: string, text: string): void {
  mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
  writeFileSync(path.join(folder, file), text);
}

function environment(folder: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    KERN_HOME: path.join(folder, 'home'),
    KERN_SOURCE: '',
    KERN_LAUNCHER_FD: '',
    NODE_COMPILE_CACHE: undefined,
  };
}

function run(
  node: string,
  folder: string,
  args: readonly string[],
  options: { input?: string; env?: NodeJS.ProcessEnv } = {},
) {
  return spawnSync(node, [path.join(folder, 'plugins/cli/kern.mjs'), ...args], {
    encoding: 'utf8',
    input: options.input ?? '',
    timeout: 15_000,
    killSignal: 'SIGKILL',
    env: { ...environment(folder), ...options.env },
  });
}

interface Running {
  readonly child: ChildProcess;
  /** The process under the bundled Node. */
  readonly inner: number;
  /** Waits until the output has this. */
  has(text: string): Promise<void>;
  output(): string;
}

/** Starts a copy under the old Node in a process group of its own, and waits until its main runs. */
async function start(args: readonly string[]): Promise<Running> {
  const folder = copy();
  const child = spawn(old ?? 'node', [path.join(folder, 'plugins/cli/kern.mjs'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: environment(folder),
    detached: true,
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  const has = async (wanted: string): Promise<void> => {
    while (!text.includes(wanted)) await once(child.stdout, 'data');
  };
  onTestFinished(() => killGroup(child.pid));
  await has('ready ');
  await has('\n');
  return { child, inner: Number(/ready (\d+)/.exec(text)?.[1]), has, output: () => text };
}

async function end(child: ChildProcess): Promise<{ code: number | null; signal: string | null }> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return { code: child.exitCode, signal: child.signalCode };
}

async function gone(pid: number): Promise<void> {
  while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 10));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false; // no such process
  }
  // A process nobody waits for stays in the table as a zombie.
  const stat = `/proc/${pid}/stat`;
  return !existsSync(stat) || !/\) Z /.test(readFileSync(stat, 'utf8'));
}

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // All of them have ended.
  }
}

function olderNode(): string | undefined {
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter((folder) => folder !== '');
  const nodes = folders.map((folder) => path.join(folder, 'node')).filter((file) => existsSync(file));
  return nodes.find((node) => {
    const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout ?? '';
    return Number.parseInt(version.slice(1), 10) < 24;
  });
}

plain('--version is answered with nothing but the bin and package.json', () => {
  const folder = copy({ node: false, dist: false });
  for (const node of [process.execPath, ...(old === undefined ? [] : [old])]) {
    for (const flag of ['--version', '-V']) {
      const { stdout, stderr, status } = run(node, folder, [flag]);
      expect({ stdout, stderr, status }).toEqual({ stdout: '9.8.7\n', stderr: '', status: 0 });
    }
  }
});

underOldNode(`an older Node hands over to the bundled one, with arguments, streams and exit code${why}`, () => {
  const folder = copy();
  const { stdout, stderr, status } = run(old ?? '', folder, ['show', '--a', 'b c']);
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual({ major: 24, rest: ['--a', 'b c'], child: ['closed', 'hidden'] });
  expect(status).toBe(7);
  expect(run(old ?? '', folder, ['copy'], { input: 'through\nstdin' }).stdout).toBe('through\nstdin');
});

underOldNode(`without a bundled Node the message says which version is needed and how to get it${why}`, () => {
  const { stdout, stderr, status } = run(old ?? '', copy({ node: false }), ['show']);
  expect(status).toBe(1);
  expect(stdout).toBe('');
  expect(stderr).toMatch(/^kern needs Node 24 or newer, and this is Node \d+/);
  expect(stderr).toContain('nodejs.org');
});

underOldNode(`a signal to the launcher reaches main, whose exit code is passed on${why}`, async () => {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    const { child } = await start(['orderly']);
    child.kill(signal);
    expect(await end(child)).toEqual({ code, signal: null });
  }
});

underOldNode(`a signal nobody handles ends both in the same way${why}`, async () => {
  const passedOn = await start(['stay']);
  passedOn.child.kill('SIGHUP');
  expect(await end(passedOn.child)).toEqual({ code: null, signal: 'SIGHUP' });
  const direct = await start(['stay']);
  process.kill(direct.inner, 'SIGTERM');
  expect(await end(direct.child)).toEqual({ code: null, signal: 'SIGTERM' });
});

underOldNode(`a Ctrl-C, which the terminal sends to both, reaches main once${why}`, async () => {
  const { child, has, output } = await start(['count']);
  // A signal that comes while the same one waits is lost. Of those that wait, the launcher gets the lower number first:
  // when it has passed this one on, its SIGINT was passed on before.
  const isHandled = async (nth: number): Promise<void> => {
    child.kill('SIGUSR2');
    await has(`usr ${nth}\n`);
  };
  process.kill(-(child.pid ?? 0), 'SIGINT');
  await has('int 1\n');
  await isHandled(1);
  expect(output()).not.toContain('int 2');
  process.kill(-(child.pid ?? 0), 'SIGINT');
  await has('int 2\n');
  await isHandled(2);
  child.kill('SIGINT');
  await has('int 3\n');
  child.kill('SIGTERM');
  expect(await end(child)).toEqual({ code: 143, signal: null });
  expect(output()).not.toContain('int 4');
});

underOldNode(`when the launcher is killed, main takes its SIGTERM path and is gone${why}`, async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'kern-bin-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const marker = path.join(folder, 'marker');
  const { child, inner } = await start(['orderly', marker]);
  child.kill('SIGKILL');
  await end(child);
  await gone(inner);
  expect(readFileSync(marker, 'utf8')).toBe('ended in order');
});

underOldNode(`when the launcher is killed, a main without a SIGTERM path is gone too${why}`, async () => {
  const { child, inner } = await start(['stay']);
  child.kill('SIGKILL');
  await end(child);
  await gone(inner);
});

plain('dist is run when it is there, the sources when they are asked for or all there is', () => {
  const folder = copy();
  write(
    folder,
    'plugins/cli/main.ts',
    "export async function main(): Promise<number> { console.log('source'); return 3; }",
  );
  expect(run(process.execPath, folder, ['show']).status).toBe(7);
  expect(run(process.execPath, folder, ['show'], { env: { KERN_SOURCE: '1' } })).toMatchObject({
    stdout: 'source\n',
    status: 3,
  });
  rmSync(path.join(folder, 'dist'), { recursive: true });
  expect(run(process.execPath, folder, [])).toMatchObject({ stdout: 'source\n', status: 3 });
  rmSync(path.join(folder, 'plugins/cli/main.ts'));
  const neither = run(process.execPath, folder, []);
  expect(neither.status).toBe(1);
  expect(neither.stderr).toContain('npm run build');
});

plain('from the sources every name of our own leads to the one kernel', () => {
  const folder = copy({ dist: false });
  write(folder, 'kernel/index.ts', 'export const kernel: object = {};');
  write(folder, 'plugins/contracts.ts', "export { kernel as fromContracts } from 'kern/plugin';");
  write(folder, 'plugins/testing.ts', "export { kernel as fromTesting } from '../kernel/index.ts';");
  write(folder, 'plugins/sdk.ts', "export { fromContracts as fromSdk } from 'kern/contracts';");
  write(
    folder,
    'plugins/cli/main.ts',
    `import { kernel } from 'kern/plugin';
     import { fromTesting } from 'kern/testing';
     export async function main(): Promise<number> {
       const { fromSdk } = await import('kern');
       console.log(kernel === fromSdk, kernel === fromTesting);
       return 0;
     }`,
  );
  // The condition that tests run with would lead there as well.
  expect(run(process.execPath, folder, [], { env: { NODE_OPTIONS: '' } })).toMatchObject({
    stdout: 'true true\n',
    stderr: '',
  });
});

plain('compiled code is kept in a private home, and a home that cannot be written costs nothing', () => {
  const folder = copy();
  expect(run(process.execPath, folder, ['show']).status).toBe(7);
  expect(statSync(path.join(folder, 'home')).mode & 0o777).toBe(0o700);
  expect(existsSync(path.join(folder, 'home/cache/compile'))).toBe(true);
  const file = path.join(folder, 'package.json');
  expect(run(process.execPath, folder, ['show'], { env: { KERN_HOME: file } })).toMatchObject({
    stderr: '',
    status: 7,
  });
});

plain('a main that throws is reported on stderr and exits 1', () => {
  const folder = copy();
  write(folder, 'dist/main.js', "export async function main() { throw new Error('no way'); }");
  const { stdout, stderr, status } = run(process.execPath, folder, []);
  expect({ stdout, status }).toEqual({ stdout: '', status: 1 });
  expect(stderr).toMatch(/^kern: Error: no way/);
});
