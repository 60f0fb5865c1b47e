import { execFileSync } from 'node:child_process';
import { appendFileSync, closeSync, mkdirSync, openSync, symlinkSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { zipSync } from 'fflate';
import iconv from 'iconv-lite';
import { resultText, type ToolResult } from 'kern/contracts';
import { expect, test } from 'vitest';
import { needs } from '../../cli/test/needs.ts';
import { type TestContext, testContext } from '../test/context.ts';
import { readTool } from './read.ts';
import type { ReadDetails } from './result.ts';

const read = readTool(5_000_000);
const iconvProgram = needs('iconv', 'libc-bin');

const call = (
  context: TestContext,
  path: string,
  more: { offset?: number; limit?: number; encoding?: string } = {},
  signal = new AbortController().signal,
): Promise<ToolResult<ReadDetails>> => read.execute('c1', { path, ...more }, signal, () => undefined, context);
const numbered = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}`).join('\n');

test('a small file is shown as it is, without a notice', async () => {
  const context = testContext();
  writeFileSync(join(context.dir, 'a.txt'), 'one\n\ttwo  \n\nfour\n');
  const result = await call(context, 'a.txt');
  expect(result.isError).toBeUndefined();
  expect(resultText(result)).toBe('one\n\ttwo  \n\nfour');
  expect(result.details).toEqual({
    path: join(context.dir, 'a.txt'),
    kind: 'text',
    size: 17,
    encoding: 'utf-8',
    lines: [1, 4],
    totalLines: 4,
    truncated: false,
  });
});

test('a page says where it ends and how to go on; the last one does not', async () => {
  const context = testContext();
  writeFileSync(join(context.dir, 'a.txt'), `${numbered(1, 10)}\n`);
  expect(resultText(await call(context, 'a.txt', { limit: 4 }))).toBe(
    `${numbered(1, 4)}\n\n[Showing lines 1-4 of 10. Use offset=5 to continue.]`,
  );
  expect(resultText(await call(context, 'a.txt', { offset: 5, limit: 4 }))).toBe(
    `${numbered(5, 8)}\n\n[Showing lines 5-8 of 10. Use offset=9 to continue.]`,
  );
  expect(resultText(await call(context, 'a.txt', { offset: 9, limit: 4 }))).toBe(numbered(9, 10));
  expect(resultText(await call(context, 'a.txt', { offset: 10, limit: 1 }))).toBe('line 10');
});

test('2000 lines are the most, the rest is continued', async () => {
  const context = testContext();
  writeFileSync(join(context.dir, 'a.txt'), numbered(1, 5000));
  const text = resultText(await call(context, 'a.txt', { limit: 99_999 }));
  expect(text).toBe(`${numbered(1, 2000)}\n\n[Showing lines 1-2000 of 5000. Use offset=2001 to continue.]`);
});

test('50 KB are the most, of whole lines', async () => {
  const context = testContext();
  const line = 'x'.repeat(1023);
  writeFileSync(join(context.dir, 'a.txt'), `${line}\n`.repeat(80));
  const result = await call(context, 'a.txt');
  expect(resultText(result)).toBe(
    `${Array(50).fill(line).join('\n')}\n\n[Showing lines 1-50 of 80 (50 KB limit). Use offset=51 to continue.]`,
  );
});

test('one line over the limit is cut at a whole character, and its end can be had', async () => {
  const context = testContext();
  writeFileSync(join(context.dir, 'a b.txt'), `first\n${'€'.repeat(40_000)}\nlast\n`);
  const text = resultText(await call(context, 'a b.txt', { offset: 2 }));
  expect(text.startsWith(`${'€'.repeat(17_066)}\n\n[Line 2 is 117.2 KB; its first 50.0 KB are shown.`)).toBe(true);
  expect(text).toContain(
    `Its next 50000 bytes: \`tail -c +51205 '${context.dir}/a b.txt' | head -c 50000\`; then go on at +101205.`,
  );
  expect(text).toContain('Use offset=3 for what follows.');
  expect(resultText(await call(context, 'a b.txt'))).toContain(
    '[Showing lines 1-1 of 3 (50 KB limit). Use offset=2 to continue.]',
  );
});

