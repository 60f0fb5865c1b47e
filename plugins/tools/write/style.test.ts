import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import iconv from 'iconv-lite';
import { decodeText, resultText, type ToolResult } from 'kern/contracts';
import { expect, test } from 'vitest';
import { counts, seed } from '../../cli/test/soak.ts';
import { createFileStore } from '../file-store.ts';
import { type TestContext, testContext } from '../test/context.ts';
import { writeTool } from './write.ts';
import type { WriteDetails } from './write-file.ts';

const files = createFileStore();
const write = writeTool(() => files, 100_000);
const call = (context: TestContext, path: string, content: string): Promise<ToolResult<WriteDetails>> =>
  write.execute('c1', { path, content }, new AbortController().signal, () => undefined, context);

/** A folder with these files; it is the root for .editorconfig. */
function house(contents: Readonly<Record<string, string | Uint8Array>>): TestContext {
  const context = testContext();
  for (const [name, content] of Object.entries(contents)) {
    mkdirSync(dirname(join(context.dir, name)), { recursive: true });
    writeFileSync(join(context.dir, name), content);
  }
  return context;
}

const bytesOf = (context: TestContext, name: string): Buffer => readFileSync(join(context.dir, name));

test.each([
  ['shift_jis', '日本語のテキストです。これは試験用の文章です。\n', '新しい文章\n'],
  ['gb18030', '中文文本,这是用于测试的文件,还有更多的文字。\n', '新的文字\n'],
  ['iso-8859-1', 'Grüße aus Köln, schöne Straße\n', 'Übel\n'],
  ['koi8-r', 'Русский текст для проверки кодировки файла. Ещё немного слов.\n', 'Новый\n'],
  ['utf-16be', 'plain and more\n', 'ünïcode €\n'],
])('a file in %s stays in it', async (encoding, before, after) => {
  const context = house({ 'a.txt': iconv.encode(before, encoding) });
  const result = await call(context, 'a.txt', after);
  expect(resultText(result)).toContain(`in ${encoding}`);
  expect(result.details).toMatchObject({ state: 'replaced', encoding });
  expect(bytesOf(context, 'a.txt').equals(iconv.encode(after, encoding))).toBe(true);
});

test('a byte order mark stays, and does not come twice', async () => {
  const context = house({
    'a.txt': '\ufeffold',
    'b.txt': '\ufeffold',
    'c.txt': iconv.encode('old', 'utf-16le', { addBOM: true }),
  });
  await call(context, 'a.txt', 'new');
  await call(context, 'b.txt', '\ufeffnew');
  await call(context, 'c.txt', 'new');
  expect(bytesOf(context, 'a.txt').toString()).toBe('\ufeffnew');
  expect(bytesOf(context, 'b.txt').toString()).toBe('\ufeffnew');
  expect(bytesOf(context, 'c.txt').equals(iconv.encode('new', 'utf-16le', { addBOM: true }))).toBe(true);
});

test('a character that the encoding of the file does not have is refused by name, and the file stands', async () => {
  const before = iconv.encode('Grüße aus Köln, schöne Straße\n', 'latin1');
  const context = house({ 'a.txt': before });
  const result = await call(context, 'a.txt', 'costs 5 €\n');
  expect(result.isError).toBe(true);
  expect(resultText(result)).toBe(
    'a.txt was not written: iso-8859-1 has no "€" (U+20AC), and the file is in it. Write it with other characters, or convert the file to UTF-8 first.',
  );
  expect(bytesOf(context, 'a.txt').equals(before)).toBe(true);
});

test('what was no text is replaced by plain UTF-8', async () => {
  const context = house({
    'a.bin': Uint8Array.of(1, 0, 200, 0, 255),
    'b.txt': Uint8Array.of(0xff, 0xfe, 0x41, 0, 0x42),
  });
  await call(context, 'a.bin', 'é\n');
  await call(context, 'b.txt', 'é\n');
  expect(bytesOf(context, 'a.bin').toString()).toBe('é\n');
  expect(bytesOf(context, 'b.txt').toString()).toBe('é\n');
});

