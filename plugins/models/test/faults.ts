import type { ModelErrorCode } from '../contract.ts';
import { type Answer, inPieces, type Piece } from './server.ts';
import type { TestWire, Told } from './wires.ts';

/** What a server may do in the place of a reply, and what comes of it: the same on every wire. The pages show this table. */
export interface Fault {
  readonly what: string;
  /** `reply`: as if nothing had happened. */
  readonly outcome: 'reply' | ModelErrorCode;
  /** What a person should know of it. */
  readonly note: string;
  readonly play: (wire: TestWire) => Answer;
  /** What the error says besides. */
  readonly error?: { readonly retryAfterMs?: unknown; readonly message?: RegExp; readonly status?: number };
  /** Over TLS, with a certificate of the server's own making. */
  readonly isSecret?: boolean;
  /** What came before the end is handed on. */
  readonly isShown?: boolean;
  /** The first call has its arguments, or none and what came for them. */
  readonly isWholeOrNone?: boolean;
  /** Where the reply is another than the usual one. */
  readonly content?: readonly unknown[];
}

/** The reply that is broken in one way or another. */
export const told: Told = {
  text: ['Hel', 'lo'],
  calls: [
    { id: 'call_a', name: 'read', pieces: ['{"pa', 'th":', '"a"}'] },
    { id: 'call_b', name: 'bash', pieces: ['{"command":', '"ls"}'] },
  ],
};
const calls = [
  { type: 'toolCall', id: 'call_a', name: 'read', arguments: { path: 'a' } },
  { type: 'toolCall', id: 'call_b', name: 'bash', arguments: { command: 'ls' } },
];
/** What it is when nothing is broken. */
export const whole: readonly unknown[] = [{ type: 'text', text: 'Hello' }, ...calls];

const megabytes = 50_000_000;
const json = { 'content-type': 'application/json' };

function refusal(status: number, message: string, headers: Record<string, string> = {}): Fault['play'] {
  const body = JSON.stringify({ error: { message, type: 'error', code: status, status: 'ERROR' } });
  return () => ({ status, headers: { ...json, ...headers }, pieces: [body] });
}

/** The usual reply, with other pieces. */
function broken(
  change: (events: readonly string[], wire: TestWire) => readonly Piece[],
  of: Told = told,
): Fault['play'] {
  return (wire) => ({ pieces: change(wire.events(of), wire) });
}

/** Up to and with the first piece of text. */
const begun = (events: readonly string[]): readonly string[] =>
  events.slice(0, events.findIndex((event) => event.includes('"Hel"')) + 1);

const quotas: Readonly<Record<TestWire['wire'], string>> = {
  anthropic: 'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade.',
  'openai-chat': 'You exceeded your current quota, please check your plan and billing details.',
  'openai-responses': 'You exceeded your current quota, please check your plan and billing details.',
  google: 'You exceeded your current quota, please check your plan and billing details.',
};
const overflows: Readonly<Record<TestWire['wire'], string>> = {
  anthropic: 'prompt is too long: 210011 tokens > 200000 maximum',
  'openai-chat':
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130011 tokens.",
  'openai-responses': 'Your input exceeds the context window of this model. Please adjust your input and try again.',
  google: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048575).',
};

