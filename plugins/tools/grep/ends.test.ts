import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, openSync, realpathSync, writeFileSync, writeSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import { resultText, searching, type ToolResult } from 'kern/contracts';
import { processes } from 'kern/plugin';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { planted } from '../search/test/tree.ts';
import { bootTools, type ToolKernel } from '../test/kernel.ts';
import { searchBuiltIn } from './built-in.ts';
import { createPage } from './page.ts';
import { readPattern } from './pattern.ts';
import type { Query } from './query.ts';
import type { GrepDetails } from './run-grep.ts';
import { enginesHere, grepWith } from './test/engines.ts';

/** A program that is taken for ripgrep. */
function standIn(script: string): string {
  const path = join(planted({}), 'rg');
  writeFileSync(path, script);
  chmodSync(path, 0o755);
  return path;
}

async function bootGrep(rg: string | false, timeout = 60): Promise<ToolKernel> {
  return bootTools(['tools.grep'], [], { config: { 'tools.grep': { rg, timeout } } });
}

const running = (t: ToolKernel): number => t.view.service(processes).list().length;
const grep = (t: ToolKernel, args: unknown, more?: Parameters<ToolKernel['callTool']>[2]) =>
  t.callTool('grep', args, more) as Promise<ToolResult<GrepDetails>>;

test('ripgrep is ended when the page is full', async () => {
  const rg = standIn("#!/bin/sh\nwhile :; do printf './a.ts\\0001:hit\\n'; done\n");
  await using t = await bootGrep(rg);
  const result = await grep(t, { pattern: 'hit', limit: 3 });
  expect(resultText(result)).toBe(
    'a.ts:1: hit\na.ts:1: hit\na.ts:1: hit\n\n[Showing matches 1-3; there are more. Use offset=4 to continue.]',
  );
  expect(running(t)).toBe(0);
});

test('an abort ends ripgrep', async () => {
  await using t = await bootGrep(standIn('#!/bin/sh\nexec sleep 1000\n'));
  const abort = new AbortController();
  const called = grep(t, { pattern: 'x' }, { signal: abort.signal });
  await vi.waitFor(() => expect(running(t)).toBe(1), { timeout: 10_000 });
  abort.abort();
  expect(resultText(await called)).toBe('grep was aborted.');
  expect(running(t)).toBe(0);
});

test('an abort ends a ripgrep that does not want to end', async () => {
  await using t = await bootGrep(standIn("#!/bin/sh\ntrap '' TERM\nwhile :; do sleep 1; done\n"));
  const abort = new AbortController();
  const called = grep(t, { pattern: 'x' }, { signal: abort.signal });
  await vi.waitFor(() => expect(running(t)).toBe(1), { timeout: 10_000 });
  abort.abort();
  expect(resultText(await called)).toBe('grep was aborted.');
  expect(running(t)).toBe(0);
});

test('a search ends at its limit, and what was found until then is shown', async () => {
  const rg = standIn("#!/bin/sh\nprintf './b.ts\\0002:hit\\n./a.ts\\0001:hit\\n./c.ts'\nexec sleep 1000\n");
  await using t = await bootGrep(rg, 4);
  const result = await grep(t, { pattern: 'hit' });
  expect(resultText(result)).toBe(
    'a.ts:1: hit\nb.ts:2: hit\n\n[Stopped after 4 s; there may be more. Narrow the path.]',
  );
  expect(result.details).toMatchObject({ matches: 2, truncated: true });
  expect(running(t)).toBe(0);
});

test('a pipe in the place of a file of rules stops no search', async () => {
  const folder = planted({ 'a.txt': 'hit\n', 'sub/b.txt': 'hit\n' });
  execFileSync('mkfifo', [join(folder, 'sub/.gitignore')]);
  await using t = await bootGrep(rgPath, 4);
  expect(resultText(await grep(t, { pattern: 'hit', path: folder }))).toMatch(
    /a\.txt:1: hit\n[\s\S]*\[Stopped after 4 s; there may be more\. Narrow the path\.\]$/,
  );
  expect(running(t)).toBe(0);
});

test('the built-in matcher ends at the limit as well', async () => {
  const files = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`d${at}/a.txt`, 'x\n'.repeat(1_000)]));
  await using t = await bootGrep(false, 0.001);
  const text = resultText(await grep(t, { pattern: 'x$', path: planted(files), limit: 1_000_000 }));
  expect(text).toMatch(/Stopped after 0\.001 s|does not answer/);
});

test('an abort ends the built-in matcher', async () => {
  const files = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`d${at}/a.txt`, 'x\n'.repeat(1_000)]));
  await using t = await bootGrep(false);
  const abort = new AbortController();
  const called = grep(t, { pattern: 'y', path: planted(files) }, { signal: abort.signal });
  setImmediate(() => abort.abort());
  expect(resultText(await called)).toBe('grep was aborted.');
});

