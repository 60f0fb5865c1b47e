import { expect, test } from 'vitest';
import { gaps } from './read.ts';
import { modelServer, packed } from './server.ts';

const ask = (url: string, path: string, body: object = {}): Promise<Response> =>
  fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body) });

test('each request takes the next reply, on either wire, and the last is repeated', async () => {
  await using server = await modelServer([{ pieces: ['one'] }, { pieces: ['two'] }]);
  const texts = [];
  for (const path of ['/v1/chat/completions', '/v1/messages', '/v1/chat/completions'])
    texts.push(await (await ask(server.url, path, { path })).text());
  expect(texts[0]).toContain('"content":"one"');
  expect(texts[1]).toContain('"text":"two"');
  expect(texts[2]).toContain('"content":"two"');
  expect(server.arrivals.map(({ body }) => JSON.parse(body).path)).toEqual([
    '/v1/chat/completions',
    '/v1/messages',
    '/v1/chat/completions',
  ]);
});

test('a request arrives before its reply ends, and a gap is what lies between an end and the next arrival', async () => {
  await using server = await modelServer([{}]);
  for (let nth = 0; nth < 3; nth += 1) await (await ask(server.url, '/v1/chat/completions')).text();
  for (const { at, repliedAt } of server.arrivals) expect(repliedAt).toBeGreaterThanOrEqual(at);
  expect(gaps(server.arrivals)).toHaveLength(2);
  expect(gaps([arrival(1, 5), arrival(7, 9), arrival(12, undefined)])).toEqual([2, 3]);
});

const arrival = (at: number, repliedAt: number | undefined) => ({ at, repliedAt, path: '', body: '' });

test('a reply is held back at its end, and its beginning is sent', async () => {
  const held = Promise.withResolvers<void>();
  await using server = await modelServer([{ pieces: ['begun'], until: held.promise }]);
  const { body } = await ask(server.url, '/v1/chat/completions');
  const reader = body?.getReader();
  const first = await reader?.read();
  expect(new TextDecoder().decode(first?.value)).toContain('begun');
  expect(server.arrivals[0]?.repliedAt).toBeUndefined();
  held.resolve();
  let rest = '';
  for (let step = await reader?.read(); step?.done === false; step = await reader?.read())
    rest += new TextDecoder().decode(step.value);
  expect(rest).toContain('[DONE]');
});

test('what is no model request is not there, and does not count', async () => {
  await using server = await modelServer([{}]);
  expect((await fetch(`${server.url}/v1/models`)).status).toBe(404);
  expect(server.arrivals).toEqual([]);
});

test('events are joined up to a size; the last stands alone', () => {
  const texts = (events: readonly string[]): readonly string[] => packed(events, 4).map(String);
  expect(texts(['ab', 'cd', 'ef', 'end'])).toEqual(['abcd', 'ef', 'end']);
  expect(texts(['end'])).toEqual(['end']);
});