export const faults: readonly Fault[] = [
  {
    what: '401',
    outcome: 'model_unauthorized',
    note: 'another account is tried, where there is one',
    play: refusal(401, 'invalid x-api-key'),
    error: { status: 401 },
  },
  {
    what: '403',
    outcome: 'model_unauthorized',
    note: 'the key may not use this model',
    play: refusal(403, 'Your API key does not have permission to use the specified resource.'),
  },
  {
    what: '404',
    outcome: 'model_not_found',
    note: 'the name of the model, or the base URL, is wrong',
    play: refusal(404, 'model: no-such-model'),
  },
  {
    what: '429',
    outcome: 'model_rate_limited',
    note: '',
    play: refusal(429, 'Too Many Requests'),
    error: { retryAfterMs: undefined },
  },
  {
    what: '429 with `Retry-After: 7`',
    outcome: 'model_rate_limited',
    note: 'the next try comes after so many seconds',
    play: refusal(429, 'Too Many Requests', { 'retry-after': '7' }),
    error: { retryAfterMs: 7_000 },
  },
  {
    what: '429 with a date in `Retry-After`',
    outcome: 'model_rate_limited',
    note: 'the next try comes then',
    play: (wire) =>
      refusal(429, 'Too Many Requests', { 'retry-after': new Date(Date.now() + 60_000).toUTCString() })(wire),
    error: { retryAfterMs: 'about a minute' },
  },
  {
    what: 'an empty account, in the words of the vendor',
    outcome: 'model_quota',
    note: 'the fallback is asked, where there is one',
    play: (wire) => refusal(wire.wire === 'anthropic' ? 400 : 429, quotas[wire.wire])(wire),
  },
  {
    what: 'a request that is too long, in the words of the vendor',
    outcome: 'model_context_overflow',
    note: 'older messages are summarised',
    play: (wire) => refusal(400, overflows[wire.wire])(wire),
  },
  { what: '500', outcome: 'model_overloaded', note: '', play: refusal(500, 'Internal server error') },
  { what: '529', outcome: 'model_overloaded', note: '', play: refusal(529, 'Overloaded') },
  {
    what: 'an error in the place of the first event',
    outcome: 'model_overloaded',
    note: 'as if it had come as a status',
    play: (wire) => ({ pieces: [wire.error('overloaded_error', 'Overloaded', 529)] }),
    error: { message: /Overloaded/ },
  },
  {
    what: 'an error within the reply',
    outcome: 'model_overloaded',
    note: 'what came is shown',
    play: broken((events, wire) => [...begun(events), wire.error('overloaded_error', 'Overloaded', 529)]),
    error: { message: /Overloaded/ },
    isShown: true,
  },
  {
    what: 'the connection is cut before an answer',
    outcome: 'model_disconnected',
    note: '',
    play: () => ({ isMute: true, pieces: ['CUT'] }),
  },
  {
    what: 'the connection is cut within the reply',
    outcome: 'model_disconnected',
    note: 'what came is shown',
    play: broken((events) => [...begun(events), 'CUT']),
    isShown: true,
  },
  {
    what: 'the connection is cut within an event',
    outcome: 'model_disconnected',
    note: 'what came is shown',
    play: broken((events) => [...begun(events), 'data: {"ty', 'CUT']),
    isShown: true,
  },
  {
    what: 'the stream ends without its last event',
    outcome: 'model_disconnected',
    note: 'what came is shown',
    play: broken(begun),
    isShown: true,
  },
  {
    what: 'the connection is cut after the last event',
    outcome: 'reply',
    note: '',
    play: broken((events) => [...events, 'CUT']),
  },
  {
    what: 'no answer',
    outcome: 'model_stalled',
    note: 'after `idleTimeoutMs`',
    play: () => ({ isMute: true, pieces: ['HANG'] }),
  },
  {
    what: 'silence within the reply',
    outcome: 'model_stalled',
    note: 'after `idleTimeoutMs`; what came is shown',
    play: broken((events) => [...begun(events), 'HANG']),
    isShown: true,
  },
  {
    what: 'events that are cut at every byte',
    outcome: 'reply',
    note: '',
    play: broken((events) => inPieces(events, 1)),
  },
  {
    what: 'lines that end with CR LF',
    outcome: 'reply',
    note: '',
    play: broken((events) => inPieces([events.join('').replaceAll('\n', '\r\n')], 7)),
  },
  {
    what: 'comments and keep-alives between the events',
    outcome: 'reply',
    note: 'they count as signs of life',
    play: broken((events) => events.flatMap((event) => [': ping\n\n', ':\n', event, '\n'])),
  },
  {
    what: 'events of a kind that nobody knows',
    outcome: 'reply',
    note: 'they are passed over',
    play: broken((events) => {
      const odd = 'event: weather\ndata: {"type":"weather","object":"weather","sun":true}\n\n';
      return [...events.slice(0, 2), odd, ...events.slice(2)];
    }),
  },
  {
    what: 'events under another content type',
    outcome: 'reply',
    note: '',
    play: (wire) => ({ headers: { 'content-type': 'text/plain' }, pieces: wire.events(told) }),
  },
  {
    what: 'a tool call that begins twice',
    outcome: 'reply',
    note: 'it is one call',
    play: broken((events) =>
      twice(events, (event) => event.includes('"call_a"') && !event.includes('output_item.done')),
    ),
  },
  {
    what: 'tool calls whose pieces come in turns',
    outcome: 'reply',
    note: 'each is put together',
    play: broken(inTurns),
  },
  {
    what: 'a piece of arguments that comes twice',
    outcome: 'reply',
    note: 'the call is whole, or answered with what is wrong; it is never run with arguments that nobody wrote',
    play: broken((events) => twice(events, (event) => event.includes(JSON.stringify('th":').slice(1, -1)))),
    isWholeOrNone: true,
  },
  {
    what: 'a piece of arguments that comes before its call',
    outcome: 'reply',
    note: 'as with one that comes twice',
    play: broken((events) => {
      const early = events.findIndex((event) => event.includes(JSON.stringify('{"pa').slice(1, -1)));
      const call = events.findIndex((event) => event.includes('"call_a"'));
      if (early <= call) return events; // a call is one piece
      const piece = events.slice(early, early + 1);
      return [...events.slice(0, call), ...piece, ...events.slice(call, early), ...events.slice(early + 1)];
    }),
    isWholeOrNone: true,
  },
  {
    what: 'arguments that are no JSON',
    outcome: 'reply',
    note: 'the call is answered with what is wrong',
    play: broken((events) => events, { calls: [{ id: 'call_a', name: 'read', pieces: ['{"path":', ' a}'] }] }),
    content: [{ type: 'toolCall', id: 'call_a', name: 'read', arguments: {}, invalidArguments: '{"path": a}' }],
  },
  {
    what: 'a reply without content',
    outcome: 'reply',
    note: 'it is asked for once more, see above',
    play: broken((events) => events, {}),
    content: [],
  },
  {
    what: 'a reply of 50 MB',
    outcome: 'model_bad_response',
    note: 'it is let go after 16 million characters',
    play: broken((events, wire) => {
      const piece = wire.events({ text: ['x'.repeat(100_000)] }).find((event) => event.includes('xxx')) ?? '';
      const start = begun(events).slice(0, -1);
      return [...start, ...Array.from({ length: megabytes / 100_000 }, () => piece), 'HANG'];
    }),
    error: { message: /million characters/ },
  },
  {
    what: 'an event of 50 MB',
    outcome: 'model_bad_response',
    note: 'it is let go after 32 million characters',
    play: broken((events) => [...begun(events), 'data: {"', ...large(), 'HANG']),
    error: { message: /million characters/ },
    isShown: true,
  },
  {
    what: 'an error page of 50 MB',
    outcome: 'model_overloaded',
    note: 'its beginning is read',
    play: () => ({
      status: 500,
      headers: { 'content-type': 'text/html' },
      pieces: ['<h1>Oops</h1>', ...large(), 'HANG'],
    }),
    error: { message: /Oops/ },
  },
  {
    what: 'an event that is no JSON',
    outcome: 'model_bad_response',
    note: '',
    play: broken((events) => [...begun(events), 'data: {broken\n\n', ...events.slice(begun(events).length)]),
    isShown: true,
  },
  {
    what: 'JSON in the place of events',
    outcome: 'model_bad_response',
    note: 'the base URL is wrong, or the server does not stream',
    play: () => ({ headers: json, pieces: ['{"error":"no model loaded"}'] }),
    error: { message: /no model loaded/ },
  },
  {
    what: 'a web page in the place of events',
    outcome: 'model_bad_response',
    note: 'the base URL is wrong, or a proxy wants a sign-in',
    play: () => ({ headers: { 'content-type': 'text/html' }, pieces: ['<html>Sign in</html>'] }),
    error: { message: /a web page/ },
  },
  {
    what: '502 with the page of a proxy',
    outcome: 'model_overloaded',
    note: 'its text is shown without the tags',
    play: () => ({
      status: 502,
      headers: { 'content-type': 'text/html' },
      pieces: ['<html>\n<head><title>502 Bad Gateway</title></head>\n<body>nginx</body></html>'],
    }),
    error: { message: /502: 502 Bad Gateway$/ },
  },
  {
    what: 'a redirect to another host',
    outcome: 'model_bad_response',
    note: 'it is not followed: the key stays here',
    play: () => ({ status: 307, headers: { location: 'https://elsewhere.invalid/v1/x' }, pieces: [] }),
    error: { message: /a redirect to elsewhere\.invalid/ },
  },
  {
    what: 'a certificate that nobody vouches for',
    outcome: 'model_bad_response',
    note: '`network.ca` names a file of those that do',
    play: broken((events) => events),
    isSecret: true,
    error: { message: /certificate/ },
  },
];

