import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { aRequest, failureOfReply, messageOfReply } from '../test/requests.ts';
import { chatDelta, chatEvents, modelServer } from '../test/server.ts';
import { chatReply } from './chat.ts';

const hello = chatEvents(chatDelta({ content: 'Hello' }), chatDelta({}, 'stop'));

test('an answer that is compressed all the same is said to be, and not read as a reply', async () => {
  const packed = { headers: { 'content-encoding': 'gzip' }, pieces: [gzipSync(hello.join(''))] };
  const plain = { headers: { 'content-encoding': 'identity' }, pieces: hello };
  await using server = await modelServer(packed, plain);
  const endpoint = { provider: 'test', baseUrl: `${server.url}/v1` };
  const ask = () => chatReply(endpoint, aRequest(), new AbortController().signal);
  const { error } = await failureOfReply(ask());
  expect(error).toMatchObject({
    code: 'model_bad_response',
    message: `test (${server.host}) sent its answer as gzip, which was not asked for`,
  });
  expect(await messageOfReply(ask())).toMatchObject({ content: [{ type: 'text', text: 'Hello' }] });
});