test('hits are told while the search goes on', async () => {
  const rg = standIn("#!/bin/sh\nprintf './a.ts\\0001:hit\\n'\nexec sleep 1000\n");
  await using t = await bootGrep(rg);
  const abort = new AbortController();
  const partial = Promise.withResolvers<ToolResult>();
  const called = grep(t, { pattern: 'hit' }, { signal: abort.signal, onUpdate: partial.resolve });
  expect(resultText(await partial.promise)).toBe('a.ts:1: hit');
  abort.abort();
  await called;
});

test.each([
  [
    'one that knows other options',
    '#!/bin/sh\necho "error: Found argument --crlf which was not expected" >&2\nexit 2\n',
  ],
  ['one that is no program', 'no program at all\n'],
  ['one for another system', '\x7fELF\x02\x01\x01\x00\x00'],
])('instead of %s the built-in matcher answers', async (_name, script) => {
  await using t = await bootGrep(standIn(script));
  const result = await grep(t, { pattern: 'hit', path: planted({ 'a.txt': 'hit\n' }) });
  expect(resultText(result)).toMatch(/a\.txt:1: hit$/);
  expect(result.details?.engine).toBe('built-in');
});

test('a setting that names no program is told once, and another ripgrep is used', async () => {
  await using t = await bootGrep('/nowhere/rg');
  const result = await grep(t, { pattern: 'hit', path: planted({ 'a.txt': 'hit\n' }) });
  expect(result.details?.engine).toBe('ripgrep');
  expect(t.complaints().filter((line) => line.includes('/nowhere/rg is no program'))).toHaveLength(1);
});

test('what could not be read is counted, and the rest is searched', async () => {
  const rg = standIn(
    "#!/bin/sh\necho 'rg: ./secret: Permission denied (os error 13)' >&2\necho './gone: No such file or directory (os error 2)' >&2\nprintf './a.ts\\0001:hit\\n'\nexit 2\n",
  );
  await using t = await bootGrep(rg);
  expect(resultText(await grep(t, { pattern: 'hit' }))).toBe('a.ts:1: hit\n\n[1 path could not be read.]');
});

test('a pattern that ripgrep alone refuses is told in its words', async () => {
  await using t = await bootGrep(rgPath);
  const result = await grep(t, { pattern: '((((\\w{1000}){1000}){1000}){1000}){1000}' });
  expect(result.isError).toBe(true);
  expect(resultText(result)).toMatch(/^ripgrep does not take this pattern\.\n.*size limit/s);
  expect(resultText(result)).not.toContain('--');
});

test('what only ripgrep knows is told where there is none', async () => {
  await using t = await bootGrep(false);
  expect(resultText(await grep(t, { pattern: '(?U)a+' }))).toBe(
    'the flag U in the pattern is known to ripgrep alone, which is not here. Write the pattern without it.',
  );
});

test("a person's settings of ripgrep do not count", async () => {
  const folder = planted({ ripgreprc: '--ignore-case\n--max-count=1\n', 'a.txt': 'Hit\nhit\nhit\n' });
  vi.stubEnv('RIPGREP_CONFIG_PATH', join(folder, 'ripgreprc'));
  onTestFinished(() => void vi.unstubAllEnvs());
  await using t = await bootGrep(rgPath);
  const result = await grep(t, { pattern: 'hit', path: folder, glob: '*.txt' });
  expect(result.details).toMatchObject({ engine: 'ripgrep', matches: 2 });
});

test('a ripgrep in PATH comes before that of the packages, unless a project may have put it there', async () => {
  const folder = planted({ 'node_modules/.bin/rg': '#!/bin/sh\n', 'bin/rg': '#!/bin/sh\n' });
  for (const path of ['node_modules/.bin/rg', 'bin/rg']) chmodSync(join(folder, path), 0o755);
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv('PATH', `${folder}/node_modules/.bin:.:node_modules/.bin`);
  expect(await searching.findRipgrep()).toBe(rgPath);
  vi.stubEnv('PATH', `${folder}/node_modules/.bin/:${folder}/bin`);
  expect(await searching.findRipgrep()).toBe(join(folder, 'bin/rg'));
  expect(await searching.findRipgrep(rgPath)).toBe(rgPath);
  expect(await searching.findRipgrep(false)).toBeUndefined();
});

test('a pattern that would backtrack for ever is given up, and the rest is searched', async () => {
  const folder = planted({ 'a.txt': `${'a'.repeat(50)}!\n`, 'b.txt': `aaab\n` });
  const read = readPattern('^(?=a)(a+)+b', { dotAll: false });
  if (!read.ok) throw new Error(read.why);
  const query: Query = {
    root: folder,
    file: undefined,
    encoding: undefined,
    folders: [''],
    isIgnored: false,
    isInRepository: false,
    pattern: read.pattern,
    ignoreCase: false,
    multiline: false,
    dotAll: false,
    context: 0,
    mostHits: 100,
    accepts: () => true,
    names: [],
    excluded: [],
  };
  const page = createPage({
    offset: 1,
    limit: 100,
    context: 0,
    shownPath: (path) => path,
    accepts: () => true,
    onGrow: () => undefined,
  });
  const deadline = searching.createDeadline(new AbortController().signal, 30);
  const ended = await searchBuiltIn(query, page, deadline, { groupLimitMs: 150 });
  expect(ended.slow).toEqual(['a.txt']);
  expect(page.text).toBe('b.txt:1: aaab');
});

