import fc from 'fast-check';
import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import { counts, seed } from '../../cli/test/soak.ts';
import { decodeText, encodeText, encodingName, readableText } from './codec.ts';
import { detectEncoding } from './detect.ts';

const samples = {
  ja: '// 日本語のテキストです。\r\nこれは試験用の文章です。コードにコメントがあります。\n',
  zh: '# 中文文本,这是用于测试的文件。\n代码里有注释,还有更多的文字。\n',
  zhTraditional: '# 中文文字,這是用於測試的檔案。\n程式碼裡有註解,還有更多的文字。\n',
  ko: '# 한국어 텍스트입니다. 테스트용 파일입니다.\n여기에 더 많은 글자가 있습니다.\n',
  ru: '# Русский текст для проверки кодировки файла.\nЗдесь есть ещё немного слов, чтобы было понятно.\n',
  de: '# Grüße aus Köln, schöne Straße\nÄpfel und Öl über alles, nämlich.\n',
  fr: '# Ça été déjà vu: le café à côté\nde la forêt, naïve et très sûre.\n',
} as const;

test.each([
  ['ja', 'shift_jis'],
  ['ja', 'euc-jp'],
  ['zh', 'gb18030'],
  ['zhTraditional', 'big5'],
  ['ko', 'euc-kr'],
  ['ru', 'koi8-r'],
  ['ru', 'windows-1251'],
  ['de', 'iso-8859-1'],
  ['fr', 'iso-8859-1'],
  ['ja', 'utf-8'],
  ['ja', 'utf-16le'],
  ['zh', 'utf-16be'],
  ['de', 'utf-16le'],
  ['ru', 'utf-16be'],
] as const)('a text (%s) in %s is recognised without a mark, and comes back as it was', async (language, encoding) => {
  const bytes = iconv.encode(samples[language], encoding, { addBOM: false });
  const decoded = await decodeText(bytes);
  expect(decoded).toEqual({ text: samples[language], encoding, bom: false });
  expect(Buffer.from(await encodeText(decoded.text, decoded.encoding, decoded.bom)).equals(bytes)).toBe(true);
});

test.each([
  ['"Grüße"', 'iso-8859-1'],
  ['naïve café', 'iso-8859-1'],
  ['x = “quoted”; // it’s', 'windows-1252'],
  ['a = "テスト中"\n', 'shift_jis'],
  ['a = "テスト中です"\n', 'euc-jp'],
  ['a = "中文文本"\n', 'gb18030'],
  ['a = "한국어"\n', 'euc-kr'],
])('few words are enough: %s', async (text, encoding) => {
  const decoded = await decodeText(iconv.encode(text, encoding));
  expect(decoded).toEqual({ text, encoding, bom: false });
});

test.each(['utf-8', 'utf-16le', 'utf-16be', 'utf-32le', 'utf-32be'])(
  'the mark of %s is no part of the text, and is kept',
  async (encoding) => {
    const bytes = iconv.encode('a\nü€😀', encoding, { addBOM: true });
    const decoded = await decodeText(bytes);
    expect(decoded).toEqual({ text: 'a\nü€😀', encoding, bom: true });
    expect(Buffer.from(await encodeText(decoded.text, encoding, true)).equals(bytes)).toBe(true);
  },
);

test('an empty file, a mark alone and plain ASCII are UTF-8 or what the mark says', async () => {
  expect(await decodeText(Buffer.alloc(0))).toEqual({ text: '', encoding: 'utf-8', bom: false });
  expect(await decodeText(Buffer.from([0xff, 0xfe]))).toEqual({ text: '', encoding: 'utf-16le', bom: true });
  expect(await decodeText(Buffer.from('plain'))).toEqual({ text: 'plain', encoding: 'utf-8', bom: false });
});

test('UTF-8 with a stray byte stays UTF-8, the byte is shown as none and kept', async () => {
  const bytes = Buffer.concat([Buffer.from('größer, schöner, wärmer, über '), Buffer.from([0xff]), Buffer.from(' x')]);
  const decoded = await decodeText(bytes);
  expect(decoded.encoding).toBe('utf-8');
  expect(readableText(decoded.text)).toBe('größer, schöner, wärmer, über \ufffd x');
  expect(Buffer.from(await encodeText(decoded.text, 'utf-8', false)).equals(bytes)).toBe(true);
});

test.each([
  ['a byte behind two characters', 'caf\u00c3\u00a9 na\u00c3\u00afve \u00ff\ntarget\n', 'café naïve \ufffd\ntarget\n'],
  ['half a character at the end', 'caf\u00c3\u00a9 target \u00c3', 'café target \ufffd'],
  ['a byte behind one character', 'caf\u00c3\u00a9 \u00ff', 'café \ufffd'],
  ['a byte beside the character', 'caf\u00c3\u00a9\u00ff', 'café\ufffd'],
])('UTF-8 that is damaged is UTF-8, however short: %s', async (_what, latin1, shown) => {
  const bytes = Buffer.from(latin1, 'latin1');
  const decoded = await decodeText(bytes);
  expect(decoded.encoding).toBe('utf-8');
  expect(readableText(decoded.text)).toBe(shown);
  expect(Buffer.from(await encodeText(decoded.text, 'utf-8', false)).equals(bytes)).toBe(true);
});

