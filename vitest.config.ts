import { randomInt } from 'node:crypto';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { Report } from './plugins/cli/test/reporter.ts';

const source = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

// Node processes that tests start take kern's own names from the sources too: one kernel.
const nodeOptions = [process.env.NODE_OPTIONS, '--conditions=kern-source'].filter(Boolean).join(' ');

const soak = process.env.KERN_SOAK === '1';
const seed = process.env.KERN_SEED ?? String(randomInt(2 ** 31));
const notes = path.join(tmpdir(), `kern-test-notes-${process.pid}`);
const strict = process.env.KERN_CI_STRICT === '1' || process.env.CI === 'true';

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
    include: ['{kernel,plugins,extensions-examples}/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/fixtures/**', 'dist/**', ...(soak ? [] : ['**/*.soak.test.ts'])],
    pool: 'forks',
    maxWorkers: 2,
    env: { NODE_OPTIONS: nodeOptions, KERN_SEED: seed, KERN_TEST_NOTES: notes },
    reporters: ['default', new Report({ notes, seed, strict, summary: process.env.KERN_TEST_SUMMARY })],
    testTimeout: soak ? 170_000 : 20_000,
    hookTimeout: 20_000,
    teardownTimeout: 5_000,
  },
});
