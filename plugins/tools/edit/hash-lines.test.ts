import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { resultText } from 'kern/contracts';
import { expect, test } from 'vitest';
import { testContext } from '../test/context.ts';
import { tagOf } from './hash-lines.ts';
import { testTool } from './test/tool.ts';

/** A file of lines, all of them shown to the session. */
function shownFile(text: string) {
  const context = testContext();
  const path = join(context.dir, 'a');
  writeFileSync(path, text);
  const { call, shown } = testTool({ format: 'hashline' });
  const lines = text.split(/\r\n|\n/).filter((line, at, all) => at < all.length - 1 || line !== '');
  shown(path, { from: 1, lines });
  return {
    path,
    shown,
    write: (content: string) => writeFileSync(path, content),
    read: () => readFileSync(path, 'utf8'),
    name: (line: number) => `${line}#${tagOf(lines[line - 1] ?? '', line)}`,
    edit: async (...edits: readonly unknown[]) => resultText(await call(context, { path: 'a', edits })),
    call: (args: Readonly<Record<string, unknown>>) => call(context, args),
  };
}

test('lines are replaced, put in and taken away by their names, all as they were before', async () => {
  const file = shownFile('one\r\ntwo\r\nthree\r\nfour\r\nfive');
  await file.edit(
    { loc: 'prepend', content: ['start'] },
    { loc: { range: { pos: file.name(2), end: file.name(3) } }, content: ['TWO', 'and', 'three'] },
    { loc: { append: file.name(4) }, content: 'four and a half\n' },
    { loc: { prepend: file.name(1) }, content: ['zero'] },
    { loc: { range: { pos: file.name(1), end: file.name(1) } }, content: null },
    { loc: 'append', content: ['six'] },
  );
  expect(file.read()).toBe('start\r\nzero\r\nTWO\r\nand\r\nthree\r\nfour\r\nfour and a half\r\nfive\r\nsix');
});

test('the answer has the new names, and they are good for the next edit', async () => {
  const file = shownFile('one\ntwo\nthree\n');
  const answer = await file.edit({ loc: { append: file.name(1) }, content: ['new'] });
  expect(answer).toBe(
    `Edited a:\n  1#${tagOf('one', 1)}:one\n+ 2#${tagOf('new', 2)}:new\n  3#${tagOf('two', 3)}:two\n  4#${tagOf('three', 4)}:three`,
  );
  await file.edit({
    loc: { range: { pos: `4#${tagOf('three', 4)}`, end: `4#${tagOf('three', 4)}` } },
    content: ['drei'],
  });
  expect(file.read()).toBe('one\nnew\ntwo\ndrei\n');
});

test('names that were copied into the content are left out', async () => {
  const file = shownFile('one\ntwo\n');
  await file.edit({ loc: { range: { pos: file.name(2), end: file.name(2) } }, content: [`${file.name(2)}:zwei`] });
  expect(file.read()).toBe('one\nzwei\n');
});

test('what looks like a name and is none that was shown is neither taken away nor written: it is asked about', async () => {
  const file = shownFile('one\ntwo\n');
  const answer = await file.edit({ loc: { append: file.name(2) }, content: ['40#ZZ:forty', '', '41#QM:more'] });
  expect(answer).toContain(
    'content begins with 40#ZZ:, which looks like the name of a line and is none that was shown',
  );
  expect(file.read()).toBe('one\ntwo\n');
  // As the answer says.
  await file.call({ path: 'a', edits: [{ oldText: 'two', newText: 'two\n40#ZZ:forty' }] });
  expect(file.read()).toBe('one\ntwo\n40#ZZ:forty\n');
  await file.edit({ loc: 'append', content: ['3#ZZ: three', 'plain'] });
  expect(file.read()).toBe('one\ntwo\n40#ZZ:forty\n3#ZZ: three\nplain\n');
});

test('an empty text is an empty line; null and an empty list are none', async () => {
  const file = shownFile('one\ntwo\nthree\nfour\n');
  const range = (line: number) => ({ range: { pos: file.name(line), end: file.name(line) } });
  await file.edit(
    { loc: range(1), content: '' },
    { loc: range(2), content: [''] },
    { loc: range(3), content: [] },
    { loc: 'append', content: '' },
  );
  expect(file.read()).toBe('\n\nfour\n\n');
});

