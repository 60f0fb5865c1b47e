import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { resultText } from 'kern/contracts';
import { expect, test } from 'vitest';
import { createFileMarks } from '../known-files.ts';
import { testFolder } from '../test/context.ts';
import { bootTools } from '../test/kernel.ts';

async function boot(config: Readonly<Record<string, unknown>> = {}) {
  const t = await bootTools(['tools.read', 'tools.write', 'tools.edit', 'tools.resolve'], [], {
    config: { 'tools.edit': config },
  });
  const path = join(t.dir, 'a');
  return Object.assign(t, {
    path,
    text: () => readFileSync(path, 'utf8'),
    say: async (name: string, args: unknown) => resultText(await t.callTool(name, args)),
    write: async (content: string) => resultText(await t.callTool('write', { path: 'a', content })),
    replace: async (oldText: string, newText: string) =>
      resultText(await t.callTool('edit', { path: 'a', edits: [{ oldText, newText }] })),
  });
}

const refusal = 'a has changed since it was last read or written here';

test('a file that somebody changed since it was read is not replaced until it is read again', async () => {
  await using t = await boot();
  writeFileSync(t.path, 'one\n');
  await t.say('read', { path: 'a' });
  writeFileSync(t.path, 'one and more\n');
  const refused = await t.callTool('write', { path: 'a', content: 'two\n' });
  expect(refused.isError).toBe(true);
  expect(resultText(refused)).toContain(refusal);
  expect(t.text()).toBe('one and more\n');
  expect(await t.write('two\n')).toContain(refusal);
  await t.say('read', { path: 'a' });
  expect(await t.write('two\n')).toBe('Replaced a (4 bytes).');
});

test('nor one that was changed since it was written or edited; own changes are no surprise', async () => {
  await using t = await boot();
  expect(await t.write('one\n')).toContain('Created');
  expect(await t.write('two\n')).toContain('Replaced');
  expect(await t.replace('two', 'three')).toContain('Edited');
  expect(await t.write('four\n')).toContain('Replaced');
  writeFileSync(t.path, 'theirs\n');
  expect(await t.write('five\n')).toContain(refusal);
  symlinkSync('a', join(t.dir, 'link'));
  expect(await t.say('write', { path: 'link', content: 'five\n' })).toContain('link has changed since');
  expect(t.text()).toBe('theirs\n');
});

test('a file that was never read, and one that is gone, are written', async () => {
  await using t = await boot();
  writeFileSync(t.path, 'one\n');
  expect(await t.write('two\n')).toContain('Replaced');
  await t.say('edit', { path: 'a', op: 'delete' });
  expect(await t.write('three\n')).toContain('Created');
});

test('an edit of a file that has changed elsewhere does not count as having seen that', async () => {
  await using t = await boot();
  writeFileSync(t.path, 'one\ntwo\n');
  await t.say('read', { path: 'a', limit: 1 });
  writeFileSync(t.path, 'one\ntwo and more\n');
  expect(await t.replace('one', '1')).toContain('Edited');
  expect(await t.write('x\n')).toContain(refusal);
  await t.say('read', { path: 'a' });
  expect(await t.replace('1', 'one')).toContain('Edited');
  expect(await t.write('x\n')).toContain('Replaced');
});

test('an edit that is only shown changes nothing, and one that is applied is known', async () => {
  await using t = await boot({ preview: true });
  writeFileSync(t.path, 'one\n');
  await t.say('read', { path: 'a' });
  expect(await t.replace('one', 'two')).toContain('Would edit');
  await t.say('resolve', { action: 'apply', reason: 'it is right' });
  expect(t.text()).toBe('two\n');
  expect(await t.write('three\n')).toContain('Replaced');
});

test('what is known is of one session, and of the files that were used last', () => {
  const dir = testFolder();
  const paths = ['a', 'b', 'c'].map((name) => join(dir, name));
  const [first = ''] = paths;
  const known = createFileMarks(2);
  const seen = (path: string): void => known.after('s1', 'read', { content: [], details: { path } });
  for (const path of paths) writeFileSync(path, 'one');
  seen(first);
  expect(known.hasChanged('s1', first)).toBe(false);
  writeFileSync(first, 'other');
  expect(known.hasChanged('s1', first)).toBe(true);
  expect(known.hasChanged('s2', first)).toBe(false);
  for (const path of paths.slice(1)) seen(path);
  expect(known.hasChanged('s1', first)).toBe(false);
});