/** What a read of the only line shows, and behind it what the commands that it names print. */
async function lineWithRest(context: TestContext, path: string, offset = 1, encoding?: string): Promise<string> {
  const { lines, way } = cutAt(
    resultText(await call(context, path, encoding === undefined ? {} : { encoding, offset })),
    offset,
  );
  let line = lines;
  for (let command = way; ; command = command.replace(/\+(\d+)/, (_, at: string) => `+${Number(at) + 50_000}`)) {
    // In another folder than the file's: a shell may be anywhere.
    const piece = execFileSync('sh', ['-c', command], { cwd: '/' }).toString('latin1');
    line += piece;
    if (piece.length < 50_000) return Buffer.from(line, 'latin1').toString('utf8');
  }
}

function cutAt(shown: string, offset: number): { readonly lines: string; readonly way: string } {
  const at = shown.lastIndexOf('\n\n[');
  const way = new RegExp(`\\[Line ${offset} is .*: \`(.*)\``, 's').exec(shown.slice(at))?.[1];
  if (way === undefined) throw new Error(`no command in ${shown.slice(at)}`);
  return { lines: Buffer.from(shown.slice(0, at)).toString('latin1'), way };
}

const long = Array.from({ length: 30_000 }, (_, at) => `${at}ä`).join(' ');

test.each(['-n.txt', "it's a `b` $c.txt", 'two\nlines.txt'])(
  'the command for the rest of a line gives it, also of a file named %j',
  async (name) => {
    const context = testContext();
    writeFileSync(join(context.dir, name), long);
    expect(await lineWithRest(context, name)).toBe(long);
    writeFileSync(join(context.dir, name), `\ufeff${long}`);
    expect(await lineWithRest(context, name)).toBe(long);
  },
);

test('the command for the rest of a line fits lines that end with CR, artifacts, and a line among others', async () => {
  const context = testContext();
  const rest = async (path: string, offset: number): Promise<string> => {
    const { lines, way } = cutAt(resultText(await call(context, path, { offset })), offset);
    return Buffer.from(lines, 'latin1').toString('utf8') + execFileSync('sh', ['-c', way]).toString('utf8');
  };
  const line = 'ö'.repeat(30_000);
  writeFileSync(join(context.dir, 'mac'), `one\rtwo\r${line}\rfour\r`);
  expect(await rest('mac', 3)).toBe(line);
  writeFileSync(join(context.dir, '7.bash.log'), `${'one\n'.repeat(200_000)}${line}\nlast\n`);
  expect(await rest('artifact://7', 200_001)).toBe(line);
});

test('the command for the rest of a line counts what is no UTF-8 as the bytes that it is', async () => {
  const context = testContext();
  const bytes = Buffer.concat([Buffer.alloc(30_000, 0xe4), Buffer.from(' end')]);
  writeFileSync(join(context.dir, 'a'), bytes);
  const { way } = cutAt(resultText(await call(context, 'a', { encoding: 'utf-8' })), 1);
  const taken = Number(/\+(\d+)/.exec(way)?.[1]) - 1;
  expect(execFileSync('sh', ['-c', way]).equals(bytes.subarray(taken))).toBe(true);
});