test('the line ends of a file stay, and that is said; CRs that are given are meant', async () => {
  const context = house({
    'a.txt': 'one\r\ntwo\r\n',
    'b.txt': 'one\rtwo\r',
    'c.txt': 'one\r\ntwo\r\n',
    'd.txt': 'one\ntwo\n',
  });
  expect(resultText(await call(context, 'a.txt', 'one\nthree\n'))).toBe(
    'Replaced a.txt (12 bytes; CRLF line ends, as the file has them).',
  );
  await call(context, 'b.txt', 'one\nthree');
  await call(context, 'c.txt', 'one\r\nthree\n');
  await call(context, 'd.txt', 'one\r\nthree\r\n');
  expect(bytesOf(context, 'a.txt').toString()).toBe('one\r\nthree\r\n');
  expect(bytesOf(context, 'b.txt').toString()).toBe('one\rthree');
  expect(bytesOf(context, 'c.txt').toString()).toBe('one\r\nthree\n');
  expect(bytesOf(context, 'd.txt').toString()).toBe('one\r\nthree\r\n');
});

test('in a file of mixed line ends the lines at both ends that stay keep theirs, new ones take the commonest', async () => {
  const context = house({ 'a.txt': 'a\nb\r\nc\r\nd\ne\r\n' });
  await call(context, 'a.txt', 'a\nb\nnew\nnewer\nd\ne\n');
  expect(bytesOf(context, 'a.txt').toString()).toBe('a\nb\r\nnew\r\nnewer\r\nd\ne\r\n');
});

const editorConfig = `
root = true
[*]
end_of_line = lf
[*.{bat,cmd}]
end_of_line = CRLF ; for Windows
[/docs/**.txt]
charset = utf-16le
[lib/[!a]*.js]
end_of_line = crlf
[{one,two}.md]
end_of_line = crlf
[**/deep/*.c]
charset = utf-8-bom
[legacy/*]
charset = latin1
`;

test.each([
  ['run.bat', '\r\n'],
  ['sub/run.cmd', '\r\n'],
  ['run.sh', '\n'],
  ['lib/big.js', '\r\n'],
  ['lib/a.js', '\n'],
  ['lib/more/big.js', '\n'],
  ['one.md', '\r\n'],
  ['three.md', '\n'],
])('.editorconfig says how the lines of a new file end: %s', async (name, end) => {
  const context = house({ '.editorconfig': editorConfig });
  await call(context, name, 'a\nb\n');
  expect(bytesOf(context, name).toString()).toBe(`a${end}b${end}`);
});

test('.editorconfig says how a new file is encoded, and the nearest one has the last word', async () => {
  const context = house({
    '.editorconfig': editorConfig,
    'near/.editorconfig': '[*]\nend_of_line=crlf\n[u*]\nend_of_line = unset',
  });
  await call(context, 'docs/a.txt', 'ä');
  await call(context, 'x/deep/a.c', 'ä');
  await call(context, 'legacy/a', 'ä');
  expect(bytesOf(context, 'docs/a.txt').equals(iconv.encode('ä', 'utf-16le', { addBOM: true }))).toBe(true);
  expect(bytesOf(context, 'x/deep/a.c').toString()).toBe('\ufeffä');
  expect(bytesOf(context, 'legacy/a').toString('hex')).toBe('e4');
  expect((await call(context, 'legacy/b', '日')).isError).toBe(true);
  await call(context, 'near/a', '1\n');
  await call(context, 'near/u', '1\n');
  expect(bytesOf(context, 'near/a').toString()).toBe('1\r\n');
  expect(bytesOf(context, 'near/u').toString()).toBe('1\n');
  expect(resultText(await call(context, 'near/b', '1\n'))).toContain('CRLF line ends, as .editorconfig has them');
});

test('.gitattributes says it where .editorconfig does not; binary files are left alone', async () => {
  const context = house({
    '.git/HEAD': '',
    '.editorconfig': 'root = true\n',
    '.gitattributes':
      '# ends\n* text=auto\n*.ps1 eol=crlf\n/top.txt text eol=crlf\n*.dat binary eol=crlf\n"with space.txt" eol=crlf\n',
    'sub/.gitattributes': '*.ps1 eol=lf\nother/*.c eol=crlf\n',
  });
  const expected = {
    'a.ps1': '\r\n',
    'deep/down/a.ps1': '\r\n',
    'sub/a.ps1': '\n',
    'top.txt': '\r\n',
    'deep/top.txt': '\n',
    'a.dat': '\n',
    'with space.txt': '\r\n',
    'sub/other/a.c': '\r\n',
  };
  for (const [name, end] of Object.entries(expected)) {
    await call(context, name, 'x\n');
    expect([name, bytesOf(context, name).toString()]).toEqual([name, `x${end}`]);
  }
});

