import { describe, expect, test } from 'vitest';
import type { ModelRequest } from '../contract.ts';
import { aRequest, collected, failureOfReply, messageOfReply } from '../test/requests.ts';
import { type Answer, chatDelta, chatEvents, modelServer } from '../test/server.ts';
import { chatReply } from './chat.ts';
import type { Endpoint } from './endpoint.ts';

const hello = {
  pieces: chatEvents(
    chatDelta({ role: 'assistant', content: '' }),
    chatDelta({ content: 'Hel' }),
    chatDelta({ content: 'lo' }),
    chatDelta({}, 'stop'),
    {
      choices: [],
      usage: {
        prompt_tokens: 30,
        completion_tokens: 7,
        prompt_tokens_details: { cached_tokens: 10 },
        completion_tokens_details: { reasoning_tokens: 2 },
      },
    },
  ),
};

type Server = Awaited<ReturnType<typeof modelServer>>;
const at = (server: Server, changes: Partial<Endpoint> = {}): Endpoint => ({
  provider: 'test',
  baseUrl: `${server.url}/v1`,
  apiKey: 'key-123456',
  ...changes,
});
const ask = (
  server: Server,
  request: Partial<ModelRequest> = {},
  changes: Partial<Endpoint> = {},
  signal = new AbortController().signal,
) => chatReply(at(server, changes), aRequest(request), signal);

describe('how a reply ends before its end', () => {
  test('an abort ends the stream and lets go of the server', async () => {
    await using server = await modelServer({ pieces: [...hello.pieces.slice(0, 2), 'HANG'] });
    const controller = new AbortController();
    const events: string[] = [];
    const reading = (async () => {
      for await (const event of ask(server, {}, {}, controller.signal)) {
        events.push(event.type);
        if (event.type === 'text_delta') controller.abort(new Error('a reason of its own'));
      }
    })();
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
    expect(events).toEqual(['text_start', 'text_delta']);
    await server.released(0);
  });

  test('an abort before the answer, and one before the request', async () => {
    await using server = await modelServer({ pieces: ['HANG'] });
    const controller = new AbortController();
    const reading = collected(ask(server, {}, {}, controller.signal));
    setTimeout(() => controller.abort(), 30);
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
    await expect(collected(ask(server, {}, {}, AbortSignal.abort()))).rejects.toMatchObject({ name: 'AbortError' });
    expect(server.heard.length).toBeLessThanOrEqual(1);
  });

  test('whoever leaves the loop lets go of the server', async () => {
    await using server = await modelServer({ pieces: [...hello.pieces.slice(0, 2), 'HANG'] });
    for await (const event of ask(server)) if (event.type === 'text_delta') break;
    await server.released(0);
  });

  test.each([
    ['the connection is cut', [...hello.pieces.slice(0, 2), 'CUT' as const]],
    ['the stream ends without an end', hello.pieces.slice(0, 2)],
    ['the connection is cut inside an event', [...hello.pieces.slice(0, 2), 'data: {"choi', 'CUT' as const]],
  ])('%s: what came is handed on, then model_disconnected', async (_, pieces) => {
    await using server = await modelServer({ pieces });
    const { error, before } = await failureOfReply(ask(server));
    expect(error).toMatchObject({
      code: 'model_disconnected',
      message: expect.stringContaining(`test (${server.host})`),
    });
    expect(before).toContainEqual({ type: 'text_delta', contentIndex: 0, delta: 'Hel' });
    expect(before.at(-1)?.type).not.toBe('done');
  });

  test('a server that is not there', async () => {
    const server = await modelServer(hello);
    await server[Symbol.asyncDispose]();
    const { error } = await failureOfReply(ask(server, {}, { fix: 'start it with `x serve`' }));
    expect(error).toMatchObject({
      code: 'model_disconnected',
      message: `test (${server.host}): nothing listens there (ECONNREFUSED)`,
      hint: expect.stringContaining('x serve'),
    });
  });

  test('silence before the answer', async () => {
    await using server = await modelServer({ pieces: ['HANG'] });
    const { error, before } = await failureOfReply(ask(server, {}, { idleTimeoutMs: 80 }));
    expect(error).toMatchObject({ code: 'model_stalled', message: `test (${server.host}) sent nothing for 0.1 s` });
    expect(before).toEqual([]);
  });

  test('silence inside it, after what came', async () => {
    await using server = await modelServer({ pieces: [...hello.pieces.slice(0, 2), 'HANG'] });
    const { error, before } = await failureOfReply(ask(server, {}, { idleTimeoutMs: 2_000 }));
    expect(error).toMatchObject({ code: 'model_stalled', message: expect.stringContaining('sent nothing for 2 s') });
    expect(before.map(({ type }) => type)).toEqual(['text_start', 'text_delta']);
  });

  test('a server that shows that it lives is not silent', async () => {
    const pings = Array.from({ length: 4 }, () => [{ waitMs: 700 }, ': ping\n\n'] as const).flat();
    await using server = await modelServer({ pieces: [...pings, ...hello.pieces] });
    expect(await messageOfReply(ask(server, {}, { idleTimeoutMs: 2_400 }))).toMatchObject({ stopReason: 'stop' });
  });

  test('an error inside the stream', async () => {
    await using server = await modelServer(
      {
        pieces: [
          ...hello.pieces.slice(0, 2),
          'data: {"error":{"message":"The server is overloaded","type":"server_error"}}\n\n',
        ],
      },
      { pieces: ['data: {"error":"context length exceeded"}\n\n'] },
      { pieces: ['data: {broken\n\n', ...hello.pieces] },
    );
    expect((await failureOfReply(ask(server))).error).toMatchObject({
      code: 'model_overloaded',
      message: expect.stringContaining('The server is overloaded'),
    });
    expect((await failureOfReply(ask(server))).error).toMatchObject({ code: 'model_context_overflow' });
    expect((await failureOfReply(ask(server))).error).toMatchObject({ code: 'model_bad_response' });
  });
});

