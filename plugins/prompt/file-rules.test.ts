import { expect, test } from 'vitest';
import { openPlace, textOf } from './test/place.ts';
import { isOneOf } from './touched-files.ts';

const files = {
  'project/db/a.sql': 'select 1;',
  'project/db/b.sql': 'select 2;',
  'project/note.txt': 'hi',
  'project/.kern/rules/sql.md': '---\nglobs: ["*.sql"]\n---\nUse joins.',
  'project/.kern/instructions/notes.instructions.md': '---\napplyTo: "note.txt,*.none"\n---\nBe short.',
};
const read = (path: string): { readonly calls: readonly [{ readonly name: string; readonly args: object }] } => ({
  calls: [{ name: 'read', args: { path } as Record<string, unknown> }],
});

test('a rule for files is told with the result of the first call that touches one of them, and not again', async () => {
  await using place = await openPlace({
    files,
    turns: [read('note.txt'), read('db/a.sql'), read('db/b.sql'), { text: 'done' }] as never,
  });
  await place.session.prompt({ text: 'x' });
  const results = place.requests.map(({ messages }) => textOf(messages.at(-1)));
  expect(place.system()).not.toContain('Use joins.');
  expect(results[1]).toContain('# notes, for note.txt, *.none (.kern/instructions/notes.instructions.md)\n\nBe short.');
  expect(results[1]).not.toContain('Use joins.');
  expect(results[2]).toContain('select 1;');
  expect(results[2]).toContain('# sql, for *.sql (.kern/rules/sql.md)\n\nUse joins.');
  expect(results[3]).not.toContain('<rules>');
});

test('a rule that changed is told again', async () => {
  await using place = await openPlace({
    files,
    turns: [read('db/a.sql'), { text: '1' }, read('db/b.sql'), { text: '2' }] as never,
  });
  await place.session.prompt({ text: 'x' });
  await place.put({ 'project/.kern/rules/sql.md': '---\nglobs: ["*.sql"]\n---\nUse unions.' });
  await place.session.prompt({ text: 'y' });
  expect(textOf(place.requests[3]?.messages.at(-1))).toContain('Use unions.');
});

test('a call of a person outside of a session is told nothing', async () => {
  await using place = await openPlace({ files });
  expect(await place.kern.callTool('read', { path: 'db/a.sql' })).not.toContain('Use joins.');
});

test.for([
  ['/p/a.ts', ['*.ts'], true],
  ['/p/x/y/a.ts', ['*.ts'], true],
  ['/p/src/a/b.tsx', ['src/**/*.{ts,tsx}'], true],
  ['/p/lib/a.ts', ['src/**'], false],
  ['/p/app/src/a.ts', ['src/**'], true],
  ['/p/app/src/a.test.ts', ['src/**', '!*.test.ts'], false],
  ['/elsewhere/src/a.ts', ['src/**'], false],
  ['/p/a.ts', [], false],
] as const)('%s and %j: %s', ([file, globs, is]) => {
  expect(isOneOf(file, globs, { cwd: '/p/app', root: '/p' })).toBe(is);
});
