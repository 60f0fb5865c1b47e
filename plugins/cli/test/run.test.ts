import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));

// Each runs all the tools, on machines of any speed.
vi.setConfig({ testTimeout: 90_000 });

/** A checkout that holds these tests and nothing else but the tools. */
function checkout(tests: Record<string, string>): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'kern-run-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  for (const file of ['package.json', 'tsconfig.json', 'vitest.config.ts', '.biome.json']) {
    cpSync(path.join(root, file), path.join(folder, file));
  }
  mkdirSync(path.join(folder, 'plugins/cli/test'), { recursive: true });
  for (const file of ['needs.ts', 'notes.ts', 'reporter.ts', 'run.ts', 'soak.ts']) {
    cpSync(path.join(root, 'plugins/cli/test', file), path.join(folder, 'plugins/cli/test', file));
  }
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'), 'junction');
  mkdirSync(path.join(folder, 'kernel'));
  for (const [file, text] of Object.entries(tests)) writeFileSync(path.join(folder, 'kernel', file), text);
  return folder;
}

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly last: string | undefined;
}

async function run(folder: string, command: string, env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const own = { KERN_SOAK: '', KERN_SEED: '7', KERN_CI_STRICT: '', CI: '', KERN_TEST_NOTES: '', KERN_TEST_SUMMARY: '' };
  const child = spawn(process.execPath, [path.join(folder, 'plugins/cli/test/run.ts'), command], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ...own, ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, stdout, last: stdout.trimEnd().split('\n').at(-1) };
}

const passing = "import { expect, test } from 'vitest';\n\ntest('one', () => expect(1).toBe(1));\n";

test('a good run ends with how many passed, and exits 0', async () => {
  expect(await run(checkout({ 'a.test.ts': passing }), 'test')).toMatchObject({ code: 0, last: '1 passed, 0 failed' });
});

test('a type error, a lint error, a test file that does not load and a failed test count one each', async () => {
  const folder = checkout({
    'a.test.ts': passing,
    'load.test.ts': "throw new Error('does not load');\n",
    'type.ts': "export const number: number = 'text';\n",
    'lint.ts': 'export const value = 1 as any;\n',
    'fails.test.ts': "import { test } from 'vitest';\n\ntest('two', () => {\n  throw new Error('no');\n});\n",
  });
  const { code, stdout, last } = await run(folder, 'test');
  expect(last).toBe('1 passed, 4 failed');
  expect(code).toBe(1);
  expect(stdout).toContain('kernel/type.ts(1,14): error TS2322');
  expect(stdout).toContain('noExplicitAny');
});

const needy = `import { expect, test } from 'vitest';
import { needs } from '../plugins/cli/test/needs.ts';

const node = needs('node', 'nodejs');
const absent = needs('kern-absent-program', 'kern-absent');
test.skipIf(node.skip)(\`runs\${node.name}\`, () => expect(node.name).toBe(''));
test.skipIf(absent.skip)(\`searches\${absent.name}\`, () => {});
`;

test('what is skipped for a missing program is named, and where that is not allowed it fails the run', async () => {
  const folder = checkout({ 'needs.test.ts': needy });
  const skipped = await run(folder, 'test');
  expect(skipped).toMatchObject({ code: 0, last: '1 passed, 0 failed, 1 skipped' });
  expect(skipped.stdout).toContain(
    'skipped: kernel/needs.test.ts > searches (needs kern-absent-program, Debian package kern-absent)',
  );
  const strict = await run(folder, 'test', { CI: 'true' });
  expect(strict).toMatchObject({ code: 1, last: '1 passed, 1 failed, 1 skipped' });
  expect(strict.stdout).toContain(
    'failed: kernel/needs.test.ts needs kern-absent-program, which is not there: apt-get install kern-absent',
  );
});

const random = `import { expect, test } from 'vitest';
import { counts, seed } from '../plugins/cli/test/soak.ts';

test('random', () => expect([counts({ test: 2, soak: 2000 }), seed()]).toEqual([2, 7]));
`;

test('soak runs the files with large counts only, and a failure names the seed that repeats it', async () => {
  const folder = checkout({ 'a.test.ts': passing, 'random.test.ts': random });
  expect(await run(folder, 'test')).toMatchObject({ code: 0, last: '2 passed, 0 failed' });
  const soaked = await run(folder, 'soak');
  expect(soaked).toMatchObject({ code: 1, last: '0 passed, 1 failed' });
  expect(soaked.stdout).toContain('seed: KERN_SEED=7 repeats the random tests of kernel/random.test.ts');
});

test('every script of package.json is one that setup.mjs knows', () => {
  const scripts: Record<string, string> = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')).scripts;
  const setup = readFileSync(path.join(root, 'plugins/cli/setup.mjs'), 'utf8');
  for (const script of Object.values(scripts)) {
    const word = /^node plugins\/cli\/setup\.mjs (\w+)$/.exec(script)?.[1];
    expect(setup).toMatch(new RegExp(`^  ${word}: \\{`, 'm'));
  }
});