test.skipIf(iconvProgram.skip)(`the command for the rest of a line decodes it${iconvProgram.name}`, async () => {
  const context = testContext();
  writeFileSync(join(context.dir, 'wide'), iconv.encode(long, 'utf-16le', { addBOM: true }));
  expect(await lineWithRest(context, 'wide')).toBe(long);
  writeFileSync(join(context.dir, 'wide-be'), iconv.encode(long, 'utf-16be', { addBOM: false }));
  expect(await lineWithRest(context, 'wide-be', 1, 'utf-16be')).toBe(long);
  const japanese = '表ソ日本 '.repeat(15_000);
  writeFileSync(join(context.dir, 'sjis'), iconv.encode(japanese, 'shift_jis'));
  expect(await lineWithRest(context, 'sjis', 1, 'shift_jis')).toBe(japanese);
});

test('a line of bytes that are no UTF-8 is shown cut, not refused', async () => {
  const context = testContext();
  writeFileSync(join(context.dir, 'latin1'), Buffer.alloc(40_000, 0xe4));
  expect(resultText(await call(context, 'latin1', { encoding: 'utf-8' }))).toContain(
    '[Line 1 is 39.1 KB; its first 16.7 KB are shown.',
  );
});

test('CRLF is shown as lines, a BOM is not shown, a lone CR stays', async () => {
  const context = testContext();
  writeFileSync(join(context.dir, 'a.txt'), '\ufeffone\r\ntwo\rhalf\r\n');
  expect(resultText(await call(context, 'a.txt'))).toBe('one\ntwo\rhalf');
});

test('an offset past the end is told the number of lines', async () => {
  const context = testContext();
  writeFileSync(join(context.dir, 'a.txt'), 'one\ntwo\n');
  const result = await call(context, 'a.txt', { offset: 3 });
  expect(result.isError).toBe(true);
  expect(resultText(result)).toBe('a.txt has 2 lines: there is no line 3.');
});

test('an empty file is said to be empty', async () => {
  const context = testContext();
  writeFileSync(join(context.dir, 'a.txt'), '');
  expect(resultText(await call(context, 'a.txt'))).toBe('(empty file)');
});

test('a missing file is an error that names what is near', async () => {
  const context = testContext();
  writeFileSync(join(context.dir, 'README.md'), '');
  const result = await call(context, 'readme.md');
  expect(result.isError).toBe(true);
  expect(resultText(result)).toBe(`readme.md is not there. Did you mean ${join(context.dir, 'README.md')}?`);
  expect(resultText(await call(context, 'README.md/x'))).toContain('README.md/x is not there.');
});

test('pipes, devices, circles and paths that are none are refused at once', async () => {
  const context = testContext();
  execFileSync('mkfifo', [join(context.dir, 'fifo')]);
  symlinkSync('circle', join(context.dir, 'circle'));
  for (const [path, why] of [
    ['fifo', 'is a pipe (FIFO)'],
    ['/dev/zero', 'is a device'],
    ['circle', 'go in a circle'],
    ['a\0b', 'has a NUL'],
  ] as const) {
    const result = await call(context, path);
    expect(result.isError).toBe(true);
    expect(resultText(result)).toContain(why);
  }
});

test('what is not text is named with its size, by content', async () => {
  const context = testContext();
  const files = {
    'a.txt': Buffer.from([1, 0, 2, 0]),
    'b.txt': Buffer.from('\x1f\x8b\x08', 'latin1'),
    'c.txt': Buffer.from(zipSync({ 'a.txt': Buffer.from('a') })),
    'd.txt': Buffer.from(Array.from({ length: 600 }, (_, at) => ((at * 167 + 13) % 255) + 1)),
  };
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(context.dir, name), bytes);
  const said = await Promise.all(Object.keys(files).map(async (name) => resultText(await call(context, name))));
  expect(said[0]).toBe(
    'a.txt is not text but binary data, 4 bytes. Use a program for it through bash; encoding: "base64" gives its first 64.0 KB.',
  );
  expect(said[1]).toContain('gzip data');
  expect(said[2]).toContain('a zip archive');
  expect(said[3]).toContain('binary data');
});

