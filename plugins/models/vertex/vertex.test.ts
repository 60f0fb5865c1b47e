import { createVerify, generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withEnvironment } from '../test/environment.ts';
import { answered, aRequest, failureOfReply, messageOfReply, said } from '../test/requests.ts';
import { type Answer, modelServer } from '../test/server.ts';
import { testWire } from '../test/wires.ts';
import { googleAccess } from './access.ts';
import { vertex } from './vertex.ts';

const wire = testWire('google');
const never = new AbortController().signal;
const hello: Answer = { pieces: wire.events({ text: ['hi'] }) };
const json = { 'content-type': 'application/json' };
const token = (value: string, seconds = 3600): Answer => ({
  headers: json,
  pieces: [JSON.stringify({ access_token: value, expires_in: seconds, token_type: 'Bearer' })],
});
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

let home = '';
beforeAll(() => {
  home = mkdtempSync(path.join(tmpdir(), 'kern-vertex-'));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const nothing = () => ({
  ...{ GOOGLE_VERTEX_API_KEY: undefined, GOOGLE_CLOUD_API_KEY: undefined, GOOGLE_APPLICATION_CREDENTIALS: undefined },
  ...{ GOOGLE_CLOUD_PROJECT: undefined, GOOGLE_VERTEX_PROJECT: undefined, GCLOUD_PROJECT: undefined },
  ...{ GOOGLE_CLOUD_LOCATION: undefined, GOOGLE_VERTEX_LOCATION: undefined, GOOGLE_VERTEX_BASE_URL: undefined },
  ...{ GOOGLE_VERTEX_ACCESS_TOKEN: undefined, CLOUDSDK_AUTH_ACCESS_TOKEN: undefined, GCE_METADATA_HOST: undefined },
  ...{ CLOUDSDK_CONFIG: undefined, HOME: home },
});

/** A file with credentials, whose tokens come from a server of the test. */
function credentials(name: string, content: object): string {
  const file = path.join(home, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(content));
  return file;
}

const account = (url: string) => ({
  type: 'service_account',
  client_email: 'kern@p1.iam',
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  private_key_id: 'k1',
  token_uri: `${url}/token`,
  project_id: 'p1',
});

async function ask(provider = vertex({ idleTimeoutMs: 10_000 }), changes = {}) {
  const model = await provider.model('gemini-2.5-pro');
  if (model === undefined) throw new Error('no model');
  return messageOfReply(provider.stream(aRequest({ model, ...changes }), never));
}

test('a service account signs for a token, which is used until it is old', async () => {
  await using server = await modelServer(token('token-1'), hello, hello);
  const file = credentials('sa.json', account(server.url));
  const env = { GOOGLE_APPLICATION_CREDENTIALS: file, GOOGLE_CLOUD_LOCATION: 'europe-west4' };
  await withEnvironment({ ...nothing(), ...env, GOOGLE_VERTEX_BASE_URL: server.url }, async () => {
    const provider = vertex({ idleTimeoutMs: 10_000 });
    expect(await ask(provider)).toMatchObject({ provider: 'google-vertex', content: [{ text: 'hi' }] });
    await ask(provider);
  });
  const [asked, ...replies] = server.heard;
  expect(asked?.url).toBe('/token');
  const assertion = new URLSearchParams(asked?.text).get('assertion') ?? '';
  const [head = '', body = '', signature = ''] = assertion.split('.');
  const read = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());
  expect(read(head)).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'k1' });
  expect(read(body)).toMatchObject({ iss: 'kern@p1.iam', aud: `${server.url}/token` });
  expect(createVerify('RSA-SHA256').update(`${head}.${body}`).verify(publicKey, signature, 'base64url')).toBe(true);
  const place = '/v1/projects/p1/locations/europe-west4/publishers/google';
  const url = `${place}/models/gemini-2.5-pro:streamGenerateContent?alt=sse`;
  expect(replies.map((reply) => [reply.url, reply.headers.authorization])).toEqual([
    [url, 'Bearer token-1'],
    [url, 'Bearer token-1'],
  ]);
});

test('a token that is old, or was refused, is asked for again', async () => {
  const refused: Answer = { status: 401, headers: json, pieces: ['{"error":{"message":"invalid token"}}'] };
  await using server = await modelServer(token('short', 10), hello, token('second'), refused, token('third'), hello);
  const file = credentials('sa2.json', account(server.url));
  const env = { GOOGLE_APPLICATION_CREDENTIALS: file, GOOGLE_VERTEX_BASE_URL: server.url };
  await withEnvironment({ ...nothing(), ...env }, async () => {
    const provider = vertex({ idleTimeoutMs: 10_000 });
    await ask(provider);
    await expect(ask(provider)).rejects.toMatchObject({ code: 'model_unauthorized' });
    await ask(provider);
  });
  expect(server.heard.map(({ headers }) => headers.authorization)).toEqual([
    ...[undefined, 'Bearer short', undefined, 'Bearer second', undefined, 'Bearer third'],
  ]);
});