for (const { name, rg } of await enginesHere()) {
  describe(name, () => {
    const engine = grepWith(rg);

    test('pipes, sockets and devices are passed over, and refused when they are named', async () => {
      const folder = engine.folder({ 'z.txt': 'hit\n', 'device.txt': { link: '/dev/zero' } });
      execFileSync('mkfifo', [join(folder, 'pipe.txt')]);
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(join(folder, 's.txt'), resolve));
      try {
        expect(resultText(await grep(engine.kernel, { pattern: 'hit', path: folder }))).toMatch(/^\S*z\.txt:1: hit$/);
        const refusals = ['pipe.txt', 's.txt', 'device.txt'].map(async (path) =>
          resultText(await grep(engine.kernel, { pattern: 'hit', path: join(folder, path) })).replace(`${folder}/`, ''),
        );
        expect(await Promise.all(refusals)).toEqual([
          'pipe.txt is a pipe (FIFO), neither a file nor a folder.',
          's.txt is a socket, neither a file nor a folder.',
          'device.txt is a device, neither a file nor a folder.',
        ]);
      } finally {
        server.close();
      }
    });

    test('a folder too deep for its path to be given is counted', async () => {
      const folder = engine.folder({ 'a.txt': 'hit\n' });
      const names = 'd'.repeat(200);
      onTestFinished(() => void execFileSync('rm', ['-rf', join(folder, names)]));
      const deeper = `for i in $(seq 25); do mkdir ${names} && cd ${names} || exit 0; done`;
      execFileSync('sh', ['-c', deeper], { cwd: folder, stdio: 'ignore' });
      const text = resultText(await grep(engine.kernel, { pattern: 'hit', path: folder }));
      expect(text).toMatch(/a\.txt:1: hit\n\n\[1 path could not be read\.\]$/);
    });

    test('a line of 200 MB is searched to its end, and takes little memory', { timeout: 60_000 }, async () => {
      const folder = realpathSync(engine.folder({ 'b.txt': 'needle\n' }));
      const piece = Buffer.alloc(1024 * 1024, 'x');
      const file = openSync(join(folder, 'a.txt'), 'w');
      for (let at = 0; at < 200; at += 1) writeSync(file, piece);
      writeSync(file, 'needle\nafter\n');
      closeSync(file);
      const before = process.resourceUsage().maxRSS;
      const result = await grep(engine.kernel, { pattern: 'needle$', path: folder, context: 1 });
      const grown = (process.resourceUsage().maxRSS - before) / 1024;
      const lines = resultText(result)
        .replaceAll(/(?<=^)\S*\//gm, '')
        .split('\n');
      expect(lines).toEqual([
        `a.txt:1: ${'x'.repeat(500)}…`,
        'a.txt-2- after',
        'b.txt:1: needle',
        '',
        '[Lines longer than 500 characters are cut, marked by …]',
      ]);
      expect(grown).toBeLessThan(100);
    });

    test('anchors of a line of many megabytes are its own ends', async () => {
      const long = 'ab'.repeat(1_500_000);
      const tree = { 'a.txt': `${long}\n`, 'b.txt': `${long}c\n${long}\n` };
      expect((await engine.grep(tree, { pattern: '^b|a$', limit: 5 })).text).toMatch(/^No matches found/);
      expect((await engine.grep(tree, { pattern: 'bc$' })).text).toMatch(/^b\.txt:1: abab/);
      expect((await engine.grep(tree, { pattern: '^ab' })).result.details?.matches).toBe(3);
    });

    test('many hits in a large file end at the limit', async () => {
      const tree = { 'a.txt': 'hit\n'.repeat(3_000_000) };
      const { text, result } = await engine.grep(tree, { pattern: 'hit', limit: 2, offset: 1_000 });
      expect(text).toBe(
        'a.txt:1000: hit\na.txt:1001: hit\n\n[Showing matches 1000-1001; there are more. Use offset=1002 to continue.]',
      );
      expect(result.details).toMatchObject({ nextOffset: 1002 });
      expect(running(engine.kernel)).toBe(0);
    });

    test('letters cut by the pieces a large file is read in are whole', async () => {
      const tree = { 'a.txt': `x${'中\n'.repeat(700_000)}größe 中中\n` };
      const { text } = await engine.grep(tree, { pattern: '^größe \\w{2}$' });
      expect(text).toBe('a.txt:700001: größe 中中');
    });

    test('it says what it looks at, and may run beside others', async () => {
      const folder = engine.folder({ 'a.txt': 'x', link: { link: 'a.txt' } });
      const prepared = await engine.kernel.prepare('grep', { pattern: 'x', path: join(folder, 'link') });
      expect(prepared).toMatchObject({ state: 'ready', effects: [{ kind: 'read', path: join(folder, 'a.txt') }] });
    });
  });
}
