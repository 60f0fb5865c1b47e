import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openDesk } from '../plugins/cli/test/line.ts';

test("a stranger's importer is asked like those of kern, and what it takes over goes on", async () => {
  await using desk = await openDesk({
    'chat-import.ts': readFileSync(new URL('chat-import.ts', import.meta.url), 'utf8'),
    'talk.txt': 'Me: what is 2 + 2?\nBot: It is 4.\nMe: and 3 + 3?\nthink hard\nBot: It is 6.\n',
    'r.json': JSON.stringify({ version: 1, turns: [{ expect: { last: 'and 4 + 4?' }, text: '8' }] }),
  });
  const unknown = await desk.kern('sessions', 'import', 'talk.txt');
  expect(unknown).toMatchObject({ code: 1, out: '' });
  const report = await desk.json('sessions', 'import', 'talk.txt', '-e', 'chat-import.ts');
  expect(report).toMatchObject({
    imported: [{ source: 'chat', id: 'chat-talk-txt', cwd: desk.project, messages: 4, isNew: true, warnings: [] }],
    failures: [],
  });
  const { out } = await desk.kern('sessions', 'show', 'chat-talk');
  expect(out).toMatch(/what is 2 \+ 2\?.*It is 4\..*think hard.*It is 6\..*taken over from chat/s);
  const answer = await desk.kern('-p', '--session', 'chat-talk', 'and 4 + 4?', '--model', 'script/r.json');
  expect(answer).toMatchObject({ code: 0, out: '8\n' });
});