test('without rules a new file is like the files of its kind beside it, unless it brings line ends of its own', async () => {
  const context = house({
    '.editorconfig': 'root = true\n',
    'a.cs': '1\r\n2\r\n',
    'b.cs': '1\r\n',
    'c.cs': '1\n',
    'd.ts': '1\n',
  });
  await call(context, 'new.cs', '1\n2\n');
  await call(context, 'new.ts', '1\n2\n');
  await call(context, 'new.ts', '1\n2\n');
  await call(context, 'other.ts', '1\r\n2\r\n');
  expect(bytesOf(context, 'new.cs').toString()).toBe('1\r\n2\r\n');
  expect(bytesOf(context, 'new.ts').toString()).toBe('1\n2\n');
  expect(bytesOf(context, 'other.ts').toString()).toBe('1\r\n2\r\n');
});

test('a hostile .editorconfig does not hold a write up', async () => {
  const context = house({
    '.editorconfig': `root=true\n[${'*a'.repeat(60)}b]\nend_of_line=crlf\n[[z-a]]\nend_of_line=crlf\n`,
  });
  await call(context, `${'a'.repeat(200)}`, '1\n');
  expect(bytesOf(context, 'a'.repeat(200)).toString()).toBe('1\n');
});

test('a file is written under the very name that was given, whatever looks the same', async () => {
  const context = house({ 'cafe\u0301.txt': 'old', f: 'kept' });
  await call(context, 'caf\u00e9.txt', 'new');
  await call(context, '@f', 'another');
  await call(context, '@/components/a.ts', 'x');
  expect(bytesOf(context, 'cafe\u0301.txt').toString()).toBe('old');
  expect(bytesOf(context, 'caf\u00e9.txt').toString()).toBe('new');
  expect(bytesOf(context, 'f').toString()).toBe('kept');
  expect(bytesOf(context, '@f').toString()).toBe('another');
  expect(bytesOf(context, '@/components/a.ts').toString()).toBe('x');
  expect(write.effects?.({ path: '@f', content: '' }, context.where)).toEqual([
    { kind: 'write', path: join(context.dir, '@f') },
  ]);
});

test('whatever was there and whatever is written: the text is the one given, in the encoding that was there', async () => {
  const context = testContext();
  const words = fc.constantFrom(
    'plain',
    'größer',
    'ñandú',
    '日本語',
    'слово',
    '€',
    '😀',
    '',
    '\0',
    '  trailing  ',
    '\t',
  );
  const lines = (end: fc.Arbitrary<string>) =>
    fc.array(fc.tuple(words, end), { maxLength: 8 }).map((all) => all.flat().join(''));
  const property = fc.asyncProperty(
    lines(fc.constantFrom('\n', '\r\n', '\r')),
    fc.constantFrom('utf-8', 'utf-16le', 'utf-16be', 'iso-8859-1', 'shift_jis', 'gb18030'),
    fc.boolean(),
    lines(fc.constantFrom('\n', '\n\n')),
    async (before, encoding, addBOM, after) => {
      const path = join(context.dir, 'file');
      const old = iconv.encode(before, encoding, { addBOM });
      writeFileSync(path, old);
      const kept = await decodeText(old);
      const result = await call(context, 'file', after);
      if (result.isError === true) {
        expect(readFileSync(path).equals(old)).toBe(true);
        expect(resultText(result)).toContain('has no "');
        return;
      }
      const style =
        kept.text.includes('\0') || /[\udc80-\udcff]/.test(kept.text.replaceAll(/[\ud800-\udbff]./gs, ''))
          ? { encoding: 'utf-8', bom: false }
          : kept;
      const now = await decodeText(readFileSync(path), style.encoding);
      expect(now.text.replaceAll(/\r\n?/g, '\n')).toBe(after);
      expect(now.bom).toBe(style.bom);
    },
  );
  await fc.assert(property, { seed: seed(), numRuns: counts({ test: 100, soak: 3_000 }) });
});
