import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { diffArrays } from 'diff';
import fc from 'fast-check';
import iconv from 'iconv-lite';
import { encodeText, resultText } from 'kern/contracts';
import { expect, test } from 'vitest';
import { counts, seed } from '../../cli/test/soak.ts';
import { testContext } from '../test/context.ts';
import { applyEdits } from './apply.ts';
import { parseArguments } from './formats/parse.ts';
import { align } from './fresh.ts';
import { applyLines, taggedLine } from './hash-lines.ts';
import { applyHunks } from './hunks.ts';
import { lineTexts } from './lines.ts';
import { formats } from './request.ts';
import { resolverOf } from './resolve-anchor.ts';
import { bytesAfter, sourceAsRead, sourceOf } from './source.ts';
import { testTool } from './test/tool.ts';

const options = { numRuns: counts({ test: 250, soak: 10_000 }), seed: seed() };

const bytes = (text: string, encoding: string): Buffer => iconv.encode(text, encoding, { addBOM: false });

/** Texts of a charset, as alphabets. */
const charsets: readonly { readonly name: string; readonly bom: string; readonly letters: readonly string[] }[] = [
  {
    name: 'utf-8',
    bom: '',
    letters: ['a', 'ä', '€', '😀', '\u0000', '\ufffd', '\u2028', '“', ' ', '\t', '中', 'e\u0301', '\u200b'],
  },
  { name: 'utf-8', bom: 'efbbbf', letters: ['a', 'ä', '€', '😀', '\ufeff', ' '] },
  { name: 'utf-16le', bom: 'fffe', letters: ['a', 'ä', '€', '😀', '\u0a0d', '\u0d0a', '中', ' '] },
  { name: 'utf-16be', bom: 'feff', letters: ['a', 'ä', '€', '😀', '\u0a00', '\u000a\u0d00'.slice(1), ' '] },
  { name: 'utf-16le', bom: '', letters: ['a', 'b', 'ä', '中', ' '] },
  { name: 'iso-8859-1', bom: '', letters: ['a', 'ä', 'ß', 'é', '\u00a0', ' '] },
  { name: 'windows-1252', bom: '', letters: ['a', '€', '“', '”', '–', 'é', ' '] },
  { name: 'shift_jis', bom: '', letters: ['a', 'ソ', '表', '日', '本', 'ｱ', ' '] },
  { name: 'gb18030', bom: '', letters: ['a', '中', '文', '€', '😀', ' '] },
  { name: 'big5', bom: '', letters: ['a', '中', '功', '許', ' '] },
  { name: 'euc-kr', bom: '', letters: ['a', '한', '글', ' '] },
  { name: 'koi8-r', bom: '', letters: ['a', 'ж', 'Ё', ' '] },
];

interface RandomLine {
  readonly text: string;
  readonly end: string;
}

const file = fc.constantFrom(...charsets).chain(({ name, bom, letters }) =>
  fc.record({
    encoding: fc.constant(name),
    bom: fc.constant(bom),
    lines: fc.array(
      fc.record({
        text: fc
          .tuple(fc.array(fc.constantFrom(...letters), { maxLength: 12 }), fc.constantFrom(1, 1, 1, 1, 400))
          .map(([part, times]) => part.join('').repeat(times)),
        end: fc.constantFrom('\n', '\r\n', '\r\n', '\r'),
      }),
      { minLength: 1, maxLength: 15 },
    ),
    hasFinalEnd: fc.boolean(),
    isNamed: fc.boolean(),
    /** What is no text at all, in one of its lines. */
    junk: fc.constantFrom(
      undefined,
      undefined,
      Buffer.from([0xff]),
      Buffer.from([0x81]),
      Buffer.from([0xc3]),
      Buffer.from([0xed, 0xa0, 0x80]),
    ),
  }),
);

/** What is asked of the edit tool, in each of its formats: lines that become others, lines that go. */
function callFor(
  format: (typeof formats)[number],
  texts: readonly string[],
  chosen: ReadonlyMap<number, readonly string[]>,
): Record<string, unknown> {
  const edits = [...chosen].sort(([a], [b]) => a - b);
  switch (format) {
    case 'replace':
      return { path: 'a', edits: edits.map(([at, lines]) => ({ oldText: texts[at], newText: lines.join('\n') })) };
    case 'hashline':
      return {
        path: 'a',
        edits: edits.map(([at, lines]) => {
          const name = taggedLine(at + 1, texts[at] ?? '').split(':', 1)[0];
          return { loc: { range: { pos: name, end: name } }, content: lines };
        }),
      };
    default: {
      const hunks = edits.flatMap(([at, lines]) => ['@@', `-${texts[at]}`, ...lines.map((line) => `+${line}`)]);
      return format === 'patch'
        ? { path: 'a', diff: hunks.join('\n') }
        : { patch: ['*** Begin Patch', '*** Update File: a', ...hunks, '*** End Patch'].join('\n') };
    }
  }
}

