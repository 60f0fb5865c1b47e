import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Rolldown } from 'tsdown';
import { expect, onTestFinished, test } from 'vitest';

const { extensionZod }: { extensionZod(): Rolldown.Plugin } = await import(
  new URL('extension-zod.mjs', import.meta.url).href
);

const root = path.resolve(import.meta.dirname, '..', '..', '..');

/** A house as small as can be: kern's own part uses a little of zod, extensions are given all of it. */
async function bundled(): Promise<{ readonly entry: string; readonly files: ReadonlyMap<string, string> }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'kern-zod-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(path.join(folder, 'plugins', 'cli'), { recursive: true });
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'), 'dir');
  const entry = path.join(folder, 'plugins', 'cli', 'main.ts');
  writeFileSync(
    entry,
    `import { z } from 'zod';
     export const describe = (schema: unknown) => z.toJSONSchema(schema as z.ZodType, { io: 'input' });
     export const own = z.object({ inner: z.string() });
     export const forExtensions = async () => (await import('./compose.ts')).hostZod();`,
  );
  writeFileSync(path.join(folder, 'plugins', 'cli', 'compose.ts'), `export const hostZod = () => import('zod');`);
  const out = path.join(folder, 'out');
  await build({
    config: false,
    cwd: folder,
    entry: { main: entry },
    outDir: out,
    platform: 'node',
    format: 'esm',
    dts: false,
    report: false,
    logLevel: 'silent',
    deps: { alwaysBundle: [/zod/], onlyBundle: false },
    plugins: [extensionZod()],
    outExtensions: () => ({ js: '.mjs' }),
  });
  const files = readdirSync(out).map((file) => [file, readFileSync(path.join(out, file), 'utf8')] as const);
  return { entry: path.join(out, 'main.mjs'), files: new Map(files) };
}

test('kern carries the part of zod that it uses, and extensions get all of it from a copy', async () => {
  const { entry, files } = await bundled();
  const isWhole = (file: string): boolean => /\$ZodTemplateLiteral/.test(files.get(file) ?? '');
  expect(startOf('main.mjs', files).filter(isWhole)).toEqual([]);
  expect([...files.keys()].some(isWhole)).toBe(true);
  const { describe, own, forExtensions } = await import(pathToFileURL(entry).href);
  const { z } = await forExtensions();
  // Each reads the other's schemas.
  const theirs = z.object({ name: z.string().min(2).describe('who'), own: own.optional() });
  expect(describe(theirs)).toMatchObject({
    properties: { name: { type: 'string', minLength: 2, description: 'who' }, own: { type: 'object' } },
    required: ['name'],
  });
  expect(theirs.safeParse({ name: 'Ada', own: { inner: 'x' } }).success).toBe(true);
  expect(theirs.safeParse({ name: 'A' }).success).toBe(false);
});

/** A file and all that loads with it. */
function startOf(file: string, files: ReadonlyMap<string, string>, seen = new Set<string>()): readonly string[] {
  if (seen.has(file)) return [...seen];
  seen.add(file);
  for (const [, next = ''] of (files.get(file) ?? '').matchAll(/^(?:import|export)\b[^'"]*['"]\.\/([^'"]+)['"]/gm))
    startOf(next, files, seen);
  return [...seen];
}
