import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { vi } from 'vitest';
import { openRegistry, type Registry } from './registry.ts';

/** A tool that says a word, as an extension without imports. */
export const saying = (id: string, word: string): string =>
  `export default { id: '${id}', setup: (ctx) => ctx.contribute({ token: 'capability', id: 'tool' }, { name: '${id}', description: 'x', inputSchema: { type: 'object' }, effects: () => [], execute: async () => ({ content: [{ type: 'text', text: ${JSON.stringify(word)} }] }) }) };\n`;

/** The package.json of a package with one extension. */
export const manifestOf = (name: string, version: string, more: Readonly<Record<string, unknown>> = {}) => ({
  name,
  version,
  type: 'module',
  kern: { extensions: ['./index.js'] },
  ...more,
});

/** Writes the files of a folder. */
export function writeAll(folder: string, files: Readonly<Record<string, string>>): string {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  return folder;
}

/** A registry that npm is pointed at, and a cache of its own for it. */
export async function openShop(): Promise<Registry> {
  const registry = await openRegistry();
  const folder = mkdtempSync(path.join(tmpdir(), 'kern-npm-'));
  // Where npm has started kern, what npm says in the environment is not the person's, and is left out.
  vi.stubEnv('npm_lifecycle_event', undefined);
  vi.stubEnv('npm_config_registry', registry.url);
  vi.stubEnv('npm_config_cache', path.join(folder, 'cache'));
  vi.stubEnv('npm_config_userconfig', path.join(folder, 'npmrc'));
  vi.stubEnv('npm_config_fetch_retries', '0');
  return {
    ...registry,
    [Symbol.asyncDispose]: async () => {
      vi.unstubAllEnvs();
      await registry[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** Whether a program runs here. */
export const isThere = (program: string): boolean =>
  spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;
