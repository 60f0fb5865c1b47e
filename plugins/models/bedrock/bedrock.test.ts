import { createHash, createHmac } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ModelRequest, StreamEvent } from 'kern/contracts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { converseEvents, eventStream, frame } from '../test/bedrock.ts';
import { withEnvironment } from '../test/environment.ts';
import { answered, aRequest, failureOfReply, messageOfReply, readFace, resulted, said } from '../test/requests.ts';
import { type Answer, modelServer, type Piece } from '../test/server.ts';
import type { Told } from '../test/wires.ts';
import { awsAccess } from './aws.ts';
import { bedrock } from './bedrock.ts';

const never = new AbortController().signal;
const provider = bedrock({ idleTimeoutMs: 20_000 });
const secret = 'secret-access-key-1';
const nothing = {
  ...{ AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined, AWS_SESSION_TOKEN: undefined },
  ...{ AWS_BEARER_TOKEN_BEDROCK: undefined, AWS_PROFILE: undefined, AWS_REGION: undefined },
  ...{ AWS_DEFAULT_REGION: undefined, AWS_ENDPOINT_URL: undefined, AWS_ENDPOINT_URL_BEDROCK_RUNTIME: undefined },
};
const keys = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: secret, AWS_REGION: 'eu-west-1' };
const claude = 'eu.anthropic.claude-sonnet-5-5';

