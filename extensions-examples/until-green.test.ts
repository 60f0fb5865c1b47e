import { modelRequest } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { bootKern, script } from 'kern/testing';
import { expect, test } from 'vitest';
import untilGreen from './until-green.ts';

test('the run goes on until the check passes', async () => {
  const heard: string[] = [];
  const listener = definePlugin({
    id: 'listener',
    setup: (ctx) =>
      ctx.tap(modelRequest, ({ messages, purpose }) => {
        if (purpose === 'turn') heard.push(JSON.stringify(messages.at(-1)?.content));
      }),
  });
  const check = ['sh', '-c', 'echo x >> tries; [ $(wc -l < tries) -ge 3 ] || { echo still red; exit 1; }'];
  await using kern = await bootKern([untilGreen, listener], { config: { 'until-green': { check } } });
  using replies = script([{ text: 'Done.' }, { text: 'Done.' }, { text: 'Done, really.' }]);
  const { status, text } = await kern.run('Make it green.', { model: replies.model });
  expect({ status, text }).toEqual({ status: 'ok', text: 'Done, really.' });
  expect(heard.map((said) => said.includes('still red'))).toEqual([false, true, true]);
});
