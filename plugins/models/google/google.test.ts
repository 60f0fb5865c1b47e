import { expect, test } from 'vitest';
import { nothingSet, withEnvironment } from '../test/environment.ts';
import { aRequest, failureOfReply, messageOfReply } from '../test/requests.ts';
import { modelServer } from '../test/server.ts';
import { testWire } from '../test/wires.ts';
import { google } from './google.ts';

const provider = google({ idleTimeoutMs: 10_000 });
const never = new AbortController().signal;
const wire = testWire('google');

test('the models of the catalogue, usable with a key of either name', async () => {
  await withEnvironment(nothingSet, async () => {
    expect((await provider.models())[0]).toMatchObject({ provider: 'google', available: false });
    expect(provider.missing?.()).toContain('GEMINI_API_KEY');
  });
  for (const name of ['GEMINI_API_KEY', 'GOOGLE_API_KEY'])
    await withEnvironment({ ...nothingSet, [name]: 'k' }, async () => {
      expect((await provider.models())[0]).toMatchObject({ available: true });
      expect(await provider.model('gemini-next')).toMatchObject({ cost: null, available: true });
    });
});

test('the base URL may have its version or not; the key is in its header', async () => {
  await using server = await modelServer({ pieces: wire.events({ text: ['hi'] }) });
  for (const base of [server.url, `${server.url}/`, `${server.url}/v1beta`])
    await withEnvironment({ ...nothingSet, GEMINI_API_KEY: 'key-123456', GOOGLE_GEMINI_BASE_URL: base }, async () => {
      expect(await messageOfReply(provider.stream(aRequest(), never))).toMatchObject({ content: [{ text: 'hi' }] });
    });
  expect(server.heard.map(({ url }) => url)).toEqual([wire.path, wire.path, wire.path]);
  expect(wire.keyOf(server.heard[0]?.headers ?? {})).toBe('key-123456');
});

test('a refused key names the variable', async () => {
  const said = {
    error: { code: 400, message: 'API key not valid. Please pass a valid API key.', status: 'INVALID_ARGUMENT' },
  };
  await using server = await modelServer({
    status: 400,
    headers: { 'content-type': 'application/json' },
    pieces: [JSON.stringify(said)],
  });
  await withEnvironment(
    { ...nothingSet, GEMINI_API_KEY: 'key-123456', GOOGLE_GEMINI_BASE_URL: server.url },
    async () => {
      const { error } = await failureOfReply(provider.stream(aRequest(), never));
      expect(error).toMatchObject({ code: 'model_unauthorized', hint: expect.stringContaining('GEMINI_API_KEY') });
    },
  );
});
