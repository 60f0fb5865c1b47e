import { keptModel } from 'kern/contracts';
import { describe, expect, test } from 'vitest';
import type { ModelRequest } from '../contract.ts';
import { aModel, collected, messageOfReply, readFace, resulted, said } from '../test/requests.ts';
import { inPieces, modelServer } from '../test/server.ts';
import { complaints } from '../test/strict.ts';
import { askOver, type TestWire, type Told, testWires } from '../test/wires.ts';
import type { Endpoint } from './endpoint.ts';

const both: Told = {
  text: ['Both', ' of them.'],
  calls: [
    { id: 'call_a', name: 'read', pieces: ['{"pa', 'th":"a"}'] },
    { id: 'call_b', name: 'bash', pieces: ['{"command":', '"ls"}'] },
  ],
};

/** What was sent, and the message that came of it. */
async function exchange(
  wire: TestWire,
  told: Told,
  request: Partial<ModelRequest> = {},
  endpoint: Partial<Endpoint> = {},
) {
  await using server = await modelServer({ pieces: wire.events(told) });
  const message = await messageOfReply(askOver(wire, server.url, request, endpoint));
  const [heard] = server.heard;
  if (heard === undefined) throw new Error('nothing was asked');
  return { message, heard };
}

describe.each(testWires.map((wire) => [wire.wire, wire] as const))('%s', (_, wire) => {
  test('text comes as deltas and as a message, with what it used and cost', async () => {
    await using server = await modelServer({
      pieces: wire.events({ text: ['Hel', 'lo'], usage: { input: 30, cached: 10, output: 7, reasoning: 2 } }),
    });
    const model = aModel({ cost: { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 0 } });
    const events = await collected(askOver(wire, server.url, { model }));
    expect(events.slice(0, -1)).toEqual([
      { type: 'text_start', contentIndex: 0 },
      { type: 'text_delta', contentIndex: 0, delta: 'Hel' },
      { type: 'text_delta', contentIndex: 0, delta: 'lo' },
      { type: 'text_end', contentIndex: 0, content: 'Hello' },
    ]);
    const done = events.at(-1);
    if (done?.type !== 'done') throw new Error('no done');
    expect(done.message).toMatchObject({ content: [{ type: 'text', text: 'Hello' }], stopReason: 'stop' });
    expect(done.message.responseId).toBeTruthy();
    const { usage } = done.message;
    expect(usage).toMatchObject({ input: 20, cacheRead: 10, output: 7, totalTokens: 37 });
    if (wire.wire !== 'anthropic') expect(usage.reasoning).toBe(2); // there it is part of the output, and not told
    expect(usage.cost?.total).toBeCloseTo((20 * 2 + 7 * 10 + 10 * 0.2) / 1e6, 12);
  });

  test('the request goes to its path, with the key in its header only', async () => {
    const { heard } = await exchange(wire, { text: ['hi'] }, {}, { headers: { 'x-team': 'blue' } });
    expect([heard.method, heard.url]).toEqual(['POST', wire.path]);
    expect(wire.keyOf(heard.headers)).toBe('key-123456');
    expect(heard.headers['x-team']).toBe('blue');
    expect(heard.url + heard.text).not.toContain('key-123456');
  });

  test('parallel calls, with arguments in pieces, are put together', async () => {
    const { message } = await exchange(wire, both);
    expect(message).toMatchObject({
      stopReason: 'toolUse',
      content: [
        { type: 'text', text: 'Both of them.' },
        { type: 'toolCall', id: 'call_a', name: 'read', arguments: { path: 'a' } },
        { type: 'toolCall', id: 'call_b', name: 'bash', arguments: { command: 'ls' } },
      ],
    });
  });

  test.each([1, 3, 4_096])('a reply in pieces of %i bytes is the same', async (size) => {
    const told: Told = { thinking: ['hm ', 'grün 🙂'], signature: 'sig', ...both };
    await using whole = await modelServer({ pieces: [wire.events(told).join('')] });
    await using cut = await modelServer({ pieces: inPieces(wire.events(told), size) });
    const [one, other] = await Promise.all(
      [whole, cut].map(async ({ url }) =>
        (await collected(askOver(wire, url))).filter((event) => event.type !== 'done'),
      ),
    );
    expect(other).toEqual(one);
  });

  test('reasoning is kept with its signature, and goes back as it came', async () => {
    const told: Told = { thinking: ['let me ', 'see'], signature: 'sig-1', text: ['yes'], calls: both.calls ?? [] };
    const thinking = ['off', 'low', 'high'] as const;
    const model = aModel({ thinking });
    const { message } = await exchange(wire, told, { model, thinking: 'high' });
    expect(message.content[0]).toMatchObject({ type: 'thinking', thinking: 'let me see' });
    const results = [resulted('call_a', 'read', 'x'), resulted('call_b', 'bash', 'y')];
    const { heard } = await exchange(wire, { text: ['done'] }, { model, messages: [said('go'), message, ...results] });
    const back = JSON.stringify(heard.body);
    expect(back).toContain('let me see');
    if (wire.wire !== 'openai-chat') expect(back).toContain('sig-1'); // nothing is signed there
    const { heard: elsewhere } = await exchange(
      wire,
      { text: ['done'] },
      { model: aModel({ model: 'other' }), messages: [said('go'), message, ...results] },
    );
    expect(elsewhere.text).not.toMatch(/let me see|sig-1/);
    const { heard: told2 } = await exchange(
      wire,
      { text: ['done'] },
      { model: aModel({ model: 'other' }), messages: [said('go'), message, ...results] },
      { foreignReasoning: 'text' },
    );
    expect(told2.text).toContain('(What I thought: let me see)');
    expect(told2.text).not.toContain('sig-1');
  });

  test.each(['length', 'refusal'] as const)('a reply that ends by %s says so', async (stop) => {
    expect((await exchange(wire, { text: ['half'], stop })).message).toMatchObject({ stopReason: stop });
  });

  test('a call that is cut off at the limit keeps what came', async () => {
    const told: Told = {
      calls: [{ id: 'call_a', name: 'write', pieces: ['{"path":"a","content":"hal'] }],
      stop: 'length',
    };
    expect((await exchange(wire, told)).message).toMatchObject({
      stopReason: 'length',
      content: [{ type: 'toolCall', arguments: {}, invalidArguments: '{"path":"a","content":"hal' }],
    });
  });

  test('images go out, also those of results, and never as text', async () => {
    const image = { type: 'image' as const, data: 'aGVsbG8gaW1hZ2U=', mimeType: 'image/png' };
    const { message } = await exchange(wire, both);
    const messages = [
      { role: 'user' as const, content: [{ type: 'text' as const, text: 'look' }, image], timestamp: 1 },
      message,
      resulted('call_a', 'read', '', { content: [{ type: 'text', text: 'a picture' }, image] }),
      resulted('call_b', 'bash', ''),
    ];
    const request = { messages, model: aModel({ model: wire.wire === 'google' ? 'gemini-4-argon' : 'm' }) };
    const { heard } = await exchange(wire, { text: ['seen'] }, request);
    expect(heard.text.split(image.data)).toHaveLength(3);
    expect(heard.text).not.toMatch(/(text|content|output)":"[^"]*aGVsbG8/);
    const blind = await exchange(wire, { text: ['no'] }, { messages, model: aModel({ input: ['text'] }) });
    expect(blind.heard.text).not.toContain(image.data);
    expect(blind.heard.text).toContain('(an image that m cannot see)');
    const odd = messages.slice(0, 1).map((one) => ({ ...one, content: [{ ...image, mimeType: 'image/tiff' }] }));
    const { heard: other } = await exchange(wire, { text: ['no'] }, { messages: odd as typeof messages });
    expect(other.text).toContain('(an image of the type image/tiff, which m cannot read)');
  });

  test.each([undefined, keptModel()])(
    'each request is the one before and more, also of messages that were written before',
    async (kept) => {
      const { message } = await exchange(wire, { ...both, thinking: ['hm'], signature: 'sig' });
      const results = [resulted('call_a', 'read', 'x'), resulted('call_b', 'bash', 'y')];
      const turn = [message, ...results];
      const histories = [[said('go')], [said('go'), ...turn], [said('go'), ...turn, ...turn, said('on')]];
      // The same messages again, as a session has them.
      const all = histories[2] ?? [];
      const bodies = [];
      for (const history of [...histories.map(({ length }) => all.slice(0, length)), all]) {
        const request = { messages: history, tools: [readFace] };
        const { heard } = await exchange(wire, { text: ['ok'] }, request, kept === undefined ? {} : { kept });
        expect(complaints(wire.wire, heard.body, heard.url)).toEqual([]);
        bodies.push(JSON.parse(heard.text.replace(/,?"cache_control":\{[^}]*\}/g, '')));
      }
      const list = (body: Record<string, unknown>) => JSON.stringify(body.messages ?? body.input ?? body.contents);
      const head = (body: Record<string, unknown>) => JSON.stringify([body.tools, body.system, body.systemInstruction]);
      for (const [at, body] of bodies.slice(1).entries()) {
        expect(list(body).startsWith(list(bodies[at]).slice(0, -1))).toBe(true);
        expect(head(body)).toBe(head(bodies[at]));
      }
      expect(list(bodies[3])).toBe(list(bodies[2]));
    },
  );
});