test('the bytes of a file are shown as base64 on request, the first 64 KB of them', async () => {
  const context = testContext();
  writeFileSync(join(context.dir, 'a'), Buffer.from([1, 0, 2, 255]));
  expect(resultText(await call(context, 'a', { encoding: 'base64' }))).toBe('AQAC/w==');
  writeFileSync(join(context.dir, 'b'), Buffer.alloc(100_000, 7));
  const long = await call(context, 'b', { encoding: 'BASE64' });
  expect(resultText(long)).toBe(
    `${Buffer.alloc(65_536, 7).toString('base64')}\n\n[The first 64.0 KB of 97.7 KB of b.]`,
  );
  expect(long.details).toMatchObject({ kind: 'bytes', size: 100_000, truncated: true });
});

test.each([
  ['utf-16le', true],
  ['utf-16be', true],
  ['utf-16le', false],
  ['shift_jis', false],
  ['gb18030', false],
])('a text in %s is shown decoded, and in pages as any other', async (encoding, addBOM) => {
  const context = testContext();
  const lines = Array.from({ length: 3000 }, (_, at) => (at % 2 === 0 ? `value_${at} = read(file);` : '日本語文字'));
  writeFileSync(join(context.dir, 'a.txt'), iconv.encode(`${lines.join('\r\n')}\r\n`, encoding, { addBOM }));
  const first = await call(context, 'a.txt');
  expect(resultText(first)).toBe(
    `${lines.slice(0, 2000).join('\n')}\n\n[Decoded from ${encoding}; edit and write keep it.]\n[Showing lines 1-2000 of 3000. Use offset=2001 to continue.]`,
  );
  expect(first.details).toMatchObject({ encoding, totalLines: 3000, lines: [1, 2000] });
  expect(resultText(await call(context, 'a.txt', { offset: 2999 }))).toContain(
    'value_2998 = read(file);\n日本語文字\n',
  );
});

test('of an encoding that was asked for it is told who else goes by it', async () => {
  const context = testContext();
  const told = async (bytes: Uint8Array, encoding: string): Promise<string | undefined> => {
    writeFileSync(join(context.dir, 'a'), bytes);
    return /\[Decoded from .*\]/.exec(resultText(await call(context, 'a', { encoding })))?.[0];
  };
  expect(await told(Buffer.from('Grüße, plain and long enough'), 'latin1')).toBe(
    '[Decoded from iso-8859-1, as asked. The file is valid UTF-8, and edit and write take it for that.]',
  );
  expect(await told(iconv.encode('Grüße', 'latin1'), 'latin1')).toBe(
    '[Decoded from iso-8859-1; edit and write keep it.]',
  );
  expect(await told(iconv.encode('Grüße', 'latin1'), 'koi8-r')).toBe(
    '[Decoded from koi8-r, as asked: edit goes by that, unless all of the file is UTF-8. write goes by what the file looks like: iso-8859-1.]',
  );
  expect(await told(Buffer.concat([Buffer.alloc(100_000, 'a'), Buffer.of(0xe4)]), 'latin1')).toContain(
    'unless all of the file is UTF-8. write goes by what the file looks like: utf-8.]',
  );
});

test('an encoding can be forced; one that is none is refused with examples', async () => {
  const context = testContext();
  writeFileSync(join(context.dir, 'a.txt'), iconv.encode('И это', 'koi8-r'));
  expect(resultText(await call(context, 'a.txt', { encoding: 'KOI8-R' }))).toContain('И это');
  const refused = await call(context, 'a.txt', { encoding: 'klingon' });
  expect(refused.isError).toBe(true);
  expect(resultText(refused)).toContain('there is no encoding klingon. For example utf-8');
});

test('letters of an old charset that come late in a file of plain ASCII are shown too', async () => {
  const context = testContext();
  const ascii = `${'x'.repeat(99)}\n`.repeat(2000);
  writeFileSync(
    join(context.dir, 'a.txt'),
    Buffer.concat([Buffer.from(ascii), iconv.encode('// größer, schöner, Straße\n', 'latin1')]),
  );
  const result = await call(context, 'a.txt', { offset: 2001 });
  expect(resultText(result)).toBe('// größer, schöner, Straße\n\n[Decoded from iso-8859-1; edit and write keep it.]');
});