/** Every event that fits comes twice. */
function twice(events: readonly string[], fits: (event: string) => boolean): readonly string[] {
  return events.flatMap((event) => (fits(event) ? [event, event] : [event]));
}

/** The pieces of the two calls, one of each in turn. Where a call comes as one piece there is nothing to change. */
function inTurns(events: readonly string[]): readonly string[] {
  const isPiece = (event: string): boolean => /partial_json|"function":\{"arguments"|arguments\.delta/.test(event);
  const first = events.findIndex(isPiece);
  if (first < 0) return events;
  const begins = (event: string): boolean =>
    /content_block_start|output_item\.added/.test(event) || event.includes('"type":"function"');
  const rest = events.slice(first);
  const end = rest.findLastIndex(isPiece) + 1;
  const group = rest.slice(0, end);
  const starts = group.filter(begins);
  const pieces = group.filter(isPiece);
  const other = group.filter((event) => !begins(event) && !isPiece(event));
  const half = pieces.findIndex((event) => event.includes(JSON.stringify('{"command":').slice(1, -1)));
  const [one, two] = [pieces.slice(0, half), pieces.slice(half)];
  const mixed = one.flatMap((piece, at) => [piece, ...two.slice(at, at + 1)]);
  return [...events.slice(0, first), ...starts, ...mixed, ...other, ...rest.slice(end)];
}

function large(): readonly string[] {
  return Array.from({ length: megabytes / 100_000 }, () => 'x'.repeat(100_000));
}