describe('what a server answers instead', () => {
  const refusal = (status: number, body: unknown, headers: Record<string, string> = {}): Answer => ({
    status,
    headers: { 'content-type': 'application/json', ...headers },
    pieces: [typeof body === 'string' ? body : JSON.stringify(body)],
  });

  test.each([
    [
      401,
      { error: { message: 'Incorrect API key provided: key-123456' } },
      'model_unauthorized',
      'Incorrect API key provided: [key]',
    ],
    [403, { error: { message: 'no access' } }, 'model_unauthorized', 'no access'],
    [402, 'Payment Required', 'model_quota', 'Payment Required'],
    [404, { error: { message: 'The model `x` does not exist' } }, 'model_not_found', 'does not exist'],
    [429, { error: { message: 'Rate limit reached' } }, 'model_rate_limited', 'Rate limit reached'],
    [
      429,
      { error: { message: 'You exceeded your current quota', code: 'insufficient_quota' } },
      'model_quota',
      'quota',
    ],
    [
      400,
      { error: { message: "This model's maximum context length is 8192 tokens" } },
      'model_context_overflow',
      'maximum context length',
    ],
    [
      400,
      {
        error: {
          code: 400,
          message: 'request (9000 tokens) exceeds the available context size',
          type: 'exceed_context_size_error',
        },
      },
      'model_context_overflow',
      '9000',
    ],
    [413, 'too big', 'model_context_overflow', 'too big'],
    [400, { detail: 'bad tool' }, 'model_bad_request', 'bad tool'],
    [500, '<html><body>\n<h1>Oops</h1></body></html>', 'model_overloaded', 'Oops'],
    [503, '', 'model_overloaded', '503'],
  ])('%i %j is %s', async (status, body, code, said) => {
    await using server = await modelServer(refusal(status, body));
    const { error } = await failureOfReply(ask(server, {}, { fix: 'check X_KEY' }));
    expect(error).toMatchObject({
      code,
      status,
      message: expect.stringContaining(`test (${server.host}) answered ${status}`),
    });
    expect((error as Error).message).toContain(said);
    expect(JSON.stringify([error, (error as Error).message, (error as Error).stack])).not.toContain('key-123456');
  });

  test('how long to wait is passed on', async () => {
    await using server = await modelServer(
      refusal(429, {}, { 'retry-after': '7' }),
      refusal(429, {}, { 'retry-after-ms': '1500' }),
    );
    expect((await failureOfReply(ask(server))).error).toMatchObject({ retryAfterMs: 7000 });
    expect((await failureOfReply(ask(server))).error).toMatchObject({ retryAfterMs: 1500 });
  });

  test('a redirect is not followed: the key stays here', async () => {
    await using other = await modelServer(hello);
    await using server = await modelServer({
      status: 307,
      headers: { location: `${other.url}/v1/chat/completions` },
      pieces: [],
    });
    const { error } = await failureOfReply(ask(server));
    expect(error).toMatchObject({
      code: 'model_bad_response',
      message: expect.stringContaining(`a redirect to ${other.host}`),
    });
    expect(other.heard).toEqual([]);
  });

  test('a page or a document instead of a stream', async () => {
    await using server = await modelServer(
      { headers: { 'content-type': 'text/html' }, pieces: ['<html>Sign in</html>'] },
      { headers: { 'content-type': 'application/json' }, pieces: ['{"error":"no model loaded"}'] },
    );
    expect((await failureOfReply(ask(server))).error).toMatchObject({
      code: 'model_bad_response',
      message: expect.stringContaining('a web page'),
    });
    expect((await failureOfReply(ask(server))).error).toMatchObject({
      code: 'model_bad_response',
      message: expect.stringContaining('no model loaded'),
    });
  });

  test('a key that cannot be sent is named without being shown', async () => {
    await using server = await modelServer(hello);
    const { error } = await failureOfReply(ask(server, {}, { apiKey: 'secret-key\nmore', fix: 'check X_KEY' }));
    expect(error).toMatchObject({ code: 'model_unauthorized', hint: 'check X_KEY' });
    expect((error as Error).message).not.toContain('secret');
    expect((await failureOfReply(ask(server, {}, { baseUrl: 'localhost:1/v1' }))).error).toMatchObject({
      code: 'model_bad_request',
    });
    expect(server.heard).toEqual([]);
  });
});