let home = '';
beforeAll(() => {
  home = mkdtempSync(path.join(tmpdir(), 'kern-aws-'));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const streamed = (...pieces: readonly Piece[]): Answer => ({ headers: eventStream, pieces });
const told = (what: Told): Answer => streamed(...converseEvents(what));

/** Asks a server in the place of Amazon's. */
function asked<T>(
  server: { readonly url: string },
  fn: (ask: (changes?: Partial<ModelRequest>, name?: string) => AsyncIterable<StreamEvent>) => Promise<T>,
  env: Readonly<Record<string, string>> = keys,
  own = provider,
): Promise<T> {
  const environment = { ...nothing, HOME: home, AWS_ENDPOINT_URL_BEDROCK_RUNTIME: server.url, ...env };
  return withEnvironment(environment, async () =>
    fn(async function* (changes = {}, name = claude) {
      const model = await own.model(name);
      if (model === undefined) throw new Error('no model');
      yield* own.stream(aRequest({ model, ...changes }), never);
    }),
  );
}

test('text, reasoning and calls come as on every other wire, with what they used', async () => {
  await using server = await modelServer(
    told({
      thinking: ['let ', 'me'],
      signature: 'c2ln',
      text: ['Hel', 'lo'],
      calls: [
        { id: 'tooluse_1', name: 'read', pieces: ['{"pa', 'th":"a"}'] },
        { id: 'tooluse_2', name: 'ls', pieces: [''] },
      ],
      usage: { input: 100, cached: 60, output: 20 },
    }),
  );
  await asked(server, async (ask) => {
    const message = await messageOfReply(ask());
    expect(message).toMatchObject({
      api: 'bedrock-converse-stream',
      provider: 'amazon-bedrock',
      model: claude,
      stopReason: 'toolUse',
      usage: { input: 40, cacheRead: 60, cacheWrite: 0, output: 20 },
      content: [
        { type: 'thinking', thinking: 'let me', thinkingSignature: 'c2ln' },
        { type: 'text', text: 'Hello' },
        { type: 'toolCall', id: 'tooluse_1', name: 'read', arguments: { path: 'a' } },
        { type: 'toolCall', id: 'tooluse_2', name: 'ls', arguments: {} },
      ],
    });
    expect(message.usage.cost?.total).toBeGreaterThan(0);
  });
});

test('what came goes back as it came: signed and hidden reasoning, calls, results with images', async () => {
  const hidden = frame('contentBlockDelta', {
    contentBlockIndex: 0,
    delta: { reasoningContent: { data: 'aGlkZGVu' } },
  });
  const stop = frame('contentBlockStop', { contentBlockIndex: 0 });
  const [start, ...rest] = converseEvents({ text: ['x'] });
  await using server = await modelServer(streamed(start as Buffer, hidden, stop, ...rest), told({ text: ['y'] }));
  await asked(server, async (ask) => {
    const first = await messageOfReply(ask());
    const call = { type: 'toolCall' as const, id: 'c1', name: 'read', arguments: { path: 'a' } };
    const signed = { type: 'thinking' as const, thinking: 'hm', thinkingSignature: 'c2ln' };
    const author = { api: first.api, provider: first.provider, model: first.model };
    const image = { type: 'image' as const, data: 'aGk=', mimeType: 'image/png' };
    const messages = [
      said('go'),
      first,
      said('on'),
      answered([signed, call], author),
      resulted('c1', 'read', 'text', { content: [{ type: 'text', text: 'see' }, image] }),
    ];
    await messageOfReply(ask({ messages, tools: [readFace] }));
    const { messages: sent, system } = server.heard[1]?.body ?? {};
    expect(system).toEqual([{ text: 'Be brief.' }, { cachePoint: { type: 'default' } }]);
    expect(sent[1].content[0]).toEqual({ reasoningContent: { redactedReasoning: { data: 'aGlkZGVu' } } });
    expect(sent[3].content).toEqual([
      { reasoningContent: { reasoningText: { text: 'hm', signature: 'c2ln' } } },
      { toolUse: { toolUseId: 'c1', name: 'read', input: { path: 'a' } } },
    ]);
    expect(sent[4].content[0].toolResult.content).toMatchObject([{ text: 'see' }, { image: { format: 'png' } }]);
    expect(JSON.stringify(sent[4].content.at(-1))).toContain('cachePoint');
  });
});

test('the request is signed with the keys, which nobody else sees', async () => {
  await using server = await modelServer(told({ text: ['hi'] }));
  await asked(server, async (ask) => void (await messageOfReply(ask())), { ...keys, AWS_SESSION_TOKEN: 'session-1' });
  const [{ url, text, ...heard } = { url: '', text: '', headers: {} }] = server.heard;
  const headers: Readonly<Record<string, unknown>> = heard.headers;
  expect(url).toBe(`/model/${encodeURIComponent(claude)}/converse-stream`);
  const scope = `${String(headers['x-amz-date']).slice(0, 8)}/eu-west-1/bedrock/aws4_request`;
  expect(headers.authorization).toContain(`AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/${scope}`);
  expect(headers['x-amz-security-token']).toBe('session-1');
  expect(JSON.stringify(headers) + text).not.toContain(secret);
  expect(headers.authorization).toContain(`Signature=${signatureOf(headers, url, text, scope)}`);
});

/** The signature as Amazon's documents describe it. */
function signatureOf(headers: Readonly<Record<string, unknown>>, url: string, body: string, scope: string): string {
  const names = /SignedHeaders=([^,]+)/.exec(String(headers.authorization))?.[1] ?? '';
  const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
  const lines = names.split(';').map((name) => `${name}:${String(headers[name]).trim().replace(/\s+/g, ' ')}\n`);
  const path = url.split('/').map(encodeURIComponent).join('/');
  const canonical = ['POST', path, '', lines.join(''), names, hash(body)].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, hash(canonical)].join('\n');
  let key: Buffer | string = `AWS4${secret}`;
  for (const part of scope.split('/')) key = createHmac('sha256', key).update(part).digest();
  return createHmac('sha256', key).update(toSign).digest('hex');
}

test("a key of Bedrock's own goes as it is, and comes before the others", async () => {
  await using server = await modelServer(told({ text: ['hi'] }));
  await asked(server, async (ask) => void (await messageOfReply(ask())), {
    ...keys,
    AWS_BEARER_TOKEN_BEDROCK: 'bedrock-key-1',
  });
  expect(server.heard[0]?.headers.authorization).toBe('Bearer bedrock-key-1');
});

test('a model that thinks by budget is given one, within its limit; one that knows efforts an effort', async () => {
  await using server = await modelServer(told({ text: ['hi'] }));
  await asked(server, async (ask) => {
    const budgeted = (await provider.models()).find(({ thinkingBudgets }) => thinkingBudgets?.medium !== undefined);
    if (budgeted === undefined) throw new Error('no model of the catalogue thinks by budget');
    await messageOfReply(ask({ thinking: 'medium' }, budgeted.model));
    await messageOfReply(ask({ thinking: 'medium' }));
    const [first, second] = server.heard.map(({ body }) => body);
    const budget = budgeted.thinkingBudgets?.medium ?? 0;
    expect(first.additionalModelRequestFields.thinking).toEqual({ type: 'enabled', budget_tokens: budget });
    expect(first.inferenceConfig.maxTokens).toBe(budgeted.maxOutput);
    expect(JSON.stringify(second.additionalModelRequestFields)).toContain('medium');
  });
});

const whole = { text: ['Hel', 'lo'], calls: [{ id: 't1', name: 'read', pieces: ['{"path":', '"a"}'] }] };
const content = [
  { type: 'text', text: 'Hello' },
  { type: 'toolCall', id: 't1', name: 'read', arguments: { path: 'a' } },
];
const events = converseEvents(whole);
const begun = events.slice(0, 3); // as far as a piece of text
const json = { 'content-type': 'application/json' };
const refusal = (status: number, message: string, headers = {}): Answer => ({
  status,
  headers: { ...json, ...headers },
  pieces: [JSON.stringify({ message })],
});

describe('faults', () => {
  test.each<[string, string, Answer]>([
    ['401', 'model_unauthorized', refusal(401, 'no')],
    ['403', 'model_unauthorized', refusal(403, 'The security token included in the request is invalid.')],
    [
      '403 for a model',
      'model_unauthorized',
      refusal(403, "You don't have access to the model with the specified model ID."),
    ],
    ['404', 'model_not_found', refusal(404, 'The provided model identifier is not found')],
    ['429', 'model_rate_limited', refusal(429, 'Too many requests, please wait before trying again.')],
    ['500', 'model_overloaded', refusal(500, 'internal')],
    ['503', 'model_overloaded', refusal(503, 'Bedrock is unable to process your request.')],
    ['an overflow', 'model_context_overflow', refusal(400, 'Input is too long for requested model.')],
    [
      'an overflow in words of the model',
      'model_context_overflow',
      refusal(400, 'The model returned the following errors: prompt is too long: 210011 tokens > 200000 maximum'),
    ],
    ['a bad request', 'model_bad_request', refusal(400, 'Malformed input request')],
    [
      'throttling in the stream',
      'model_rate_limited',
      streamed(...begun, frame('throttlingException', { message: 'slow' }, 'exception')),
    ],
    [
      'trouble in the stream',
      'model_overloaded',
      streamed(...begun, frame('internalServerException', { message: 'oh' }, 'exception')),
    ],
    [
      'a refusal in the stream',
      'model_bad_request',
      streamed(frame('validationException', { message: 'no' }, 'exception')),
    ],
    ['cut before', 'model_disconnected', streamed('CUT')],
    ['cut in the middle', 'model_disconnected', streamed(...begun, 'CUT')],
    ['ended in the middle', 'model_disconnected', streamed(...begun)],
    [
      'ended in the middle of an event',
      'model_bad_response',
      streamed(...begun, (events[3] as Buffer).subarray(0, 20)),
    ],
    [
      'a page of a proxy',
      'model_bad_response',
      { headers: { 'content-type': 'text/html' }, pieces: ['<html>hi</html>'] },
    ],
    ['JSON', 'model_bad_response', { headers: json, pieces: ['{"output":{}}'] }],
    ['bytes that are no events', 'model_bad_response', streamed('this is no stream of events, whatever it says it is')],
    [
      'a redirect',
      'model_bad_response',
      { status: 307, headers: { location: 'https://elsewhere.invalid/' }, pieces: [] },
    ],
  ])('%s: %s', async (_, code, answer) => {
    await using server = await modelServer(answer);
    await asked(server, async (ask) => {
      const { error } = await failureOfReply(ask());
      expect(error).toMatchObject({ code, message: expect.stringContaining('amazon-bedrock (') });
      expect(JSON.stringify([error, (error as Error).message])).not.toContain(secret);
    });
  });

  test('a stream that is silent', async () => {
    await using server = await modelServer(streamed(...begun, 'HANG'));
    const quick = bedrock({ idleTimeoutMs: 300 });
    await asked(
      server,
      async (ask) => {
        expect((await failureOfReply(ask())).error).toMatchObject({ code: 'model_stalled' });
        await server.released(0);
      },
      keys,
      quick,
    );
  });

  test.each([1, 7, 4096])('events in pieces of %i bytes are the same reply', async (size) => {
    const bytes = Buffer.concat(events);
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.subarray(at * size, (at + 1) * size),
    );
    await using server = await modelServer(streamed(...pieces));
    await asked(server, async (ask) => expect((await messageOfReply(ask())).content).toEqual(content));
  });

  test.each<[string, Answer, unknown]>([
    [
      'events of a kind that nobody knows',
      streamed(...events.slice(0, -2), frame('novelty', { a: 1 }), ...events.slice(-2)),
      content,
    ],
    ['nothing said', told({}), []],
    [
      'arguments that are no JSON',
      told({ calls: [{ id: 't1', name: 'read', pieces: ['{"pa'] }] }),
      [expect.objectContaining({ invalidArguments: '{"pa' })],
    ],
  ])('%s are a reply', async (_, answer, said) => {
    await using server = await modelServer(answer);
    await asked(server, async (ask) => expect((await messageOfReply(ask())).content).toEqual(said));
  });
});

