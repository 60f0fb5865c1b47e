import fc from 'fast-check';
import iconv from 'iconv-lite';
import { resultText } from 'kern/contracts';
import { describe, expect, test } from 'vitest';
import { counts, seed } from '../../cli/test/soak.ts';
import { enginesHere, type Grepped, grepWith } from './test/engines.ts';

const engines = await enginesHere();
const encoded = (text: string, encoding: string, addBOM = false): Buffer => iconv.encode(text, encoding, { addBOM });

const house = {
  'gbk.txt': encoded('第一行\n你好，世界 ok\n这里是简体中文的文本\n', 'gbk'),
  'latin1.txt': encoded('Grüße aus Köln ok\nplain\n', 'latin1'),
  'sjis.txt': encoded('これはテストです\nこんにちは ok\nソース表\n', 'shift_jis'),
  'utf8.txt': 'Grüße, 你好, こんにちは ok\n',
};
const decoded =
  '[gbk.txt was decoded from gb18030.]\n[latin1.txt was decoded from iso-8859-1.]\n[sjis.txt was decoded from shift_jis.]';

for (const { name, rg } of engines) {
  describe(name, () => {
    const { grep } = grepWith(rg);

    test('words are found in any charset', async () => {
      const { text, result } = await grep(house, { pattern: 'Grüße|你好|こんにちは' });
      expect(text).toBe(
        `gbk.txt:2: 你好，世界 ok\nlatin1.txt:1: Grüße aus Köln ok\nsjis.txt:2: こんにちは ok\nutf8.txt:1: Grüße, 你好, こんにちは ok\n\n${decoded}`,
      );
      expect(result.details).toMatchObject({ engine: rg === false ? 'built-in' : 'ripgrep', matches: 4, files: 4 });
    });

    test('what stands for any character stands for those as well', async () => {
      expect((await grep(house, { pattern: '^Gr..e \\w+ K[^a]ln' })).text).toMatch(
        /^latin1\.txt:1: Grüße aus Köln ok\n/,
      );
    });

    test('a pattern of plain letters finds the same lines, shown as what they are', async () => {
      expect((await grep(house, { pattern: 'ok$' })).text).toMatch(
        /^gbk\.txt:2: 你好，世界 ok\nlatin1\.txt:1: Grüße aus Köln ok\nsjis\.txt:2: こんにちは ok\nutf8/,
      );
    });

    test('half of a character is no sign', async () => {
      const { text } = await grep({ 'a.txt': house['sjis.txt'] }, { pattern: '\\', literal: true });
      expect(text).toMatch(/^No matches found/);
    });

    test('across lines as well, with what is around', async () => {
      const { text } = await grep(house, { pattern: 'です\nこん', context: 1 });
      expect(text).toMatch(/^sjis\.txt:1: これはテストです\nsjis\.txt:2: こんにちは ok\nsjis\.txt-3- ソース表\n/);
    });

    test('UTF-8 with a damaged place stays UTF-8', async () => {
      const tree = {
        'a.txt': Buffer.concat([Buffer.from('größe und maß\n'), Buffer.from([0xff]), Buffer.from(' hit\n')]),
      };
      expect((await grep(tree, { pattern: 'größe|.hit' })).text).toBe('a.txt:1: größe und maß\na.txt:2: \ufffd hit');
    });

    test('what would pass for binary is read when it is named', async () => {
      const tree = {
        'le.txt': encoded('zeile\ngrößte Zeile\n', 'utf-16le'),
        'be32.txt': encoded('zeile\ngrößte Zeile\n', 'utf-32be', true),
      };
      const named = async (path: string): Promise<string> => (await grep(tree, { pattern: 'größte', path })).text;
      expect(await named('le.txt')).toBe('le.txt:2: größte Zeile\n\n[le.txt was decoded from utf-16le.]');
      expect(await named('be32.txt')).toBe('be32.txt:2: größte Zeile\n\n[be32.txt was decoded from utf-32be.]');
      expect((await grep(tree, { pattern: 'größte' })).text).toMatch(/^No matches found/);
    });

    test('a large file is read in the charset that its first such letter shows', async () => {
      const plain = 'plain line\n'.repeat(150_000);
      const tree = { 'a.txt': encoded(`${plain}Straße nach Köln\n${plain}Grüße\n`, 'latin1'), 'b.txt': 'Grüße\n' };
      expect((await grep(tree, { pattern: 'Stra.e|Grüße' })).text).toBe(
        'a.txt:150001: Straße nach Köln\na.txt:300002: Grüße\nb.txt:1: Grüße\n\n[a.txt was decoded from iso-8859-1.]',
      );
    });

    test('where more is found than can be held, they are in their places on every page', async () => {
      const long = `hit ${'x'.repeat(400)}\n`.repeat(20);
      const tree = Object.fromEntries(
        Array.from({ length: 40 }, (_, at) => [
          `f${at + 10}.txt`,
          at % 10 === 5 ? encoded('hit für Köln\n', 'latin1') : long,
        ]),
      );
      const page = (offset: number, pattern: string): Promise<Grepped> => grep(tree, { pattern, limit: 3, offset });
      for (const pattern of ['hit .', 'hit']) {
        expect((await page(100, pattern)).text.replaceAll(/x{400}/g, 'x')).toBe(
          'f14.txt:20: hit x\nf15.txt:1: hit für Köln\nf16.txt:1: hit x\n\n[Showing matches 100-102; there are more. Use offset=103 to continue.]\n[f15.txt was decoded from iso-8859-1.]',
        );
        expect((await page(723, pattern)).text.replaceAll(/x{400}/g, 'x')).toBe('f49.txt:19: hit x\nf49.txt:20: hit x');
      }
    });
  });
}

