import { randomInt } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { Report } from './plugins/cli/test/reporter.ts';

const source = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

// Node processes that tests start take kern's own names from the sources too: one kernel.
const nodeOptions = [process.env.NODE_OPTIONS, '--conditions=kern-source'].filter(Boolean).join(' ');

// They start hundreds of times: compiled once, they take two fifths less.
const compiled = source('./node_modules/.cache/kern-tests');

const soak = process.env.KERN_SOAK === '1';
const seed = process.env.KERN_SEED ?? String(randomInt(2 ** 31));
const notes = path.join(tmpdir(), `kern-test-notes-${process.pid}`);
const strict = process.env.KERN_CI_STRICT === '1' || process.env.CI === 'true';

const tests = '{kernel,plugins,extensions-examples}/**/*.test.ts';
const ignored = ['**/node_modules/**', '**/fixtures/**', 'dist/**', ...(soak ? [] : ['**/*.soak.test.ts'])];

/**
 * Tests share processes, as no module of ours has a state: it saves a third of the time. Those that change what is the
 * process's own, or load code through its one module registry, have one each.
 */
const apart = globSync(tests, { cwd: source('.'), exclude: ['**/{node_modules,fixtures}/**'] })
  .map((file) => file.split(path.sep).join('/'))
  .filter((file) => file.startsWith('kernel/host/') || isApart(readFileSync(source(`./${file}`), 'utf8')));

function isApart(text: string): boolean {
  const ofProcess =
    /process\.(env(\.\w+|\[.*?\])? = |(chdir|emit|exitCode|getActive\w+|memoryUsage|on|once|seteuid|stderr|stdin|stdout|umask)\b)/;
  const ofAll = /\bvi\.(doMock|mock|spyOn|stub\w+|useFakeTimers)\b|delete process\.env|globalThis|registerHooks/;
  return ofProcess.test(text) || ofAll.test(text);
}

export default defineConfig({
  resolve: {
    alias: [
      { find: /^kern$/, replacement: source('./plugins/sdk.ts') },
      { find: /^kern\/plugin$/, replacement: source('./kernel/index.ts') },
      { find: /^kern\/contracts$/, replacement: source('./plugins/contracts.ts') },
      { find: /^kern\/testing$/, replacement: source('./plugins/testing.ts') },
    ],
    conditions: ['kern-source', 'node'],
  },
  ssr: { resolve: { conditions: ['kern-source', 'node'] } },
  test: {
    projects: [
      { extends: true, test: { name: 'shared', isolate: false, include: [tests], exclude: [...ignored, ...apart] } },
      { extends: true, test: { name: 'apart', include: apart, exclude: ignored } },
    ],
    pool: 'forks',
    // Three for two processors: many tests wait for something.
    maxWorkers: 3,
    env: { NODE_OPTIONS: nodeOptions, NODE_COMPILE_CACHE: compiled, KERN_SEED: seed, KERN_TEST_NOTES: notes },
    reporters: ['default', new Report({ notes, seed, strict, summary: process.env.KERN_TEST_SUMMARY })],
    testTimeout: soak ? 170_000 : 20_000,
    hookTimeout: 20_000,
    teardownTimeout: 5_000,
  },
});