describe('how this machine signs in', () => {
  const write = (name: string, text: string): void => {
    mkdirSync(path.join(home, '.aws'), { recursive: true });
    writeFileSync(path.join(home, '.aws', name), text);
  };

  test('by the environment, or a profile of the shared files', () => {
    write(
      'credentials',
      '[default]\naws_access_key_id = ID0\naws_secret_access_key = SECRET0\n\n[work]\n aws_x=1\naws_access_key_id=ID1\naws_secret_access_key=SECRET1\naws_session_token=TOKEN1\n',
    );
    write(
      'config',
      '[default]\nregion = us-west-2\n[profile work]\nregion=eu-central-1\ns3 =\n  region = nowhere\n[profile sso]\nsso_session = x\nregion = eu-west-1\n',
    );
    const env = { HOME: home };
    expect(awsAccess({ ...env, AWS_PROFILE: 'work' })).toEqual({
      state: 'signed',
      region: 'eu-central-1',
      credentials: { accessKeyId: 'ID1', secretAccessKey: 'SECRET1', sessionToken: 'TOKEN1' },
    });
    expect(awsAccess({ ...env, AWS_REGION: 'us-east-1' })).toMatchObject({
      region: 'us-east-1',
      credentials: { accessKeyId: 'ID0' },
    });
    expect(awsAccess({ ...env, AWS_ACCESS_KEY_ID: 'A', AWS_SECRET_ACCESS_KEY: 'B' })).toMatchObject({
      region: 'us-west-2',
      credentials: { accessKeyId: 'A', secretAccessKey: 'B' },
    });
    expect(awsAccess({ ...env, AWS_PROFILE: 'sso' })).toMatchObject({
      what: expect.stringContaining('export-credentials --profile sso'),
    });
    expect(awsAccess({ ...env, AWS_PROFILE: 'gone', AWS_REGION: 'x' })).toMatchObject({
      what: expect.stringContaining('no profile gone'),
    });
  });

  test('files alone do not make it a choice, and what lacks is named', async () => {
    expect(awsAccess({ HOME: home })).toMatchObject({
      state: 'missing',
      what: expect.stringContaining('AWS_ACCESS_KEY_ID'),
    });
    expect(awsAccess({ HOME: '/nowhere', AWS_ACCESS_KEY_ID: 'A', AWS_SECRET_ACCESS_KEY: 'B' })).toMatchObject({
      what: 'AWS_REGION is not set',
    });
    await withEnvironment({ ...nothing, HOME: home }, async () => {
      expect((await provider.models()).every(({ available }) => !available)).toBe(true);
      expect(provider.missing?.()).toContain('AWS_PROFILE');
    });
    await withEnvironment({ ...nothing, ...keys }, async () => {
      expect(await provider.model(claude)).toMatchObject({ available: true, vendor: 'Anthropic' });
      expect(await provider.model('some.new-model')).toMatchObject({ available: true, cost: null });
    });
  });
});

test('without the region of anywhere else: the address is that of the region', async () => {
  await withEnvironment({ ...nothing, ...keys, AWS_REGION: 'xx-nowhere-1' }, async () => {
    const model = await provider.model(claude);
    if (model === undefined) throw new Error('no model');
    const network = { agentFor: (url: string) => Promise.reject(new Error(`went to ${new URL(url).host}`)) };
    const { error } = await failureOfReply(provider.stream(aRequest({ model, network }), never));
    expect((error as Error).message).toContain('went to bedrock-runtime.xx-nowhere-1.amazonaws.com');
  });
});

test('the version that a person is told to install is the one that kern is made with', () => {
  const read = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');
  const { dependencies } = JSON.parse(read('../../../package.json'));
  expect(read('../bridge/bedrock-model.ts')).toContain(
    `@ai-sdk/amazon-bedrock@${dependencies['@ai-sdk/amazon-bedrock']} `,
  );
});
