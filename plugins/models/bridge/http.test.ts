import { expect, test } from 'vitest';
import { modelServer } from '../test/server.ts';
import { Headers } from './headers.ts';
import { send } from './http.ts';

const post = (url: string, signal?: AbortSignal) =>
  send(url, { method: 'POST', headers: { 'x-own': 'yes' }, body: 'ä', signal });

test('a request goes out with its length, asks for no compression, and is answered in pieces', async () => {
  await using server = await modelServer({ status: 201, headers: { 'x-said': 'so' }, pieces: ['one ', 'two'] });
  const answer = await post(`${server.url}/v1/x?y=1`);
  expect([answer.status, answer.ok, answer.headers.get('x-said')]).toEqual([201, true, 'so']);
  expect(await answer.text()).toBe('one two');
  const [{ method, url, headers, text } = {}] = server.heard;
  expect([method, url, text]).toEqual(['POST', '/v1/x?y=1', 'ä']);
  expect(headers).toMatchObject({ 'x-own': 'yes', 'content-length': '2', 'accept-encoding': 'identity' });
});

test('whoever ends early lets go of the server; a connection that was read to its end is used again', async () => {
  await using server = await modelServer({ pieces: ['all'] }, { pieces: ['all'] }, { pieces: ['begun', 'HANG'] });
  const ports = new Set<unknown>();
  for (let nth = 0; nth < 2; nth += 1) {
    const ending = new AbortController();
    const answer = await post(server.url, ending.signal);
    await answer.text();
    ending.abort();
  }
  const third = await post(server.url);
  expect((await third.pieces.next()).done).toBe(false);
  await third.pieces.return?.();
  await server.released(2);
  for (const { port } of server.heard) ports.add(port);
  expect(ports.size).toBe(1);
});

test('what cannot be reached, is cut or aborted is an error', async () => {
  const gone = await modelServer({ pieces: [] });
  await gone[Symbol.asyncDispose]();
  await expect(post(gone.url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  await using server = await modelServer({ pieces: ['begun', 'CUT'] }, { pieces: ['begun', 'HANG'] });
  await expect((await post(server.url)).text()).rejects.toMatchObject({ code: 'ECONNRESET' });
  const aborting = new AbortController();
  const answer = await post(server.url, aborting.signal);
  await answer.pieces.next();
  aborting.abort();
  await expect(answer.pieces.next()).rejects.toThrow();
  await server.released(1);
});

test('the headers for the provider packages behave as theirs do', () => {
  const given = [
    ['Content-Type', 'a'],
    ['X-Two', '1'],
    ['x-two', '2'],
  ] as const;
  const ours = new Headers(given);
  const theirs = new globalThis.Headers(given.map(([name, value]): [string, string] => [name, value]));
  expect([...ours].sort()).toEqual([...theirs].sort());
  expect(ours.get('CONTENT-TYPE')).toBe('a');
  ours.set('Content-Type', 'b');
  ours.delete('X-TWO');
  expect([ours.has('x-two'), Object.fromEntries(ours.entries())]).toEqual([false, { 'content-type': 'b' }]);
  expect([...new Headers({ A: 'x' }), ...new Headers()]).toEqual([['a', 'x']]);
});
