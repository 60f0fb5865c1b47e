import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  flags,
  type ModelProvider,
  modelProviders,
  models,
  readScript,
  replyOver,
  type StreamEvent,
} from 'kern/contracts';
import { type Context, definePlugin, type PluginDefinition } from 'kern/plugin';
import { bootKernel } from 'kern/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import authPlugin from '../auth/index.ts';
import { describeModel } from '../describe.ts';
import modelsPlugin from '../index.ts';
import scriptPlugin from '../script/index.ts';
import { withEnvironment } from '../test/environment.ts';
import { answered, aRequest, failureOfReply, messageOfReply, resulted, said } from '../test/requests.ts';
import { modelServer } from '../test/server.ts';
import { type TestWire, testWires } from '../test/wires.ts';
import recordPlugin from './index.ts';
import { Recording } from './recording.ts';

const never = new AbortController().signal;
const model = describeModel('test', 'm', { thinking: ['off', 'high'], contextWindow: 50_000 });

function providerPlugin(stream: ModelProvider['stream']): PluginDefinition {
  const item: ModelProvider = { id: 'test', displayName: 't', models: () => [model], model: () => model, stream };
  return definePlugin({
    id: 'test.provider',
    requires: ['models'],
    setup: (ctx) => ctx.contribute(modelProviders, item),
  });
}

const flagToken = definePlugin({ id: 'cli', declares: [flags], setup: () => {} });

async function recorded(stream: ModelProvider['stream']) {
  const plugins = [flagToken, modelsPlugin, authPlugin, scriptPlugin, recordPlugin, providerPlugin(stream)];
  const booted = await bootKernel(plugins);
  const { view, dir } = booted;
  const service = view.service(models);
  const flag = async (name: string, value: string | boolean): Promise<void> => {
    const entry = view.use(flags).get(name);
    if (entry === undefined) throw new Error(`no flag ${name}`);
    const ctx = booted.kernel.contextOf(entry) as Context;
    await view.run(entry, ({ apply }) => apply?.(value, ctx));
  };
  return {
    dir,
    flag,
    ask: (changes: Partial<Parameters<typeof aRequest>[0]> = {}, signal = never) =>
      service.stream(aRequest({ model, ...changes }), signal),
    /** The script answers in the place of the provider. */
    player: async (name: string) => {
      const played = await service.resolve(`script/${name}`);
      return (changes: Partial<Parameters<typeof aRequest>[0]> = {}) =>
        service.stream(aRequest({ model: played, ...changes }), never);
    },
    text: async (name: string): Promise<string> => {
      await expect.poll(() => existsSync(path.join(dir, name))).toBe(true);
      return readFileSync(path.join(dir, name), 'utf8');
    },
    [Symbol.asyncDispose]: () => booted[Symbol.asyncDispose](),
  };
}

/** What of an outcome has to be the same when it is played. */
async function outcomeOf(stream: AsyncIterable<StreamEvent>): Promise<unknown> {
  const deltas: string[] = [];
  try {
    for await (const event of stream) {
      if (event.type === 'text_delta' || event.type === 'thinking_delta') deltas.push(event.delta);
      if (event.type !== 'done') continue;
      const { content, stopReason, usage } = event.message;
      const { cost: _, ...tokens } = usage;
      const plain = content.map((part) =>
        part.type === 'thinking' ? part.thinking : part.type === 'text' ? part.text : part,
      );
      return { deltas, plain, stopReason, tokens };
    }
    return 'no end';
  } catch (error) {
    const { code, status, retryAfterMs } = error as { code: string; status?: number; retryAfterMs?: number };
    return { deltas, code, status, retryAfterMs };
  }
}

const overWire = ({ wire, base }: TestWire, url: string): ModelProvider['stream'] => {
  const endpoint = { provider: 'test', baseUrl: base(url), apiKey: 'secret-key-1', idleTimeoutMs: 30_000 };
  return (request, signal) => replyOver(wire, endpoint, request, signal);
};

