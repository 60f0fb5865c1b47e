import { expect, test } from 'vitest';
import { openPlace } from './program.ts';

/** A tool that does this. */
const tool = (does: string): string => `
import { definePlugin } from 'kern/plugin';
import { tools } from 'kern/contracts';
import { z } from 'zod';
export default definePlugin({ id: 'rash', setup: (ctx) => ctx.contribute(tools, {
  name: 'rash', description: 'Rash.', parameters: z.object({}),
  execute: async () => { ${does}; return { content: [{ type: 'text', text: 'done' }] }; },
}) });
`;

const call = ['tool', 'call', 'rash', '-e', 'rash.ts'];

test('what a tool left running and throws when its call has ended is told with the name of its plugin', async () => {
  using place = openPlace({ 'rash.ts': tool("setTimeout(() => { throw new Error('too late'); }, 150)") });
  const { code, out, err } = await place.run(...call);
  expect({ code, out }).toEqual({ code: 0, out: 'done\n' });
  expect(err).toMatch(/rash.*too late/);
  expect(err).not.toMatch(/^\s+at |Node\.js v/m);
});

test.each([
  [7, 7],
  [0, 1],
])('a plugin that calls process.exit(%d) is named, and nobody takes it for a success', async (given, ended) => {
  using place = openPlace({
    'rash.ts': tool(`process.exit(${given})`),
    's.json': JSON.stringify({ version: 1, turns: [{ calls: [{ name: 'rash', args: {} }] }, { text: 'never' }] }),
  });
  const said = `kern: the plugin rash called process.exit(${given}), which ended kern before it was done\n`;
  const called = await place.run(...call);
  expect(called).toMatchObject({ code: ended, out: '', err: expect.stringContaining(said) });
  const run = await place.run('-p', 'go', '--model', 'script/s.json', '--yolo', '--no-session', '-e', 'rash.ts');
  expect(run).toMatchObject({ code: ended, err: expect.stringContaining(said) });
});