test('a stray byte in UTF-8 is shown as one, and said', async () => {
  const context = testContext();
  writeFileSync(join(context.dir, 'a.txt'), 'äöü \ufffd\n');
  writeFileSync(join(context.dir, 'b.txt'), Buffer.concat([Buffer.from('äöü ß é ç '), Buffer.from([0xff, 0x0a])]));
  const result = await call(context, 'b.txt');
  expect(resultText(result)).toBe(
    'äöü ß é ç \ufffd\n\n[Some bytes are no UTF-8 and shown as \ufffd; edit leaves them as they are.]',
  );
  expect(resultText(await call(context, 'a.txt'))).not.toContain('[');
});

test('the lines of an old Mac end with CR alone', async () => {
  const context = testContext();
  writeFileSync(join(context.dir, 'a.txt'), 'one\rtwo\rthree\r');
  expect(resultText(await call(context, 'a.txt', { limit: 2 }))).toBe(
    'one\ntwo\n\n[Showing lines 1-2 of 3. Use offset=3 to continue.]',
  );
  writeFileSync(join(context.dir, 'b.txt'), 'one\r');
  expect(resultText(await call(context, 'b.txt'))).toBe('one');
});

test('names as macOS writes them are found by names as people type them', async () => {
  const context = testContext();
  mkdirSync(join(context.dir, 'Re\u0301sume\u0301s'));
  for (const name of ['Re\u0301sume\u0301s/cafe\u0301.txt', 'it\u2019s.txt', 'Screenshot at 3.45.12\u202fPM.txt'])
    writeFileSync(join(context.dir, name), name);
  for (const [asked, there] of [
    ['R\u00e9sum\u00e9s/caf\u00e9.txt', 'Re\u0301sume\u0301s/cafe\u0301.txt'],
    ["it's.txt", 'it\u2019s.txt'],
    ['Screenshot at 3.45.12 PM.txt', 'Screenshot at 3.45.12\u202fPM.txt'],
  ] as const) {
    expect(resultText(await call(context, asked))).toBe(there);
    // Permissions judge the file that is read.
    expect(read.effects?.({ path: asked }, context.where)).toEqual([{ kind: 'read', path: join(context.dir, there) }]);
  }
});

test('a long output is read by the name its notice gave', async () => {
  const context = testContext();
  writeFileSync(join(context.dir, '3.bash.log'), 'all of it\n');
  writeFileSync(join(context.dir, '12.bash.log'), 'another\n');
  expect(resultText(await call(context, 'artifact://3'))).toBe('all of it');
  expect(resultText(await call(context, 'artifact://4'))).toBe('artifact://4 is not there. There are 3, 12.');
  expect((await call(context, 'artifact://../x')).isError).toBe(true);
  expect(read.effects?.({ path: 'artifact://3' }, context.where)).toEqual([]);
});

test('a notebook is shown as its cells; one that is damaged, or asked for by encoding, as the text it is', async () => {
  const context = testContext();
  const cells = [
    { cell_type: 'markdown', source: ['# Title\n', 'words'] },
    {
      cell_type: 'code',
      source: 'print(1)\nplot()',
      execution_count: 2,
      outputs: [
        { output_type: 'stream', text: ['1\n'] },
        { output_type: 'display_data', data: { 'image/png': 'AAAA', 'text/plain': ['<Figure>'] } },
        { output_type: 'error', ename: 'ValueError', evalue: 'no' },
      ],
    },
  ];
  writeFileSync(join(context.dir, 'a.ipynb'), JSON.stringify({ cells, nbformat: 4 }));
  const result = await call(context, 'a.ipynb');
  expect(resultText(result)).toBe(
    '## Cell 1 (markdown)\n# Title\nwords\n\n## Cell 2 (code, run 2)\nprint(1)\nplot()\n--- output\n1\n<Figure>\n[image/png]\nValueError: no',
  );
  expect(result.details).toMatchObject({ kind: 'notebook', totalLines: 12 });
  expect(resultText(await call(context, 'a.ipynb', { encoding: 'utf-8' }))).toContain('{"cells":');
  writeFileSync(join(context.dir, 'b.ipynb'), '{"cells": [');
  expect(resultText(await call(context, 'b.ipynb'))).toBe('{"cells": [');
});

