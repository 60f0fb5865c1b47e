import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

// Workers, and the Node processes that tests start, take kern's own names from the sources too: one kernel.
const condition = '--conditions=kern-source';

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
    exclude: ['**/node_modules/**', '**/fixtures/**', 'dist/**'],
    pool: 'forks',
    maxWorkers: 2,
    env: { NODE_OPTIONS: [process.env.NODE_OPTIONS, condition].filter(Boolean).join(' ') },
    testTimeout: 20_000,
    hookTimeout: 20_000,
    teardownTimeout: 5_000,
  },
});