const [ripgrep] = engines;
const withRipgrep = grepWith(ripgrep?.rg ?? false);
const builtIn = grepWith(false);

test('in whatever charsets files are, ripgrep and the built-in matcher find the same', {
  timeout: counts({ test: 60_000, soak: 600_000 }),
}, async () => {
  const word = fc.constantFrom('hit', 'Köln', 'é', 'ß', 'x', '表', 'こん', '你好', 'a b', '\u{1F600}', '-', 'ソ');
  const line = fc.array(word, { maxLength: 5 }).map((words) => words.join(' '));
  const long = fc.constantFrom(1, 1, 1, 300);
  const file = fc
    .tuple(
      fc.array(line, { maxLength: 6 }),
      long,
      fc.constantFrom('utf-8', 'utf-8', 'latin1', 'shift_jis', 'gbk', 'utf-16le'),
    )
    .map(([lines, times, encoding]) =>
      encoded(`${lines.join('\n')}\n`.repeat(times), encoding, encoding === 'utf-16le'),
    );
  await fc.assert(
    fc.asyncProperty(
      fc.array(file, { minLength: 1, maxLength: 6 }),
      fc.constantFrom(
        'hit',
        'K.ln',
        'é',
        '表',
        '\\w+ hit',
        '[^a]b',
        'x\\b',
        'b\n.',
        'h|こん|你',
        '\\P{L} ',
        '(?i)KÖ',
        '.',
        '',
      ),
      fc.record({
        context: fc.integer({ min: 0, max: 1 }),
        limit: fc.integer({ min: 1, max: 40 }),
        offset: fc.integer({ min: 1, max: 50 }),
      }),
      async (files, pattern, options) => {
        const path = withRipgrep.folder(Object.fromEntries(files.map((content, at) => [`${at}.txt`, content])));
        const args = { pattern: pattern === '' ? '^' : pattern, path, ...options };
        const one = await withRipgrep.kernel.callTool('grep', args);
        const other = await builtIn.kernel.callTool('grep', args);
        const shown = (words: string): string => words.replaceAll(/\S*\/(?=\d\.txt)/g, '');
        expect(shown(resultText(other))).toBe(shown(resultText(one)));
        expect(one.details).toMatchObject({ engine: 'ripgrep' });
      },
    ),
    { seed: seed(), numRuns: counts({ test: 20, soak: 1_000 }) },
  );
});
