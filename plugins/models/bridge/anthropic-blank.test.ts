import { expect, test } from 'vitest';
import { withEnvironment } from '../test/environment.ts';
import { aRequest, messageOfReply } from '../test/requests.ts';
import { anthropicBlock, anthropicEvents, modelServer } from '../test/server.ts';
import { anthropicReply } from './anthropic.ts';

// A file of its own: what it shows happens when the package is loaded, once a process.
test('a blank ANTHROPIC_BASE_URL is none', async () => {
  const text = anthropicBlock(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'hi' });
  await using server = await modelServer({ pieces: anthropicEvents(text) });
  await withEnvironment({ ANTHROPIC_BASE_URL: ' ' }, async () => {
    const endpoint = { provider: 'test', baseUrl: server.url, apiKey: 'k' };
    const message = await messageOfReply(anthropicReply(endpoint, aRequest(), new AbortController().signal));
    expect(message.content).toEqual([{ type: 'text', text: 'hi' }]);
  });
});