test('random files of every encoding, random edits of every format: what is not edited keeps its bytes', async () => {
  let made = 0;
  await fc.assert(
    fc.asyncProperty(
      file,
      fc.constantFrom(...formats),
      fc.array(
        fc.tuple(fc.nat(), fc.array(fc.constantFrom('new', 'other line', '  x = 1;'), { minLength: 1, maxLength: 3 })),
        {
          minLength: 1,
          maxLength: 5,
        },
      ),
      async ({ encoding, bom, lines, hasFinalEnd, isNamed, junk }, format, choices) => {
        // Every line is known by its number, and none is a part of another.
        const all = lines.map((line, at): RandomLine & { bytes: Buffer } => {
          const text = `<${at}>${line.text}|`;
          const end = at === lines.length - 1 && !hasFinalEnd ? '' : line.end;
          return { text, end, bytes: bytes(text, encoding) };
        });
        const first = all[0];
        if (junk !== undefined && first !== undefined && encoding === 'utf-8')
          first.bytes = Buffer.concat([first.bytes, junk, bytes('|', encoding)]);
        const lead = Buffer.from(bom, 'hex');
        const whole = Buffer.concat([lead, ...all.flatMap((line) => [line.bytes, bytes(line.end, encoding)])]);
        const source = await sourceOf(whole, isNamed ? encoding : undefined);
        const texts = lineTexts(source.text);
        // Taken for something else it may have other lines: then only what is outside of all edits is looked at.
        const isOther = source.encoding !== encoding && `${source.encoding}${encoding}`.includes('utf-16');
        if (source.encoding !== encoding) expect(isNamed).toBe(false);
        if (texts.length !== all.length) {
          expect(isNamed).toBe(false);
          return;
        }
        const chosen = new Map(
          choices.map(([at, texts]) => [at % all.length, texts.map((text, n) => `${text} ${at} ${n}`)]),
        );
        if (junk !== undefined && encoding === 'utf-8') chosen.delete(0);
        if (chosen.size === 0) return;
        const parsed = parseArguments(callFor(format, texts, chosen), format);
        if (!('request' in parsed)) throw new Error(parsed.problem);
        const [request] = parsed.request.files;
        if (request?.op !== 'update') throw new Error('no update');
        const run = { from: 1, lines: texts };
        const applied =
          request.by.kind === 'texts'
            ? applyEdits(source.text, request.by.edits, diffArrays)
            : request.by.kind === 'hunks'
              ? applyHunks(source.text, request.by.hunks, diffArrays)
              : applyLines(source.text, request.by.edits, resolverOf(texts, [align(run, texts)]).resolve, diffArrays);
        if (!isOther) expect(applied).toMatchObject({ ok: true });
        if (!applied.ok) return;
        const result = await bytesAfter(source, applied.splices);
        made += 1;
        if (isOther) {
          const [first, last] = [applied.splices[0], applied.splices.at(-1)];
          const head =
            lead.length + (await encodeText(source.text.slice(0, first?.start), source.encoding, false)).length;
          const tail = (await encodeText(source.text.slice(last?.end), source.encoding, false)).length;
          expect(result.subarray(0, head)).toEqual(whole.subarray(0, head));
          expect(result.subarray(result.length - tail)).toEqual(whole.subarray(whole.length - tail));
          return;
        }
        const common = (at: number): string => {
          const own = all[at]?.end;
          if (own !== undefined && own !== '') return own;
          return all[at - 1]?.end || '\n';
        };
        const expected = Buffer.concat([
          lead,
          ...all.flatMap((line, at) => {
            const news = chosen.get(at);
            if (news === undefined) return [line.bytes, bytes(line.end, encoding)];
            return [bytes(news.join(common(at)), encoding), bytes(line.end, encoding)];
          }),
        ]);
        expect(result.toString('hex')).toBe(expected.toString('hex'));
      },
    ),
    options,
  );
  expect(made).toBeGreaterThan(options.numRuns / 2);
});

