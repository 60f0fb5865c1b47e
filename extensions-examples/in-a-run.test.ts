import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentSessions, keybindings, prepareToolCall, renderers } from 'kern/contracts';
import { bootKern, script } from 'kern/testing';
import { expect, test } from 'vitest';
import careful from './careful.ts';
import gentleBash from './gentle-bash.ts';
import houseRules from './house-rules/main.ts';
import ownWords from './own-words.ts';
import slashWords from './slash-words.ts';
import diary from './two-talk/diary.ts';
import thermometer from './two-talk/thermometer.ts';
import whatHappens from './what-happens.ts';

test('what stands behind a slash does something itself, or is said to the model', async () => {
  await using kern = await bootKern([slashWords]);
  using replies = script([{ expect: { last: 'How do other projects solve this: caching?' }, text: 'Three ways.' }]);
  const say = async (text: string) => (await kern.run(text, { model: replies.model })).text;
  expect(await say('/elsewhere caching')).toBe('Three ways.');
  using more = script([{ expect: { last: 'Explain a.ts to somebody' }, text: 'It begins.' }]);
  expect((await kern.run('/explain a.ts', { model: more.model })).text).toBe('It begins.');
  expect(await say('/pick pear apple')).toBe('Take apple.');
});

test('a key and a way of drawing are there for whoever has a screen', async () => {
  await using kern = await bootKern([slashWords]);
  const drawn = kern.view.use(renderers).get('tool-result:slow_count');
  expect(drawn?.item.render({}, { width: 9, expanded: false })).toEqual(['counted..']);
  expect(kern.view.use(keybindings).get('slash-words.model')?.item.keys).toEqual(['ctrl+shift+m']);
});

test('the words of a house reach the model, and a skill is read when it is used', async () => {
  await using kern = await bootKern([houseRules]);
  using replies = script([
    { expect: { system: 'fit for release' }, text: 'one' },
    { expect: { system: 'Be brief.' }, text: 'two' },
    {
      expect: {
        system:
          '/says why, not what[\\s\\S]*release: How a release is made|release: How a release is made[\\s\\S]*says why, not what/',
      },
      text: 'three',
    },
    { expect: { last: 'CHANGELOG.md, tag it' }, text: 'four' },
  ]);
  await kern.view.use(agentSessions).load();
  const at = { cwd: kern.dir, view: kern.view, model: replies.model, persist: false };
  await using session = await kern.view.service(agentSessions).create(at);
  const told: string[] = [];
  for (const text of ['a', 'b', 'c', '/skill:release now']) {
    const { text: answer, error } = await session.prompt({ text });
    told.push(answer || (error?.message ?? ''));
  }
  expect(told).toEqual(['one', 'two', 'three', 'four']);
});

test('words are changed on every place of their way, and one is answered without a model', async () => {
  await using kern = await bootKern([ownWords]);
  using replies = script([
    { expect: { system: 'Call the person Captain.', last: 'dog watch' }, text: 'Aye aye, Captain. Shall I go on?' },
    { text: 'Aye aye, done.' },
  ]);
  const run = await kern.run('btw, hello', { model: replies.model });
  expect(run.error).toBeUndefined();
  expect(run.text).toBe('Yes, done.');
  const said = JSON.stringify(run.messages);
  for (const kept of ['by the way, hello', 'The sea is calm', 'Yes, Captain', 'Go on.']) expect(said).toContain(kept);
  expect(said).not.toContain('dog watch');
  expect((await kern.run('?', { model: replies.model })).text).toContain('Ask anything');
});

test('arguments are bent, a deletion is answered for the person, and a locked session stays where it is', async () => {
  await using kern = await bootKern([careful], {
    config: { careful: { locked: true }, agent: { compaction: { keepRecentTokens: 1 } } },
  });
  using replies = script([{ text: 'one' }, { text: 'two' }]);
  await kern.view.use(agentSessions).load();
  const at = { cwd: kern.dir, view: kern.view, model: replies.model, persist: false };
  await using session = await kern.view.service(agentSessions).create(at);
  for (const text of ['a', 'b']) await session.prompt({ text });
  expect(await session.navigateTree(null)).toMatchObject({ done: false, reason: 'plugins.careful.locked is set.' });
  await expect(session.compact()).rejects.toThrow('plugins.careful.locked is set.');
  const { signal } = new AbortController();
  const call = { name: 'bash', args: { command: 'true' }, callId: 'c1', sessionId: 's', by: 'person', signal } as const;
  const prepared = await prepareToolCall(kern.view, call);
  expect(prepared).toMatchObject({ state: 'ready', args: { timeout: 60 } });
});

test('everything that happens is written down when the session ends', async () => {
  await using kern = await bootKern([whatHappens], { config: { 'what-happens': { file: 'log' } } });
  using replies = script([{ calls: [{ name: 'ls', args: {} }] }, { text: 'Done.' }]);
  await kern.run('go', { model: replies.model });
  const hooks = readFileSync(join(kern.dir, 'log'), 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[0]);
  expect(hooks).toEqual(expect.arrayContaining(['session.start', 'turn.start', 'tool.start', 'tool.end', 'agent.end']));
  expect(hooks.at(-2)).toBe('session.shutdown');
});

test.skipIf(process.platform === 'win32')('bash runs where an extension says', async () => {
  await using kern = await bootKern([gentleBash]);
  expect(await kern.callTool('bash', { command: 'nice' })).toBe('19');
});

test('two extensions talk, in whichever order they come, and one goes on without the other', async () => {
  await using kern = await bootKern([diary, thermometer]);
  await kern.callTool('measure', { degrees: 21 });
  await kern.callTool('measure', { degrees: 19 });
  expect(await kern.callTool('warmest')).toBe('21');
  await kern.put(diary, { level: 'user' });
  await kern.callTool('measure', { degrees: 25 });
  expect(await kern.callTool('warmest')).toBe('25');
  await kern.drop('diary', { level: 'user' });
  expect(await kern.callTool('measure', { degrees: 30 })).toBe('30 degrees');
});