test.each([
  ['x = "使用者名稱"\n', 'big5'],
  ['x = "文件打开关闭系统"\n', 'gb18030'],
])('words of an old charset that look half like UTF-8 are no damaged UTF-8: %s', async (text, encoding) => {
  expect(await decodeText(iconv.encode(text, encoding))).toEqual({ text, encoding, bom: false });
});

test('NULs and C strings are not taken for UTF-16', async () => {
  for (const bytes of [
    Buffer.from('ABC\0'),
    Buffer.from('first\0second\0third\0'),
    Buffer.from([1, 0, 2, 0]),
    Buffer.from('a\0\0b'),
  ])
    expect((await detectEncoding(bytes, true)).encoding).not.toMatch(/utf-16/);
});

test('the end of a sample in the middle of a character does not make it another charset', async () => {
  const bytes = Buffer.from('中文文本'.repeat(10)).subarray(0, 100);
  expect((await detectEncoding(bytes, false)).encoding).toBe('utf-8');
});

describe('what a charset does not have is refused by name', () => {
  test.each([
    ['€', 'iso-8859-1', '"€" (U+20AC)'],
    ['😀', 'shift_jis', '"😀" (U+1F600)'],
    ['ü', 'koi8-r', '"ü" (U+00FC)'],
    ['日', 'windows-1252', '"日" (U+65E5)'],
  ])('%s in %s', async (character, encoding, name) => {
    await expect(encodeText(`fine ${character} fine`, encoding, false)).rejects.toMatchObject({
      code: 'text_not_encodable',
      message: `${encoding} has no ${name}`,
    });
  });
  test('half a character', async () => {
    await expect(encodeText('x\ud83d', 'utf-8', false)).rejects.toMatchObject({ code: 'text_not_encodable' });
  });
});

test('an encoding may be forced, by many names; what is none is refused', async () => {
  const bytes = Buffer.from([0xe9, 0x0a]);
  expect((await decodeText(bytes, 'Latin1')).text).toBe('é\n');
  expect((await decodeText(bytes, 'KOI8-R')).text).toBe('И\n');
  expect((await decodeText(Buffer.from('a\0'), 'utf-16')).text).toBe('a');
  expect(await Promise.all(['UTF8', 'Shift_JIS', 'sjis', 'GBK', 'cp1251'].map(encodingName))).toEqual([
    'utf-8',
    'shift_jis',
    'shift_jis',
    'gbk',
    'cp1251',
  ]);
  for (const none of ['base64', 'hex', 'klingon', 'utf-7'])
    await expect(decodeText(bytes, none)).rejects.toMatchObject({ code: 'unknown_encoding' });
});

test('UTF-16 that ends in half a unit is said to be damaged', async () => {
  await expect(decodeText(Buffer.from([0xff, 0xfe, 0x41, 0, 0x42]))).rejects.toMatchObject({ code: 'text_damaged' });
});

const forced = [
  'utf-8',
  'iso-8859-1',
  'windows-1252',
  'shift_jis',
  'euc-jp',
  'gbk',
  'gb18030',
  'big5',
  'euc-kr',
  'koi8-r',
  'windows-1251',
];

test('whatever the bytes, decoding and encoding gives the same bytes, in the encoding found and in any forced one', async () => {
  const pieces = fc.oneof(
    fc.uint8Array({ maxLength: 12 }),
    fc.string({ unit: 'binary', maxLength: 8 }).map((text) => Buffer.from(text)),
    fc
      .constantFrom(...Object.values(samples))
      .chain((text) =>
        fc.constantFrom(...forced, 'utf-16le', 'utf-16be').map((name) => iconv.encode(text.slice(0, 9), name)),
      ),
    fc.constantFrom('\r\n', '\n', '\r', '\0', 'plain', '\ufeff').map((text) => Buffer.from(text)),
  );
  const property = fc.asyncProperty(
    fc.array(pieces, { maxLength: 12 }),
    fc.option(fc.constantFrom(...forced), { nil: undefined }),
    async (parts, encoding) => {
      const bytes = Buffer.concat(parts);
      const decoded = await decodeText(bytes, encoding).catch((error: { code?: string }) => {
        expect(error.code).toBe('text_damaged');
        return undefined;
      });
      if (decoded === undefined) return;
      const back = await encodeText(decoded.text, decoded.encoding, decoded.bom);
      expect(Buffer.from(back).toString('hex')).toBe(bytes.toString('hex'));
    },
  );
  await fc.assert(property, { seed: seed(), numRuns: counts({ test: 300, soak: 20_000 }) });
});

test('a character that was encoded is the one that is read back, or it was refused', async () => {
  const property = fc.asyncProperty(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.constantFrom(...forced, 'utf-16le', 'utf-16be', 'utf-32le'),
    async (text, encoding) => {
      const bytes = await encodeText(text, encoding, false).catch((error: { code?: string }) => {
        expect(error.code).toBe('text_not_encodable');
        return undefined;
      });
      if (bytes !== undefined) expect(iconv.decode(Buffer.from(bytes), encoding, { stripBOM: false })).toBe(text);
    },
  );
  await fc.assert(property, { seed: seed(), numRuns: counts({ test: 300, soak: 20_000 }) });
});
