import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type FileStore, resultText } from 'kern/contracts';
import { KernError } from 'kern/plugin';
import { expect, test } from 'vitest';
import { createFileStore } from '../file-store.ts';
import { testContext } from '../test/context.ts';
import { testTool } from './test/tool.ts';

const { call, tool } = testTool({ format: 'apply_patch' });
const patchOf = (...lines: readonly string[]) => ({ patch: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') });

test('patch: a file is made, changed, renamed and deleted', async () => {
  const context = testContext();
  const a = join(context.dir, 'deep/a.sh');
  expect(resultText(await call(context, { path: 'deep/a.sh', op: 'create', diff: 'one\ntwo\n' }))).toBe(
    'Created deep/a.sh.',
  );
  expect(readFileSync(a, 'utf8')).toBe('one\ntwo\n');
  chmodSync(a, 0o755);
  const renamed = await call(context, { path: 'deep/a.sh', rename: 'b/c.sh', diff: '@@\n-one\n+1' });
  expect(resultText(renamed)).toBe('Renamed deep/a.sh to b/c.sh and edited it:\n@@ -1,2 +1,2 @@\n-one\n+1\n two');
  const c = join(context.dir, 'b/c.sh');
  expect(readFileSync(c, 'utf8')).toBe('1\ntwo\n');
  expect(statSync(c).mode & 0o777).toBe(0o755);
  expect(existsSync(a)).toBe(false);
  expect(resultText(await call(context, { path: 'b/c.sh', rename: 'd' }))).toBe('Renamed b/c.sh to d.');
  expect(resultText(await call(context, { path: 'd', op: 'delete' }))).toBe('Deleted d.');
  expect(readdirSync(context.dir).sort()).toEqual(['b', 'deep']);
  expect(context.written).toEqual(expect.arrayContaining([a, c, join(context.dir, 'd')]));
});

test('patch: a new file has the text that was given, + in front of its lines too, unless that is the + of a diff', async () => {
  const context = testContext();
  const made = async (diff: string): Promise<string> => {
    await call(context, { path: 'a', op: 'create', diff });
    const text = readFileSync(join(context.dir, 'a'), 'utf8');
    await call(context, { path: 'a', op: 'delete' });
    return text;
  };
  expect(resultText(await call(context, { path: 'b', op: 'create', diff: '+x' }))).toBe(
    'Created b (every line begins with +, as it was given).',
  );
  expect(await made('+ milk\n+ bread\n')).toBe('+ milk\n+ bread\n');
  expect(await made('+one\n+two')).toBe('+one\n+two');
  expect(await made('@@ -0,0 +1,2 @@\n+one\n+two')).toBe('one\ntwo\n');
  expect(await made('--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+++i;\n')).toBe('++i;\n');
  expect(await made('@@\n+++ x')).toBe('++ x\n');
  expect(await made('@@ a heading\ntext\n')).toBe('@@ a heading\ntext\n');
});

test('patch: a file that is there is not made anew, nor is one renamed over it', async () => {
  const context = testContext();
  for (const name of ['a', 'b']) writeFileSync(join(context.dir, name), name);
  expect(resultText(await call(context, { path: 'a', op: 'create', diff: 'x' }))).toContain('a is there already');
  expect(resultText(await call(context, { path: 'a', rename: 'b', diff: '@@\n-a\n+x' }))).toContain(
    'b is there already',
  );
  expect(readFileSync(join(context.dir, 'b'), 'utf8')).toBe('b');
});

test('a new path that is the old one is no new path', async () => {
  const context = testContext();
  writeFileSync(join(context.dir, 'a'), 'a\n');
  expect(resultText(await call(context, { path: 'a', rename: 'a', diff: '@@\n-a\n+b' }))).toContain('Edited a:');
});

test('a link is neither deleted nor renamed, and edited where it leads', async () => {
  const context = testContext();
  writeFileSync(join(context.dir, 'a'), 'a\n');
  symlinkSync('a', join(context.dir, 'link'));
  expect(resultText(await call(context, { path: 'link', op: 'delete' }))).toContain('is a symlink');
  expect(resultText(await call(context, { path: 'link', rename: 'x' }))).toContain('is a symlink');
  await call(context, { path: 'link', diff: '@@\n-a\n+b' });
  expect(readFileSync(join(context.dir, 'a'), 'utf8')).toBe('b\n');
});

test('a new file has the line ends that its folder has', async () => {
  const context = testContext();
  writeFileSync(join(context.dir, '.editorconfig'), '[*.txt]\nend_of_line = crlf\n');
  await call(context, patchOf('*** Add File: a.txt', '+one', '+two'));
  expect(readFileSync(join(context.dir, 'a.txt'), 'utf8')).toBe('one\r\ntwo\r\n');
});

test('several files are changed by one patch', async () => {
  const context = testContext();
  writeFileSync(join(context.dir, 'a'), 'a\r\nb\r\n');
  writeFileSync(join(context.dir, 'gone'), 'x');
  writeFileSync(join(context.dir, 'old'), 'x\ny\n');
  const result = await call(
    context,
    patchOf(
      '*** Add File: new/n',
      '+one',
      '+two',
      '*** Update File: a',
      '@@ a',
      '-b',
      '+c',
      '+d',
      '*** Delete File: gone',
      '*** Update File: old',
      '*** Move to: moved',
      '@@',
      ' x',
      '-y',
      '+z',
    ),
  );
  expect(resultText(result)).toBe(
    [
      'Created new/n.',
      '',
      'Edited a:',
      '@@ -1,2 +1,3 @@',
      ' a',
      '-b',
      '+c',
      '+d',
      '',
      'Deleted gone.',
      '',
      'Renamed old to moved and edited it:',
      '@@ -1,2 +1,2 @@',
      ' x',
      '-y',
      '+z',
    ].join('\n'),
  );
  const read = (name: string) => readFileSync(join(context.dir, name), 'utf8');
  expect([read('new/n'), read('a'), read('moved')]).toEqual(['one\ntwo\n', 'a\r\nc\r\nd\r\n', 'x\nz\n']);
  expect(readdirSync(context.dir).sort()).toEqual(['a', 'moved', 'new']);
  expect(result.details?.patch).toContain('--- a\n+++ a\n');
  expect(result.details?.patch).toContain('--- old\n+++ moved\n');
  expect(result.details?.files?.map(({ op }) => op)).toEqual(['create', 'update', 'delete', 'update']);
  expect(
    tool.effects?.(patchOf('*** Update File: a', '*** Move to: b', '@@', '-a', '*** Delete File: c'), context.where),
  ).toEqual([
    { kind: 'delete', path: join(context.dir, 'a') },
    { kind: 'write', path: join(context.dir, 'b') },
    { kind: 'delete', path: join(context.dir, 'c') },
  ]);
});

test('one hunk that does not fit, and no file is changed', async () => {
  const context = testContext();
  for (const name of ['a', 'b']) writeFileSync(join(context.dir, name), `${name}\n`);
  const result = await call(
    context,
    patchOf(
      '*** Update File: a',
      '@@',
      '-a',
      '+x',
      '*** Update File: b',
      '@@',
      '-a',
      '+x',
      '*** Delete File: c',
      '*** Add File: n',
      '+n',
    ),
  );
  expect(result.isError).toBe(true);
  expect(resultText(result)).toMatch(/^No file was changed\.\nb was not changed\.[\s\S]*\nc is not there\./);
  expect(readdirSync(context.dir).sort()).toEqual(['a', 'b']);
  expect(readFileSync(join(context.dir, 'a'), 'utf8')).toBe('a\n');
});

test.each([
  ['cut off', { patch: '*** Begin Patch\n*** Update File: a\n@@\n-a\n+b' }, '*** End Patch is missing'],
  [
    'the same file twice',
    patchOf('*** Delete File: a', '*** Add File: ./a', '+x'),
    './a is in the call twice (also as a)',
  ],
  ['no file', patchOf(''), 'no file in it'],
  ['something else', patchOf('--- a', '+++ a'), 'line 2 is "--- a"'],
  ['a new file with other lines', patchOf('*** Add File: b', 'x'), 'line 3: every line of a new file begins with +'],
])('a patch that is %s is refused', async (_what, args, why) => {
  const context = testContext();
  writeFileSync(join(context.dir, 'a'), 'a\n');
  const run = async () => resultText(await call(context, args));
  if (why.includes('twice')) expect(await run()).toContain(why);
  else await expect(run()).rejects.toThrow(why);
  expect(readFileSync(join(context.dir, 'a'), 'utf8')).toBe('a\n');
});

/** A store that fails when it comes to a file. */
function failingAt(method: 'replace' | 'move', name: string): FileStore {
  const real = createFileStore();
  const fail = (path: string): void => {
    if (path.endsWith(name)) throw new KernError('file_not_written', `${name} was not written: the disk is full`);
  };
  return {
    ...real,
    replace: async (path, bytes) => {
      if (method === 'replace') fail(path);
      return real.replace(path, bytes);
    },
    move: async (from, to) => {
      if (method === 'move') fail(from);
      return real.move(from, to);
    },
  };
}

test.each([
  ['a file that cannot be made', 'replace', 'n'],
  ['a file that cannot be changed', 'replace', 'moved'],
  ['a file that cannot be deleted', 'move', 'gone2'],
] as const)('what cannot be finished is put back: %s', async (_what, method, name) => {
  const context = testContext();
  mkdirSync(join(context.dir, 'sub'));
  const before = { a: 'a\n', old: 'x\n', gone1: '1', gone2: '2' };
  for (const [path, text] of Object.entries(before)) writeFileSync(join(context.dir, path), text);
  chmodSync(join(context.dir, 'old'), 0o750);
  const failing = testTool({ format: 'apply_patch', files: failingAt(method, name) });
  const result = await failing.call(
    context,
    patchOf(
      '*** Update File: a',
      '@@',
      '-a',
      '+b',
      '*** Update File: old',
      '*** Move to: far/away/moved',
      '@@',
      '-x',
      '+y',
      '*** Delete File: gone1',
      '*** Add File: new/deep/n',
      '+n',
      '*** Delete File: gone2',
    ),
  );
  expect(result.isError).toBe(true);
  expect(resultText(result)).toContain('No file was changed. Everything is as it was.');
  expect(readdirSync(context.dir).sort()).toEqual(['a', 'gone1', 'gone2', 'old', 'sub']);
  for (const [path, text] of Object.entries(before)) expect(readFileSync(join(context.dir, path), 'utf8')).toBe(text);
  expect(statSync(join(context.dir, 'old')).mode & 0o777).toBe(0o750);
  expect(context.written).toEqual([]);
});

test('what cannot be put back is told file by file', async () => {
  const context = testContext();
  for (const name of ['a', 'b']) writeFileSync(join(context.dir, name), `${name}\n`);
  const real = createFileStore();
  let writes = 0;
  const files: FileStore = {
    ...real,
    replace: async (path, bytes) => {
      writes += 1;
      if (writes > 1) throw new KernError('file_not_written', 'the disk is full');
      return real.replace(path, bytes);
    },
  };
  const result = await testTool({ files }).call(
    context,
    patchOf('*** Update File: a', '@@', '-a', '+x', '*** Update File: b', '@@', '-b', '+y'),
  );
  expect(resultText(result)).toContain(
    'These could not be put back as they were: a is still changed (the disk is full)',
  );
});