test.each([
  ['UTF-16 LE with a mark', 'utf-16le', 'fffe', 'naïve “x”\r\nsecond\r\n', 'second', 'zwölf €😀'],
  ['UTF-16 BE with a mark', 'utf-16be', 'feff', 'naïve “x”\r\nsecond\r\n', 'second', 'zwölf €😀'],
  ['UTF-8 with a mark', 'utf-8', 'efbbbf', 'eins\r\nzwei\n', 'zwei', 'drei €'],
  ['Shift-JIS', 'shift_jis', '', '// 日本語のテキストです。\r\n表示 = "ソ";\r\n', '表示', '能力'],
  ['GB 18030', 'gb18030', '', '# 中文文本,这是用于测试的文件。\n代码里有注释\n', '注释', '说明'],
  ['Latin-1', 'iso-8859-1', '', '# Grüße aus Köln, schöne Straße\nÄpfel und Öl über alles\n', 'Öl', 'Äther'],
])('a file in %s stays in it', async (_what, encoding, bom, text, oldText, newText) => {
  const context = testContext();
  const path = join(context.dir, 'a');
  const lead = Buffer.from(bom, 'hex');
  writeFileSync(path, Buffer.concat([lead, bytes(text, encoding)]));
  const result = await testTool().call(context, { path: 'a', edits: [{ oldText, newText }] });
  expect(resultText(result)).toContain(encoding === 'utf-8' ? 'Edited a:' : `Edited a (in ${encoding}):`);
  expect(readFileSync(path)).toEqual(Buffer.concat([lead, bytes(text.replace(oldText, newText), encoding)]));
});

test('a character that the encoding of the file does not have is refused by its name, and nothing is written', async () => {
  const context = testContext();
  const path = join(context.dir, 'a');
  const before = bytes('# Grüße aus Köln, schöne Straße\nÄpfel und Öl über alles\n', 'iso-8859-1');
  writeFileSync(path, before);
  const result = await testTool().call(context, { path: 'a', edits: [{ oldText: 'Öl', newText: '油' }] });
  expect(result.isError).toBe(true);
  expect(resultText(result)).toContain('"油" (U+6CB9)');
  expect(readFileSync(path)).toEqual(before);
});

test('a damaged UTF-8 file is edited as UTF-8, and its stray byte stays', async () => {
  const context = testContext();
  const path = join(context.dir, 'a');
  const lead = Buffer.from([...Buffer.from('café naïve '), 0xff, 0x0a]);
  writeFileSync(path, Buffer.concat([lead, Buffer.from('target\n')]));
  await testTool().call(context, { path: 'a', edits: [{ oldText: 'target', newText: 'tü' }] });
  expect(readFileSync(path)).toEqual(Buffer.concat([lead, Buffer.from('tü\n')]));
});

test('an encoding that was told counts for what is not UTF-8', async () => {
  const encodingOf = async (file: Buffer, told: string) => (await sourceAsRead(file, told)).encoding;
  expect(await encodingOf(Buffer.from('café'), 'iso-8859-1')).toBe('utf-8');
  expect(await encodingOf(Buffer.from('plain'), 'iso-8859-1')).toBe('utf-8');
  expect(await encodingOf(Buffer.from('plain'), 'utf-16le')).toBe('utf-8');
  expect(await encodingOf(bytes('café', 'iso-8859-1'), 'koi8-r')).toBe('koi8-r');
  expect(await encodingOf(bytes('ab', 'utf-16le'), 'utf-16le')).toBe('utf-16le');
});

test('bytes that are no characters stay, and what stands for them on the screen is never written', async () => {
  const context = testContext();
  const path = join(context.dir, 'a');
  const before = Buffer.from([...Buffer.from('ä ö ü ä ö ü ä ö ü x = “a'), 0xff, 0xfe, ...Buffer.from('b”;\nend\n')]);
  writeFileSync(path, before);
  const { call } = testTool();
  const found = await call(context, {
    path: 'a',
    edits: [{ oldText: 'a\ufffd\ufffdb”;\nend', newText: 'a\ufffd\ufffdb”;\nstop' }],
  });
  expect(resultText(found)).toContain('+stop');
  expect(readFileSync(path)).toEqual(Buffer.from([...before.subarray(0, -4), ...Buffer.from('stop\n')]));
  const refused = await call(context, { path: 'a', edits: [{ oldText: 'stop', newText: 'x\ufffd' }] });
  expect(refused.isError).toBe(true);
  expect(resultText(refused)).toContain('U+FFFD');
});
