import { expect, test } from 'vitest';
import { aModel, aRequest, messageOfReply } from '../test/requests.ts';
import { chatDelta, chatEvents, modelServer } from '../test/server.ts';
import { chatReply } from './chat.ts';
import { KeptModel } from './kept.ts';

const saying = (text: string) => ({
  pieces: [{ waitMs: 20 }, ...chatEvents(chatDelta({ content: text }), chatDelta({}, 'stop'))],
});

test('requests at the same time share a model, and each gets its own reply', async () => {
  await using server = await modelServer(saying('one'), saying('two'));
  const kept = new KeptModel();
  const endpoint = { provider: 'test', baseUrl: `${server.url}/v1`, kept };
  const ask = () => messageOfReply(chatReply(endpoint, aRequest(), new AbortController().signal));
  const said = (await Promise.all([ask(), ask()])).map(({ content }) => content[0]);
  expect(said).toEqual(expect.arrayContaining([expect.objectContaining({ text: 'one' })]));
  expect(said).toEqual(expect.arrayContaining([expect.objectContaining({ text: 'two' })]));
});

test('a changed key, address or model counts at once', async () => {
  await using server = await modelServer(saying('hi'));
  const kept = new KeptModel();
  const ask = (apiKey: string, path: string, model: string) => {
    const endpoint = { provider: 'test', baseUrl: `${server.url}${path}`, apiKey, kept };
    return messageOfReply(chatReply(endpoint, aRequest({ model: aModel({ model }) }), new AbortController().signal));
  };
  await ask('key-one', '/v1', 'a');
  await ask('key-two', '/v1', 'a');
  await ask('key-two', '/v2', 'a');
  await ask('key-two', '/v2', 'b');
  expect(server.heard.map(({ url, headers, body }) => [headers.authorization, url, body.model])).toEqual([
    ['Bearer key-one', '/v1/chat/completions', 'a'],
    ['Bearer key-two', '/v1/chat/completions', 'a'],
    ['Bearer key-two', '/v2/chat/completions', 'a'],
    ['Bearer key-two', '/v2/chat/completions', 'b'],
  ]);
});

test('the same parts make one model', () => {
  const kept = new KeptModel();
  let made = 0;
  const model = (part: string) =>
    kept.model([part], { fetch, signal: new AbortController().signal }, () => {
      made += 1;
      return {} as never;
    });
  expect(model('a')).toBe(model('a'));
  expect(model('b')).not.toBe(model('a'));
  expect(made).toBe(3);
});
