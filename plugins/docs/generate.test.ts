import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

const top = fileURLToPath(new URL('../..', import.meta.url));
const kern = path.join(top, 'plugins', 'cli', 'kern.mjs');

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** It holds no settings and no extensions: what is generated must not depend on them. */
const home = mkdtempSync(path.join(tmpdir(), 'kern-docs-test-'));
afterAll(() => rmSync(home, { recursive: true, force: true, maxRetries: 3 }));

// Plain JavaScript for every Node, and so without types.
const { isBuilt }: { isBuilt(root: string): boolean } = await import(
  new URL('../cli/build/stamp.mjs', import.meta.url).href
);
// The build is quicker, where it is what the sources say.
const fromSource = isBuilt(top) ? '' : '1';

/** Runs kern. */
function run(...args: readonly string[]): Promise<Ran> {
  return new Promise((resolve) => {
    const env = { ...process.env, KERN_HOME: home, KERN_SOURCE: fromSource };
    execFile(process.execPath, [kern, ...args], { env, cwd: home }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : 1, stdout, stderr });
    });
  });
}

test('what is generated is what stands in the pages and in schemas/', { timeout: 60_000 }, async () => {
  const { code, stdout, stderr } = await run('docs', 'generate', '--check');
  expect({ old: stdout, code }, `${stderr}\nnpm run docs brings them up to date`).toEqual({ old: '', code: 0 });
});

test('kern docs lists the pages and prints one as it stands', { timeout: 60_000 }, async () => {
  const list = await run('docs', '--json');
  const { pages } = JSON.parse(list.stdout) as { pages: readonly { name: string; title: string; file: string }[] };
  expect(pages.map(({ name }) => name)).toContain('extensions');
  const page = await run('docs', 'trust');
  expect(page.stdout).toBe(readFileSync(path.join(top, 'plugins', 'docs', 'pages', 'trust.md'), 'utf8'));
  const lost = await run('docs', 'extension');
  expect(lost.code).toBe(2);
  expect(lost.stderr).toContain('extensions');
});

test('the picture in the README is what kern demo prints', { timeout: 60_000 }, async () => {
  const readme = readFileSync(path.join(top, 'README.md'), 'utf8');
  const picture = /```text\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  const { stdout, stderr } = await run('demo');
  const scenes = stdout.split('The replies were scripted; everything else was real.')[0] ?? '';
  // Two reads run at the same time, and either may be told first.
  const lines = (text: string): readonly string[] => text.trimEnd().split('\n').toSorted();
  expect(lines(scenes), stderr).toEqual(lines(picture));
});
