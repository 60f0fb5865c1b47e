import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPlace } from './program.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
let checkout = '';

// What is edited is a copy: the tests of others run from the original.
beforeAll(() => {
  checkout = realpathSync(mkdtempSync(path.join(tmpdir(), 'kern-checkout-')));
  for (const part of ['package.json', 'kernel', 'plugins'])
    cpSync(path.join(root, part), path.join(checkout, part), { recursive: true });
  symlinkSync(path.join(root, 'node_modules'), path.join(checkout, 'node_modules'));
});

afterAll(() => rmSync(checkout, { recursive: true, force: true }));

/** An edit of a file in the checkout, as the model would make it. */
function edit(file: string, oldText: string, newText: string): object {
  const full = path.join(checkout, file);
  expect(readFileSync(full, 'utf8').split(oldText)).toHaveLength(2);
  return { name: 'edit', args: { path: full, edits: [{ oldText, newText }] } };
}

test('from the sources, an edit of the tool read and of the mode that prints is live in the next turn', async () => {
  const turns = [
    { calls: [{ name: 'read', args: { path: 'a.txt' } }] },
    {
      expect: { toolResult: [{ tool: 'read', contains: 'as it is' }] },
      calls: [
        edit(
          'plugins/tools/read/read.ts',
          'readPath(args, where.cwd, signal)',
          "Promise.resolve({ content: [{ type: 'text', text: 'read anew' }] })",
        ),
      ],
    },
    { calls: [{ name: 'read', args: { path: 'a.txt' } }] },
    {
      expect: { toolResult: [{ tool: 'read', contains: 'read anew' }] },
      calls: [
        edit(
          'plugins/modes/print/print.ts',
          "if (text !== '') stdout.write(",
          "stdout.write('anew: ');\n  if (text !== '') stdout.write(",
        ),
      ],
    },
    { text: 'done' },
  ];
  const script = JSON.stringify({ version: 1, turns });
  using place = openPlace({ 'a.txt': 'as it is\n', 's.json': script }, path.join(checkout, 'plugins/cli/kern.mjs'));
  const { code, out, err } = await place.start(['-p', 'go', '--model', 'script/s.json', '--yolo', '--no-session'], {
    env: { KERN_SOURCE: '1' },
  }).ended;
  expect({ code, out }, err).toEqual({ code: 0, out: 'anew: done\n' });
}, 60_000);
