import { expect, test } from 'vitest';
import { openDesk } from '../cli/test/line.ts';

const replies = JSON.stringify({ version: 1, turns: [{ text: 'the model' }], repeat: 'last' });

/** Commands that need no model. */
const commands = `export default (pi) => {
  pi.registerCommand('told', { handler: async (args, ctx) => ctx.ui.notify('Noted ' + args + '\\nand kept', 'info') });
  pi.registerCommand('silent', { handler: async () => {} });
  pi.registerCommand('thrown', { handler: async () => { throw new Error('no luck'); } });
};
`;

test('a command that ends without words is no model that did not answer, and what it tells is on stderr', async () => {
  await using desk = await openDesk({ 'hi.json': replies, 'own.js': commands });
  const say = (text: string) => desk.kern('-p', text, '--model', 'script/hi.json', '-e', 'own.js', '--no-session');
  expect(await say('/silent')).toEqual({ code: 0, out: '', err: '' });
  expect(await say('/told this')).toEqual({ code: 0, out: '', err: 'Noted this\nand kept\n' });
});

test('a command that fails is a run that failed', async () => {
  await using desk = await openDesk({ 'hi.json': replies, 'own.js': commands });
  const words = ['/thrown', '--model', 'script/hi.json', '-e', 'own.js', '--no-session'];
  const { code, out, err } = await desk.kern('-p', ...words);
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toContain('kern: /thrown failed: ');
  expect(err).toContain('no luck');
  expect(await desk.json(...words)).toMatchObject({
    status: 'error',
    text: '',
    error: { code: 'command_failed' },
    exitCode: 1,
  });
});

test('a slash command or a skill that is not there is a slip, told on stderr, and no answer', async () => {
  await using desk = await openDesk({ 'hi.json': replies, 'own.js': commands });
  for (const text of ['/sielnt', '/skill:none']) {
    const words = [text, '--model', 'script/hi.json', '-e', 'own.js', '--no-session'];
    const { code, out, err } = await desk.kern('-p', ...words);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/There is no (\/sielnt|skill none)/);
    expect(await desk.json(...words)).toMatchObject({
      status: 'error',
      text: '',
      error: { code: 'usage' },
      exitCode: code,
    });
  }
});