test('text with a few control characters is text', async () => {
  const context = testContext();
  writeFileSync(join(context.dir, 'log'), '\u001b[31mred\u001b[0m text that is long enough \u0001 here\n');
  expect((await call(context, 'log')).isError).toBeUndefined();
});

test('a folder is a list, folders with a slash, in pages', async () => {
  const context = testContext();
  mkdirSync(join(context.dir, 'src'));
  for (const name of ['b.txt', 'A.txt', '.hidden']) writeFileSync(join(context.dir, name), '');
  symlinkSync('b.txt', join(context.dir, 'link'));
  expect(resultText(await call(context, '.'))).toBe('.hidden\nA.txt\nb.txt\nlink@\nsrc/');
  expect(resultText(await call(context, '.', { offset: 2, limit: 2 }))).toBe(
    'A.txt\nb.txt\n\n[Showing entries 2-3 of 5. Use offset=4 to continue.]',
  );
  expect(resultText(await call(context, 'src'))).toBe('(empty folder)');
  expect((await call(context, '.', { offset: 6 })).isError).toBe(true);
});

test('a large file is read with little memory, its first page without the rest', async () => {
  const context = testContext();
  const path = join(context.dir, 'large');
  const file = openSync(path, 'w');
  const block = Buffer.from(`${'y'.repeat(99)}\n`.repeat(10_000));
  for (let round = 0; round < 200; round += 1) writeSync(file, block);
  closeSync(file);
  appendFileSync(path, 'the end\n');
  await call(context, path, { limit: 1 });
  const before = process.memoryUsage().rss;
  const first = await call(context, path);
  expect(resultText(first)).toContain('[Showing lines 1-512 of 190.7 MB (50 KB limit). Use offset=513 to continue.]');
  expect(resultText(await call(context, path, { offset: 2_000_001 }))).toBe('the end');
  expect(process.memoryUsage().rss - before).toBeLessThan(60 * 1024 * 1024);
});

test('a single line of 200 MB does not come into memory', async () => {
  const context = testContext();
  const path = join(context.dir, 'line');
  const file = openSync(path, 'w');
  for (let round = 0; round < 200; round += 1) writeSync(file, Buffer.alloc(1_000_000, 0x7a));
  closeSync(file);
  const before = process.memoryUsage().rss;
  expect(resultText(await call(context, path))).toMatch(
    /\[Line 1 is 6\d\.\d MB or more; its first 50\.0 KB are shown\./,
  );
  expect(process.memoryUsage().rss - before).toBeLessThan(60 * 1024 * 1024);
});

test('an abort ends a long read', async () => {
  const context = testContext();
  writeFileSync(join(context.dir, 'a.txt'), 'x');
  await expect(call(context, 'a.txt', {}, AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' });
});

test('its effect is a read of the real path; file_path is understood', () => {
  const context = testContext();
  writeFileSync(join(context.dir, 'a.txt'), '');
  symlinkSync('a.txt', join(context.dir, 'link'));
  expect(read.effects?.({ path: 'link' }, context.where)).toEqual([{ kind: 'read', path: join(context.dir, 'a.txt') }]);
  expect(read.prepareArguments?.({ file_path: 'x', limit: 2 })).toMatchObject({ path: 'x', limit: 2 });
});