test('a text that looks like a list is a text', async () => {
  const file = shownFile('x\n');
  await file.edit({ loc: { range: { pos: file.name(1), end: file.name(1) } }, content: '["a", "b"]' });
  expect(file.read()).toBe('["a", "b"]\n');
});

test('a file that has changed elsewhere is edited where the line is now', async () => {
  const file = shownFile('one\ntwo\nthree\nfour\n');
  file.write('new\none\ntwo\nTHREE\nfour\n');
  await file.edit({ loc: { range: { pos: file.name(2), end: file.name(2) } }, content: ['zwei'] });
  expect(file.read()).toBe('new\none\nzwei\nTHREE\nfour\n');
});

test('a line that has changed is refused, with the lines as they are now, and these are good for the next call', async () => {
  const file = shownFile('one\ntwo\nthree\nfour\n');
  file.write('new\none\nTWO\nthree\nfour\n');
  const answer = await file.edit({ loc: { range: { pos: file.name(1), end: file.name(2) } }, content: ['x'] });
  expect(answer).toContain('line 2 has changed since it was shown');
  expect(answer).toContain(`3#${tagOf('TWO', 3)}:TWO`);
  expect(file.read()).toContain('TWO');
  await file.edit({ loc: { range: { pos: `3#${tagOf('TWO', 3)}`, end: `3#${tagOf('TWO', 3)}` } }, content: ['x'] });
  expect(file.read()).toBe('new\none\nx\nthree\nfour\n');
});

test('a line in between that came or went is refused', async () => {
  const file = shownFile('one\ntwo\nthree\nfour\n');
  file.write('one\ntwo\nbetween\nthree\nfour\n');
  expect(await file.edit({ loc: { range: { pos: file.name(2), end: file.name(3) } }, content: null })).toContain(
    'the lines 2 to 3 are not as they were shown',
  );
  expect(file.read()).toContain('between');
});

test('an equal name says nothing: another line of the same tag is another line', async () => {
  // 1 of 256: found by trying.
  const tag = tagOf('value = 0', 2);
  const other = Array.from({ length: 5_000 }, (_, at) => `value = ${at + 1}`).find((line) => tagOf(line, 2) === tag);
  const file = shownFile('one\nvalue = 0\nthree\n');
  file.write(`one\n${other}\nthree\n`);
  expect(await file.edit({ loc: { range: { pos: file.name(2), end: file.name(2) } }, content: ['x'] })).toContain(
    'line 2 has changed',
  );
  expect(file.read()).toContain(other);
});

test('a wrong tag, a line that is not there and one that was never shown are refused', async () => {
  const file = shownFile('one\ntwo\n');
  const wrong = file.name(2).endsWith('ZZ') ? '2#PP' : '2#ZZ';
  expect(await file.edit({ loc: { append: wrong }, content: ['x'] })).toContain(`${wrong} is no line that was shown`);
  expect(await file.edit({ loc: { append: '9#ZZ' }, content: ['x'] })).toContain(
    'line 9 was not shown to you; the file has 2',
  );
  const context = testContext();
  writeFileSync(join(context.dir, 'b'), 'one\n');
  const unseen = await testTool({ format: 'hashline' }).call(context, {
    path: 'b',
    edits: [{ loc: { append: `1#${tagOf('one', 1)}` }, content: ['x'] }],
  });
  expect(resultText(unseen)).toBe(
    `b was not changed.\nThe edit: line 1 was not shown to you. Nothing is edited unseen.\nThe lines are now:\n1#${tagOf('one', 1)}:one`,
  );
});

test('a range over two pages that were read one after the other is one', async () => {
  const file = shownFile('');
  file.write('one\ntwo\nthree\nfour\n');
  file.shown(file.path, { from: 1, lines: ['one', 'two'] }, { from: 3, lines: ['three', 'four'] });
  const name = (line: number, text: string) => `${line}#${tagOf(text, line)}`;
  await file.edit({ loc: { range: { pos: name(2, 'two'), end: name(3, 'three') } }, content: ['x'] });
  expect(file.read()).toBe('one\nx\nfour\n');
});

test('a file is renamed and deleted', async () => {
  const file = shownFile('one\n');
  expect(resultText(await file.call({ path: 'a', edits: [{ loc: 'append', content: 'two' }], move: 'b' }))).toContain(
    'Renamed a to b and edited it',
  );
  expect(resultText(await file.call({ path: 'b', delete: true }))).toBe('Deleted b.');
});
