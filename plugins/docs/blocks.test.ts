import { expect, test } from 'vitest';
import { fill, table } from './blocks.ts';

const page = ['# Page', 'before', '<!-- generated: list -->', 'old', '<!-- end -->', 'after', ''].join('\n');

test('only what stands between the marks is made anew', () => {
  const filled = fill(page, { list: ['new', 'lines'] }, 'page.md');
  expect(filled).toBe('# Page\nbefore\n<!-- generated: list -->\n\nnew\nlines\n\n<!-- end -->\nafter\n');
});

test('filling twice is filling once', () => {
  const once = fill(page, { list: ['new'] }, 'page.md');
  expect(fill(once, { list: ['new'] }, 'page.md')).toBe(once);
});

test('a part that nothing makes, one without an end and an end without a beginning are told by page', () => {
  expect(() => fill(page, {}, 'page.md')).toThrow('page.md: there is nothing that makes list');
  expect(() => fill('<!-- generated: list -->', { list: [] }, 'page.md')).toThrow('page.md: list has no end');
  expect(() => fill('<!-- end -->', {}, 'page.md')).toThrow('page.md: an end without a beginning');
  const nested = '<!-- generated: list -->\n<!-- generated: list -->\n<!-- end -->';
  expect(() => fill(nested, { list: [] }, 'page.md')).toThrow('page.md: list begins before list ends');
});

test('a cell cannot break its table', () => {
  expect(table(['a', 'b'], [['x | y', 'two\nlines']])).toEqual(['| a | b |', '|---|---|', '| x \\| y | two lines |']);
});