describe.each(testWires.map((wire) => [wire.wire, wire] as const))('%s', (_, wire) => {
  test('what a provider streamed is played again: the same pieces, calls, counts and failures', async () => {
    const whole = wire.events({
      thinking: ['let me ', 'see'],
      signature: 'c2lnbmVk',
      text: ['Hello, this is ', 'a text with more than twenty letters'],
      calls: [
        { id: 'call_a', name: 'read', pieces: ['{"path":', '"a: b.txt"}'] },
        { id: 'call_b', name: 'bash', pieces: ['{"command":"ls"}'] },
      ],
      usage: { input: 100, cached: 40, output: 20, reasoning: 5 },
    });
    const cut = wire.events({ text: ['Half ', 'of it'] });
    await using server = await modelServer(
      { pieces: whole },
      { status: 429, headers: { 'retry-after': '7' }, pieces: ['{"error":{"message":"slow down secret-key-1"}}'] },
      { status: 401, pieces: ['{"error":{"message":"invalid key"}}'] },
      { pieces: [...cut.slice(0, cut.findIndex((event) => event.includes('"Half ')) + 1), 'CUT'] },
      { pieces: wire.events({ text: ['The end.'], stop: 'length' }) },
    );
    await using run = await recorded(overWire(wire, server.url));
    await run.flag('record', 'out.yml');
    const first: unknown[] = [];
    for (let nth = 0; nth < 5; nth += 1) first.push(await outcomeOf(run.ask()));
    expect(first[0]).toMatchObject({ stopReason: 'toolUse', plain: [expect.anything(), expect.anything(), {}, {}] });
    await expect.poll(() => run.text('out.yml')).toContain('The end.');
    const play = await run.player('out.yml');
    const second: unknown[] = [];
    for (let nth = 0; nth < 5; nth += 1) second.push(await outcomeOf(play()));
    expect(second).toEqual(first);
    expect(await run.text('out.yml')).not.toContain('secret-key-1');
    expect(await readScript(path.join(run.dir, 'out.yml'), 'out.yml')).toMatchObject({
      model: { contextWindow: 50_000, reasoning: true },
    });
  });
});

const done = (content: Parameters<typeof answered>[0]): StreamEvent => ({ type: 'done', message: answered(content) });

function streams(...replies: readonly (readonly StreamEvent[])[]): ModelProvider['stream'] {
  let nth = -1;
  return async function* () {
    nth += 1;
    yield* replies[nth] ?? [];
  };
}

const textEvents = (contentIndex: number, ...pieces: string[]): StreamEvent[] => [
  { type: 'text_start', contentIndex },
  ...pieces.map((delta): StreamEvent => ({ type: 'text_delta', contentIndex, delta })),
  { type: 'text_end', contentIndex, content: pieces.join('') },
];
const callEvents = (contentIndex: number, id: string, args: string): StreamEvent[] => [
  { type: 'toolcall_start', contentIndex, id, toolName: 'read' },
  { type: 'toolcall_delta', contentIndex, delta: args },
  {
    type: 'toolcall_end',
    contentIndex,
    toolCall: { type: 'toolCall', id, name: 'read', arguments: {}, invalidArguments: args },
  },
];

test('the order of what was said is kept, and so are arguments that are no JSON', async () => {
  const said = [
    { type: 'text' as const, text: 'first' },
    { type: 'toolCall' as const, id: 'c1', name: 'read', arguments: {}, invalidArguments: '{"a' },
    { type: 'text' as const, text: 'second' },
  ];
  const events = [...textEvents(0, 'first'), ...callEvents(1, 'c1', '{"a'), ...textEvents(2, 'second'), done(said)];
  await using run = await recorded(streams(events));
  await run.flag('record', 'out.yml');
  await messageOfReply(run.ask());
  await run.text('out.yml');
  expect((await messageOfReply((await run.player('out.yml'))())).content).toEqual(said);
});

test('a reply that came without its pieces is recorded all the same', async () => {
  await using run = await recorded(streams([done([{ type: 'text', text: 'all at once' }])]));
  await run.flag('record', 'out.yml');
  await messageOfReply(run.ask());
  expect(await run.text('out.yml')).toContain('text: ["all at once"]');
});

test('a title takes no turn, a summary one of its own', async () => {
  const reply = (text: string): StreamEvent[] => [...textEvents(0, text), done([{ type: 'text', text }])];
  await using run = await recorded(streams(reply('a title'), reply('a summary'), reply('a turn')));
  await run.flag('record', 'out.yml');
  for (const purpose of ['title', 'summary', 'turn'] as const) await messageOfReply(run.ask({ purpose }));
  await expect.poll(() => run.text('out.yml')).toContain('a turn');
  const { turns, summaries } = await readScript(path.join(run.dir, 'out.yml'), 'out.yml');
  expect([turns.map(({ text }) => text), summaries.map(({ text }) => text)]).toEqual([['a turn'], ['a summary']]);
});

test('secrets are left out, also where they came in pieces', async () => {
  const events = [
    ...textEvents(0, 'the key is my-own-s', 'ecret-value, and ', 'sk-ant-0123456789abcdefghij too'),
    ...callEvents(1, 'c1', '{"token":"my-own-secret-value"}'),
    done([]),
  ];
  await withEnvironment({ SOME_API_KEY: 'my-own-secret-value' }, async () => {
    await using run = await recorded(streams(events));
    await run.flag('record', 'out.yml');
    await messageOfReply(run.ask());
    const text = await run.text('out.yml');
    expect(text).toContain('the key is [key], and [key] too');
    expect(text).not.toMatch(/my-own|sk-ant|value/);
    await messageOfReply((await run.player('out.yml'))());
  });
});

