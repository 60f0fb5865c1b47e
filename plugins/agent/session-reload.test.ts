import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createAgentSession } from 'kern';
import { tools } from 'kern/contracts';
import { script } from 'kern/testing';
import { expect, onTestFinished, test } from 'vitest';

test('a reload loads every extension anew, also one whose file did not change, and the session goes on', async () => {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'kern-reload-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const home = path.join(folder, 'home');
  mkdirSync(path.join(home, 'extensions'), { recursive: true, mode: 0o700 });
  const extension = (file: string, text: string): void => writeFileSync(path.join(home, 'extensions', file), text);
  const counting = (id: string): string => `
    import { tools } from 'kern/contracts';
    import { definePlugin } from 'kern/plugin';
    import { readFileSync } from 'node:fs';
    export default definePlugin({ id: '${id}', setup: (ctx) => ctx.contribute(tools, {
      name: '${id}', description: readFileSync(${JSON.stringify(path.join(folder, 'word'))}, 'utf8'),
      inputSchema: { type: 'object' }, effects: () => [],
      execute: async () => ({ content: [{ type: 'text', text: 'ok' }] }),
    }) });`;
  writeFileSync(path.join(folder, 'word'), 'first');
  extension('one.ts', counting('one'));
  using replies = script([{ text: 'a' }, { text: 'b' }]);
  await using open = await createAgentSession({
    cwd: folder,
    home,
    model: replies.model,
    persist: false,
    tools: ['one'],
  });
  const { session, kern } = open;
  const said = (name: string): string | undefined => kern.view.use(tools).get(name)?.item.description;
  expect(said('one')).toBe('first');
  await session.prompt({ text: 'go' });
  // What the file reads is another; the file itself is the same. And a new one came while nobody watched.
  writeFileSync(path.join(folder, 'word'), 'second');
  extension('two.ts', counting('two'));
  await session.reload();
  expect(said('one')).toBe('second');
  // The session chose its tools; what came is there all the same.
  expect(kern.kernel.known.map(({ definition }) => definition.id)).toContain('two');
  expect(await session.prompt({ text: 'go on' })).toMatchObject({ text: 'b' });
}, 60_000);
