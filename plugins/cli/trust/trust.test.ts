import path from 'node:path';
import type { TrustReport } from 'kern/contracts';
import { expect, test } from 'vitest';
import { openDesk } from '../test/line.ts';

const tool = (name: string, says: string): string =>
  `export default { id: '${name}', setup: (ctx) => ctx.contribute({ token: 'capability', id: 'tool' }, { name: '${name}', description: 'x', inputSchema: { type: 'object' }, execute: async () => ({ content: [{ type: 'text', text: '${says}' }] }) }) };`;

test('a project without anything that would run has nothing to trust', async () => {
  await using desk = await openDesk();
  expect(await desk.json('trust', 'status')).toEqual({ root: desk.project, state: 'nothing', items: [] });
});

test('trust is granted for what is there, ends with a change, and is taken back', async () => {
  await using desk = await openDesk({ '.kern/extensions/one.js': tool('one', 'first') });
  const state = async (): Promise<string> => ((await desk.json('trust')) as TrustReport).state;
  expect(await state()).toBe('untrusted');
  const granted = (await desk.json('trust', 'grant')) as TrustReport;
  expect(granted).toMatchObject({
    root: desk.project,
    state: 'trusted',
    items: [
      {
        kind: 'plugin',
        path: path.join(desk.project, '.kern/extensions/one.js'),
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        state: 'trusted',
      },
    ],
  });
  expect((await desk.kern('tool', 'call', 'one')).out).toBe('first\n');
  desk.write('.kern/extensions/one.js', tool('one', 'second'));
  expect(await state()).toBe('changed');
  const refused = await desk.kern('tool', 'call', 'one');
  expect(refused.code).toBe(4);
  expect(refused.err).toContain('changed since it was trusted');
  expect((await desk.kern('trust', 'why', 'one')).out).toContain('changed');
  expect((await desk.kern('tool', 'call', 'one', '--trust')).out).toBe('second\n');
  await desk.kern('trust', 'grant');
  await desk.kern('trust', 'revoke');
  expect(await state()).toBe('untrusted');
});

test('--item grants one of several; a name that is none is refused', async () => {
  await using desk = await openDesk({
    '.kern/extensions/one.js': tool('one', '1'),
    '.kern/extensions/two.js': tool('two', '2'),
  });
  const { items } = (await desk.json('trust', 'grant', '--item', 'plugin:one')) as TrustReport;
  expect(items.map(({ state }) => state)).toEqual(['trusted', 'untrusted']);
  expect((await desk.kern('trust', 'grant', '--item', 'plugin:onne')).code).toBe(2);
});

test('the name of a folder reaches no terminal as a command', async () => {
  await using desk = await openDesk();
  const project = path.join(desk.project, 'up\u001b[1A\u001b[2K\nline');
  desk.write(path.join(path.basename(project), '.git/HEAD'), 'ref: refs/heads/main\n');
  desk.write(path.join(path.basename(project), 's.json'), JSON.stringify({ version: 1, turns: [{ text: 'good' }] }));
  desk.write(path.join(path.basename(project), '.kern/extensions/one.js'), tool('one', '1'));
  for (const argv of [
    ['trust'],
    ['trust', 'why'],
    ['doctor'],
    ['tool', 'call', 'one'],
    ['-p', 'hi', '--model', 'script/s.json'],
  ]) {
    const { out, err } = await desk.kern('--cwd', project, ...argv);
    expect(out + err).toContain('up\\u{1b}[1A\\u{1b}[2K\\nline');
    expect(out + err).not.toContain('\u001b');
  }
});
