import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openDesk } from '../test/line.ts';

/** A folder for temporary files that no other program uses. */
function ownTmp(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'kern-tmp-'));
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

test('the demo shows a failing test, its fix as a diff, a passing test, and a tool that was written and called in one run', async () => {
  const tmp = ownTmp();
  await using desk = await openDesk();
  const { code, out, err } = await desk.kern('demo');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const shown = [
    'the replies are scripted',
    'bash node --test',
    '✖ more than an hour',
    "+ '1h 61m 1s'",
    'read duration.js',
    '-  const minutes = Math.floor(seconds / 60);',
    '+  const minutes = Math.floor(seconds / 60) % 60;',
    'fail 0',
    'write .kern/extensions/word-count.ts',
    'word_count README.md',
    '14 words',
    'everything else was real',
    'ANTHROPIC_API_KEY',
    'Ollama',
    'OPENAI_BASE_URL',
  ];
  let at = 0;
  for (const part of shown) {
    const found = out.indexOf(part, at);
    expect({ part, isThere: found >= 0 }).toEqual({ part, isThere: true });
    at = found;
  }
  expect(out).not.toContain('kern-demo-');
  expect(readdirSync(tmp).filter((name) => name.startsWith('kern-demo-'))).toEqual([]);
}, 60_000);

test('without git it says so and goes on; as JSON it is what was called', async () => {
  await using desk = await openDesk();
  const { bin, remove } = await withoutGit();
  const path = process.env.PATH;
  process.env.PATH = bin;
  try {
    expect(await desk.json('demo')).toMatchObject({
      scripted: true,
      ok: true,
      scenes: [
        { name: 'fix-a-test', turns: 5 },
        { name: 'write-a-tool', turns: 3 },
      ],
    });
    expect((await desk.kern('demo')).out).toContain('git is not there');
  } finally {
    process.env.PATH = path;
    remove();
  }
}, 60_000);

/** A PATH with bash and what it needs, and no git. */
async function withoutGit(): Promise<{ bin: string; remove(): void }> {
  const { mkdtempSync, rmSync, symlinkSync } = await import('node:fs');
  const bin = mkdtempSync(`${tmpdir()}/kern-bin-`);
  for (const program of ['bash', 'sh', 'ps', 'sleep', 'cat', 'kill'])
    symlinkSync(`/bin/${program}`, `${bin}/${program}`);
  return { bin, remove: () => rmSync(bin, { recursive: true }) };
}