test('with --record-expect a turn says which results it expects', async () => {
  await using run = await recorded(streams([...textEvents(0, 'x'), done([])], [...textEvents(0, 'y'), done([])]));
  await run.flag('record', 'out.yml');
  await run.flag('record-expect', true);
  const call = answered([{ type: 'toolCall', id: 'c1', name: 'read', arguments: {} }]);
  const before = [said('go'), call, resulted('c1', 'read', 'nothing', { isError: true })];
  await messageOfReply(run.ask());
  await messageOfReply(run.ask({ messages: before }));
  await expect.poll(() => run.text('out.yml')).toContain('expect: {toolResult: [{tool: read, isError: true}]}');
  const play = await run.player('out.yml');
  await messageOfReply(play());
  expect((await failureOfReply(play())).error).toMatchObject({ code: 'script_expectation' });
});

test('a reply that is stopped is told as far as it came, and one that has not begun is not told', async () => {
  const stream: ModelProvider['stream'] = async function* (_, signal) {
    if (signal.aborted) return;
    yield* textEvents(0, 'as far ', 'as this').slice(0, -1);
    await new Promise((_resolve, reject) =>
      signal.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError'))),
    );
  };
  await using run = await recorded(stream);
  await run.flag('record', 'out.yml');
  const stopping = new AbortController();
  const reply = failureOfReply(run.ask({}, stopping.signal));
  setTimeout(() => stopping.abort(), 20);
  await reply;
  const text = await run.text('out.yml');
  expect(text).toContain('# It was stopped here.');
  expect(await outcomeOf((await run.player('out.yml'))())).toMatchObject({
    deltas: ['as far ', 'as this'],
    code: 'model_disconnected',
  });
});

test('a reply that is on its way can be played as far as it came, should the process be killed', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'kern-record-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'out.yml');
  const failed = (error: unknown): void => expect.unreachable(String(error));
  const recording = new Recording({ file, shown: 'out.yml', redact: String, expects: false, everyMs: 5, failed });
  const whole = recording.begin(aRequest({ model }));
  for (const event of [...textEvents(0, 'whole'), done([])]) whole?.event?.(event);
  whole?.end?.({ aborted: false });
  const begun = recording.begin(aRequest({ model }));
  for (const event of textEvents(0, 'half of it').slice(0, -1)) begun?.event?.(event);
  await expect.poll(() => (existsSync(file) ? readFileSync(file, 'utf8') : '')).toContain('# It had come this far.');
  expect((await readScript(file, 'out.yml')).turns).toMatchObject([
    { text: 'whole' },
    { text: 'half of it', error: { disconnect: 'after' } },
  ]);
  await recording.flush();
  expect(readdirSync(folder)).toEqual(['out.yml']);
  if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('what cannot be written is told once', async () => {
  const told: unknown[] = [];
  const file = path.join(tmpdir(), 'kern-no-such-folder', 'out.yml');
  const failed = (error: unknown): void => void told.push(error);
  const recording = new Recording({ file, shown: 'out.yml', redact: String, expects: false, failed });
  for (let nth = 0; nth < 2; nth += 1) {
    const exchange = recording.begin(aRequest({ model }));
    for (const event of [...textEvents(0, 'x'), done([])]) exchange?.event?.(event);
    exchange?.end?.({ aborted: false });
    await recording.flush();
  }
  expect(told).toMatchObject([{ code: 'ENOENT' }]);
});

describe('where it may be written', () => {
  const file = async (name: string, content?: string) => {
    const run = await recorded(streams([...textEvents(0, 'new'), done([])]));
    if (content !== undefined) writeFileSync(path.join(run.dir, name), content);
    return run;
  };

  test('over an older recording, and nothing else', async () => {
    await using other = await file('notes.yml', 'my: notes\n');
    await expect(other.flag('record', 'notes.yml')).rejects.toMatchObject({ code: 'usage' });
    expect(await other.text('notes.yml')).toBe('my: notes\n');
    await using own = await file('old.yml', '# Recorded by kern: old\nversion: 1\nturns: []\n');
    await own.flag('record', 'old.yml');
    await messageOfReply(own.ask());
    await expect.poll(() => own.text('old.yml')).toContain('new');
  });

  test('only into a folder that is there', async () => {
    await using run = await file('x');
    await expect(run.flag('record', 'no/out.yml')).rejects.toMatchObject({ code: 'usage' });
    mkdirSync(path.join(run.dir, 'folder'));
    await expect(run.flag('record', 'folder')).rejects.toMatchObject({ message: expect.stringContaining('no file') });
  });

  test('not over the script that is being played', async () => {
    const old = '# Recorded by kern: old\nversion: 1\nturns: [{ text: hi }]\n';
    await using run = await file('old.yml', old);
    await run.flag('record', 'old.yml');
    await messageOfReply((await run.player('old.yml'))());
    expect(await run.text('old.yml')).toBe(old);
  });
});
