// The checks behind npm test, test:soak, lint and typecheck. Ends with one plain line: N passed, N failed.
import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Summary } from './reporter.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** A run that hangs ends: what the large counts take together, twice. */
const soakLimit = 1_500_000;

const [command, ...args] = process.argv.slice(2);
process.exitCode = (await run(command ?? '')) ? 0 : 1;

async function run(name: string): Promise<boolean> {
  if (name === 'typecheck') return shown('Type check', typecheck());
  if (name === 'lint')
    return (await shown('Lint', lint())) && (await vitest(['kernel/dependency-rule.test.ts'])).failed === 0;
  if (name === 'soak') return soak();
  if (name === 'test') return test();
  throw new Error(`run.ts knows test, soak, lint and typecheck, not ${name}`);
}

async function test(): Promise<boolean> {
  const checks = await Promise.all([shown('Type check', typecheck()), shown('Lint', lint())]);
  const failedChecks = checks.filter((passed) => !passed).length;
  const tests = await vitest(args);
  return conclude({ ...tests, failed: tests.failed + failedChecks });
}

/** Only the files that have large counts, with those. */
async function soak(): Promise<boolean> {
  const files = globSync('{kernel,plugins,extensions-examples}/**/*.test.ts', { cwd: root }).filter(isSoaked);
  if (files.length === 0) return conclude({ passed: 0, failed: 0, skipped: 0 });
  return conclude(await vitest([...files, ...args], { KERN_SOAK: '1' }, soakLimit));
}

function isSoaked(file: string): boolean {
  if (file.endsWith('.soak.test.ts')) return true;
  return /from '[^']*\/soak\.ts'/.test(readFileSync(path.join(root, file), 'utf8'));
}

function conclude({ passed, failed, skipped }: Summary): boolean {
  process.stdout.write(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`);
  return failed === 0;
}

interface Result {
  readonly code: number | null;
  readonly output: string;
}

function typecheck(): Promise<Result> {
  return script('typescript/bin/tsc', ['-p', root]);
}

function lint(): Promise<Result> {
  return script('@biomejs/biome/bin/biome', [
    'check',
    '--error-on-warnings',
    '--diagnostic-level=warn',
    '--max-diagnostics=20',
  ]);
}

/** A check speaks only when it fails. */
async function shown(name: string, check: Promise<Result>): Promise<boolean> {
  const { code, output } = await check;
  if (code === 0) return true;
  process.stdout.write(`${output.trim()}\n\n${name} failed\n\n`);
  return false;
}

async function vitest(files: readonly string[], env: NodeJS.ProcessEnv = {}, limit?: number): Promise<Summary> {
  const folder = mkdtempSync(path.join(tmpdir(), 'kern-tests-'));
  const summary = path.join(folder, 'summary.json');
  try {
    const end = await runVitest(files, { ...env, KERN_TEST_SUMMARY: summary }, limit);
    if (end === 'late') process.stdout.write(`The tests took longer than ${(limit ?? 0) / 1000} s and were ended\n`);
    const result = readSummary(summary);
    // vitest knows reasons to fail beside failed tests, a threshold for one.
    return end === 'failed' && result.failed === 0 ? { ...result, failed: 1 } : result;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readSummary(file: string): Summary {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Summary;
  } catch {
    process.stdout.write('vitest ended without a result\n');
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

function runVitest(
  files: readonly string[],
  env: NodeJS.ProcessEnv,
  limit?: number,
): Promise<'passed' | 'failed' | 'late'> {
  const bin = path.join(root, 'node_modules/vitest/vitest.mjs');
  // In a file or a pipe vitest would colour its report all the same.
  const colour = process.stdout.isTTY || process.env.FORCE_COLOR ? [] : ['--no-color'];
  const child = spawn(process.execPath, [bin, 'run', '--passWithNoTests', ...colour, ...files], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  return new Promise((resolve, reject) => {
    let late = false;
    const timer = limit && setTimeout(() => (late = child.kill('SIGKILL')), limit);
    child.on('error', reject);
    child.on('exit', (code) => {
      if (timer) clearTimeout(timer);
      resolve(late ? 'late' : code === 0 ? 'passed' : 'failed');
    });
  });
}

function script(bin: string, words: readonly string[]): Promise<Result> {
  const colour = process.stdout.isTTY ? { FORCE_COLOR: '1' } : {};
  const child = spawn(process.execPath, [path.join(root, 'node_modules', bin), ...words], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...colour },
  });
  let output = '';
  const keep = (text: string) => {
    output += text;
  };
  child.stdout.setEncoding('utf8').on('data', keep);
  child.stderr.setEncoding('utf8').on('data', keep);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}
