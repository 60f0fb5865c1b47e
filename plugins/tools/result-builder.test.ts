import { expect, test } from 'vitest';
import { formatOutputNotice, withOutputNotice } from './output-meta.ts';
import { resultText } from './result.ts';
import { toolResultBuilder } from './result-builder.ts';
import { truncateHead, truncateMiddle, truncateTail } from './truncate.ts';

const numbered = (count: number): string => Array.from({ length: count }, (_, at) => String(at + 1)).join('\n');
const few = { lines: 3, bytes: 1024 };

test('a result without anything to say has no details', () => {
  expect(toolResultBuilder().text('hello').done()).toEqual({ content: [{ type: 'text', text: 'hello' }] });
  expect(toolResultBuilder({ size: undefined }).text('hello').done()).not.toHaveProperty('details');
  expect(toolResultBuilder({ size: 1 }).text('x').done().details).toEqual({ size: 1 });
  expect(toolResultBuilder().text('no').error().terminate().done()).toMatchObject({ isError: true, terminate: true });
});

test('the model reads which lines it sees, of how many, and how to go on', () => {
  const cut = truncateHead(numbered(10), few);
  const result = toolResultBuilder().text(cut.text).truncation(cut, { hasOffset: true }).done();
  expect(result.details?.meta?.truncation).toMatchObject({ direction: 'head', from: 1, to: 3, nextOffset: 4 });
  expect(resultText(withOutputNotice(result))).toBe('1\n2\n3\n\n[Showing lines 1-3 of 10. Use offset=4 to continue.]');
  const later = toolResultBuilder().truncationFromText(numbered(10), { limits: few, startLine: 5, hasOffset: true });
  expect(resultText(withOutputNotice(later.done()))).toContain('[Showing lines 5-7 of 14. Use offset=8 to continue.]');
});

test('the end of an output names the artifact that holds all of it', () => {
  const cut = truncateTail(numbered(10), few);
  const result = toolResultBuilder().text(cut.text).truncation(cut, { artifactId: '7' }).done();
  expect(resultText(withOutputNotice(result))).toBe(
    '8\n9\n10\n\n[Showing lines 8-10 of 10. Whole output: artifact://7]',
  );
});

test('a limit of bytes is named, and a line that is over it by itself', () => {
  const limits = { lines: 100, bytes: 2048 };
  const byBytes = toolResultBuilder().truncationFromText(numbered(2000), { limits }).done();
  expect(formatOutputNotice(byBytes.details?.meta ?? {})).toMatch(/^\[Showing lines 1-100 of 2000\.\]$/);
  const wide = toolResultBuilder()
    .truncationFromText(`${'wide\n'.repeat(1)}${'x'.repeat(3000)}`, { limits })
    .done();
  expect(formatOutputNotice(wide.details?.meta ?? {})).toBe('[Showing lines 1-1 of 2 (2 KB limit).]');
  const long = toolResultBuilder().truncationFromText('x'.repeat(3000), { limits, direction: 'tail' }).done();
  expect(formatOutputNotice(long.details?.meta ?? {})).toBe(
    '[Showing the end of line 1, which is over 2 KB; the output has 2.9 KB.]',
  );
});

test('what is left out in the middle is counted', () => {
  const cut = truncateMiddle(numbered(100), { lines: 6, bytes: 1024 });
  expect(cut.text).toBe('1\n2\n3\n[… 94 lines …]\n98\n99\n100');
  const result = toolResultBuilder().text(cut.text).truncation(cut).done();
  expect(resultText(withOutputNotice(result))).toContain('[Showing lines 1-3 and 98-100 of 100.]');
});

test('limits, sources and diagnostics have their place', () => {
  const result = toolResultBuilder()
    .text('found')
    .matchLimit(100, 'Use offset=101.')
    .resultLimit(5)
    .headLimit(2)
    .columnTruncated(500)
    .sourceUrl('https://example.org/')
    .diagnostics('2 problems', ['a.ts:1: one', 'a.ts:2: two'])
    .done();
  expect(result.details?.meta).toMatchObject({ source: { type: 'url', value: 'https://example.org/' } });
  expect(resultText(withOutputNotice(result))).toBe(
    [
      'found\n',
      '[The first 100 matches are shown; there are more. Use offset=101.]',
      '[The first 5 results are shown; there are more.]',
      '[The first 2 lines are shown; there are more.]',
      '[Lines longer than 500 characters are cut, marked by …]',
      '[2 problems\na.ts:1: one\na.ts:2: two]',
    ].join('\n'),
  );
  expect(toolResultBuilder().sourcePath('/a').done().details).toEqual({
    meta: { source: { type: 'path', value: '/a' } },
  });
  expect(formatOutputNotice({ source: { type: 'internal', value: 'x' } })).toBeUndefined();
});

test('a notice is put below the last text, once, and beside images as a text of its own', () => {
  const meta = { limits: { columns: 10 } };
  const image = { type: 'image', data: '', mimeType: 'image/png' } as const;
  const text = (said: string) => ({ type: 'text', text: said }) as const;
  const notice = '[Lines longer than 10 characters are cut, marked by …]';
  expect(withOutputNotice({ content: [text('a'), image], details: { meta } }).content).toEqual([
    text(`a\n\n${notice}`),
    image,
  ]);
  expect(withOutputNotice({ content: [image], details: { meta } }).content).toEqual([image, text(notice)]);
  const once = withOutputNotice({ content: [text('')], details: { meta } });
  expect(once.content).toEqual([text(notice)]);
  expect(withOutputNotice(once)).toBe(once);
});

test('details that have a meta of their own are left alone', () => {
  for (const meta of ['text', 7, null, { truncation: 'yes' }, { limits: null }, { other: 1 }]) {
    const result = { content: [{ type: 'text' as const, text: 'a' }], details: { meta } };
    expect(resultText(withOutputNotice(result))).toMatch(/^a/);
  }
});