test('two requests at once ask for one token', async () => {
  await using server = await modelServer({ ...token('one'), pieces: [{ waitMs: 30 }, ...token('one').pieces] }, hello);
  const file = credentials('sa3.json', account(server.url));
  const env = { GOOGLE_APPLICATION_CREDENTIALS: file, GOOGLE_VERTEX_BASE_URL: server.url };
  await withEnvironment({ ...nothing(), ...env }, async () => {
    const provider = vertex({ idleTimeoutMs: 10_000 });
    await Promise.all([ask(provider), ask(provider)]);
  });
  expect(server.heard.filter(({ url }) => url === '/token')).toHaveLength(1);
});

test('a sign-in of gcloud is renewed with its own token, and never shown', async () => {
  const gone: Answer = {
    status: 400,
    headers: json,
    pieces: ['{"error":"invalid_grant","error_description":"expired"}'],
  };
  await using server = await modelServer(token('token-1'), hello, gone);
  credentials('.config/gcloud/application_default_credentials.json', {
    ...{ type: 'authorized_user', client_id: 'c1', client_secret: 'client-secret-1', refresh_token: 'refresh-1' },
    token_uri: `${server.url}/token`,
  });
  const env = { ...nothing(), GOOGLE_CLOUD_PROJECT: 'p2', GOOGLE_VERTEX_BASE_URL: server.url };
  await withEnvironment(env, async () => {
    await ask();
    const { error } = await failureOfReply(
      (async function* () {
        yield* [];
        await ask(vertex({ idleTimeoutMs: 10_000 }));
      })(),
    );
    expect(error).toMatchObject({
      code: 'model_unauthorized',
      message: `google-vertex: ${server.host} gave no token (400, invalid_grant: expired)`,
      hint: expect.stringContaining('gcloud auth application-default login'),
    });
    expect(JSON.stringify(error)).not.toMatch(/refresh-1|client-secret-1/);
  });
  expect(Object.fromEntries(new URLSearchParams(server.heard[0]?.text))).toMatchObject({
    grant_type: 'refresh_token',
    refresh_token: 'refresh-1',
  });
  expect(server.heard[1]?.url).toContain('/projects/p2/locations/global/');
});

test('a key needs no project', async () => {
  await using server = await modelServer(hello);
  await withEnvironment({ ...nothing(), GOOGLE_VERTEX_API_KEY: 'key-1', GOOGLE_VERTEX_BASE_URL: server.url }, () =>
    ask(),
  );
  expect(server.heard[0]?.url).toMatch(/^\/v1\/publishers\/google\/models\/gemini-2.5-pro:stream/);
  expect(server.heard[0]?.headers['x-goog-api-key']).toBe('key-1');
});

test('a machine of Google asks the machine', async () => {
  await using server = await modelServer(token('machine-token'), hello);
  const env = { GOOGLE_CLOUD_PROJECT: 'p3', GCE_METADATA_HOST: server.host, CLOUDSDK_CONFIG: '/nowhere' };
  await withEnvironment({ ...nothing(), ...env, GOOGLE_VERTEX_BASE_URL: server.url }, () => ask());
  expect(server.heard[0]?.headers['metadata-flavor']).toBe('Google');
  expect(server.heard[1]?.headers.authorization).toBe('Bearer machine-token');
});

test('signatures of Vertex go back to it', async () => {
  await using server = await modelServer({
    pieces: wire.events({
      thinking: ['hm'],
      signature: 'c2ln',
      text: ['hi'],
      calls: [{ id: 'c1', name: 'read', pieces: ['{}'] }],
    }),
  });
  await withEnvironment(
    { ...nothing(), GOOGLE_VERTEX_API_KEY: 'key-1', GOOGLE_VERTEX_BASE_URL: server.url },
    async () => {
      const first = await ask();
      expect(JSON.stringify(first.content)).toContain('c2ln');
      await ask(undefined, { messages: [said('go'), first, said('on'), answered([])] });
    },
  );
  const sent = JSON.stringify(server.heard[1]?.body);
  expect(sent).toContain('"thoughtSignature":"c2ln"');
});

test('what lacks is named; what gcloud keeps for everything does not make it a choice', () => {
  const env = { HOME: home };
  expect(googleAccess(env)).toMatchObject({ state: 'missing', what: expect.stringContaining('GOOGLE_CLOUD_PROJECT') });
  expect(googleAccess({ HOME: '/nowhere', GOOGLE_CLOUD_PROJECT: 'p' })).toMatchObject({
    what: expect.stringContaining('gcloud auth application-default login'),
  });
  expect(googleAccess({ ...env, GOOGLE_APPLICATION_CREDENTIALS: '/nowhere.json' })).toMatchObject({
    what: expect.stringContaining('/nowhere.json is no service account'),
  });
  expect(googleAccess({ ...env, GOOGLE_CLOUD_PROJECT: 'p', GOOGLE_VERTEX_ACCESS_TOKEN: 't' })).toEqual({
    state: 'token',
    token: 't',
    place: { project: 'p', location: 'global' },
  });
});

test('the secret of an account goes to no address without TLS', async () => {
  const file = credentials('bad.json', { ...account('http://tokens.test'), token_uri: 'http://tokens.test/token' });
  await withEnvironment({ ...nothing(), GOOGLE_APPLICATION_CREDENTIALS: file }, async () => {
    await expect(ask()).rejects.toMatchObject({
      code: 'model_unauthorized',
      message: expect.stringContaining('not https'),
    });
  });
});
