import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { auth, models } from 'kern/contracts';
import { definePlugin, processes } from 'kern/plugin';
import { type BootOptions, bootKernel, type TestKernel } from 'kern/testing';
import { expect, test, vi } from 'vitest';
import { authorizationServer } from '../../cli/test/authorization-server.ts';
import modelsPlugin from '../index.ts';
import { acme, browsing, limited, unauthorized } from '../test/acme.ts';
import { withEnvironment } from '../test/environment.ts';
import { aModel, aRequest, failureOfReply, messageOfReply } from '../test/requests.ts';
import authPlugin from './index.ts';

const never = new AbortController().signal;
const model = aModel({ id: 'acme/m', provider: 'acme' });

async function boot(
  vendor: ReturnType<typeof acme>,
  options: BootOptions = {},
  plugins: Parameters<typeof bootKernel>[0] = [],
) {
  const t = await bootKernel([modelsPlugin, authPlugin, vendor.plugin, ...plugins], options);
  const file = path.join(t.view.where.home, 'auth.json');
  const service = () => t.view.service(auth);
  return {
    t,
    file,
    auth: service,
    kept: () => JSON.parse(readFileSync(file, 'utf8')),
    /** The key of a reply in a session. */
    reply: async (sessionId = 's1') => {
      const message = await messageOfReply(t.view.service(models).stream(aRequest({ model, sessionId }), never));
      return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
    },
    fails: async () => (await failureOfReply(t.view.service(models).stream(aRequest({ model }), never))).error,
    [Symbol.asyncDispose]: () => t[Symbol.asyncDispose](),
  };
}

const mode = (file: string): number => statSync(file).mode & 0o777;

test('a key is kept for its owner alone, shown by its end only, and used; another kern sees it at once', async () => {
  await using one = await boot(acme());
  expect(one.auth().has('acme')).toBe(false);
  expect(await one.auth().saveKey('acme', ' key-number-1234\n')).toEqual({
    provider: 'acme',
    account: '…1234',
    kind: 'key',
  });
  expect(mode(one.file)).toBe(0o600);
  expect(await one.reply()).toBe('key-number-1234');
  expect(JSON.stringify(await one.auth().status())).not.toContain('number');
  await using other = await bootKernel([modelsPlugin, authPlugin, acme().plugin], { home: one.t.view.where.home });
  expect(other.view.service(auth).has('acme')).toBe(true);
  expect(await other.view.service(auth).logout('acme')).toBe(1);
  expect(one.auth().has('acme')).toBe(false);
  expect(await one.auth().logout('acme')).toBe(0);
});

test('the environment comes first, and no file is read for it', async () => {
  await withEnvironment({ ACME_KEY: 'from-the-environment' }, async () => {
    await using one = await boot(acme({ keys: ['$ACME_KEY'] }));
    symlinkSync('/dev/null', one.file); // to read it would be an error
    expect(one.auth().has('acme')).toBe(true);
    expect(await one.reply()).toBe('from-the-environment');
    delete process.env.ACME_KEY;
    await expect(one.auth().credential('acme', never)).rejects.toMatchObject({ code: 'planted_file' });
    expect(one.auth().has('acme')).toBe(false);
    expect(one.auth().has('acme')).toBe(false);
    expect(one.t.complaints().filter((line) => line.includes('symbolic link'))).toHaveLength(1);
  });
});

test('a kept key may stand in a variable or behind a command, which runs when it is used', async () => {
  await withEnvironment({ ACME_LATER: undefined }, async () => {
    await using one = await boot(acme());
    await one.auth().saveKey('acme', '$ACME_LATER', 'later');
    expect(await one.auth().status()).toMatchObject([
      { account: 'later', kind: 'environment', problem: 'ACME_LATER is not set' },
    ]);
    expect(await one.fails()).toMatchObject({ code: 'model_unauthorized', hint: 'set ACME_LATER' });
    process.env.ACME_LATER = 'now-it-is-set';
    expect(await one.reply()).toBe('now-it-is-set');
  });
});

test('a file that others could read is closed to them, with a word', async () => {
  await using one = await boot(acme());
  await one.auth().saveKey('acme', 'key-number-1234');
  chmodSync(one.file, 0o644);
  expect(await one.reply()).toBe('key-number-1234');
  expect(mode(one.file)).toBe(0o600);
});

test.each([
  ['half of it', '{"version": 1, "providers": {"acme": [{"type":'],
  ['something else', '[1, 2]'],
  ['of another shape', '{"version": 1, "providers": {"acme": {"type": "key"}}}'],
])('a file that is %s is set aside, with a word, and a new one begun', async (_, text) => {
  await using one = await boot(acme());
  writeFileSync(one.file, text, { mode: 0o600 });
  expect(one.auth().has('acme')).toBe(false);
  expect(existsSync(one.file)).toBe(false);
  const [aside] = readdirSync(path.dirname(one.file)).filter((name) => name.startsWith('auth.json.broken-'));
  expect(readFileSync(path.join(path.dirname(one.file), aside ?? ''), 'utf8')).toBe(text);
  expect(one.t.complaints().join()).toContain('Sign in again');
  await one.auth().saveKey('acme', 'key-number-1234');
  expect(await one.reply()).toBe('key-number-1234');
});

test('what a newer kern has written there stays', async () => {
  await using one = await boot(acme());
  const newer = { type: 'passkey', account: 'new', blob: 'x' };
  writeFileSync(one.file, JSON.stringify({ version: 1, later: true, providers: { acme: [newer], other: [newer] } }), {
    mode: 0o600,
  });
  expect(one.auth().has('acme')).toBe(false);
  await one.auth().saveKey('acme', 'key-number-1234', 'mine');
  expect(one.kept()).toMatchObject({
    later: true,
    providers: { acme: [newer, { account: 'mine' }], other: [newer] },
  });
  await one.auth().logout('acme', 'mine');
  expect(one.kept().providers).toEqual({ acme: [newer], other: [newer] });
});

test.each(['', '  ', 'two words', 'key\nmore', 'schlüssel'])('%j is no key', async (key) => {
  await using one = await boot(acme());
  await expect(one.auth().saveKey('acme', key)).rejects.toMatchObject({ code: 'usage' });
  expect(existsSync(one.file)).toBe(false);
});

// --- Several accounts ---------------------------------------------------------------------------------------------

test('an account that has met its limit gives way to the next, and the session stays there', async () => {
  const spent = new Set<string | undefined>();
  const vendor = acme({ takes: (secret) => (spent.has(secret) ? limited(60_000) : undefined) });
  await using one = await boot(vendor);
  for (const key of ['key-number-1', 'key-number-2', 'key-number-3']) await one.auth().saveKey('acme', key, key);
  expect(await one.reply()).toBe('key-number-1');
  spent.add('key-number-1');
  expect(await one.reply()).toBe('key-number-2');
  expect(vendor.asked).toEqual(['key-number-1', 'key-number-1', 'key-number-2']);
  expect(one.t.complaints()).toEqual([
    expect.stringContaining('acme: key-number-1 has met its limit; going on with key-number-2'),
  ]);
  const [first, second] = await one.auth().status();
  expect(first).toMatchObject({ account: 'key-number-1', restsUntil: expect.stringMatching(/^\d{4}-/) });
  expect(second?.restsUntil).toBeUndefined();
  // Another process knows it too.
  await vi.waitFor(() => expect(one.kept().rests.acme).toMatchObject({ 'key-number-1': expect.any(Number) }));
  await using other = await bootKernel([modelsPlugin, authPlugin, acme().plugin], { home: one.t.view.where.home });
  expect(await other.view.service(auth).credential('acme', never)).toMatchObject({ account: 'key-number-2' });
  // The rest is over: new sessions begin with the first again, this one stays.
  await one.auth().saveKey('acme', 'key-number-1', 'key-number-1');
  spent.clear();
  expect(await one.reply('s2')).toBe('key-number-1');
  expect(await one.reply('s1')).toBe('key-number-2');
});

test('where all rest, the failure of the last is told, and the one that is ready first is asked next', async () => {
  const vendor = acme({ takes: (secret) => limited(secret === 'key-number-1' ? 60_000 : 5_000) });
  await using one = await boot(vendor);
  for (const key of ['key-number-1', 'key-number-2']) await one.auth().saveKey('acme', key, key);
  expect(await one.fails()).toMatchObject({ code: 'model_rate_limited', retryAfterMs: 5_000 });
  expect(vendor.asked).toEqual(['key-number-1', 'key-number-2']);
  expect(await one.auth().credential('acme', never)).toMatchObject({ account: 'key-number-2' });
});

test('one account alone is asked again, and nothing is written', async () => {
  const vendor = acme({ keys: ['one-key-alone'], takes: () => limited() });
  await using one = await boot(vendor);
  expect(await one.fails()).toMatchObject({ code: 'model_rate_limited' });
  expect(await one.fails()).toMatchObject({ code: 'model_rate_limited' });
  expect(vendor.asked).toEqual(['one-key-alone', 'one-key-alone']);
  expect(existsSync(one.file)).toBe(false);
});

test('a refused key of the environment gives way to what is kept', async () => {
  await withEnvironment({ ACME_KEY: 'a-wrong-key' }, async () => {
    const vendor = acme({
      keys: ['$ACME_KEY'],
      takes: (secret) => (secret === 'a-wrong-key' ? unauthorized() : undefined),
    });
    await using one = await boot(vendor);
    expect(await one.fails()).toMatchObject({ code: 'model_unauthorized' });
    await one.auth().saveKey('acme', 'key-number-2');
    expect(await one.reply()).toBe('key-number-2');
    process.env.ACME_KEY = 'another-key'; // which is another account
    expect(await one.reply('s2')).toBe('another-key');
  });
});

test('a key whose command fails gives way too, and a file that goes bad hides no failure', async () => {
  let bad = (): void => undefined;
  const vendor = acme({
    takes(secret) {
      if (secret === 'key-number-2') return undefined;
      bad();
      return limited();
    },
  });
  const failing = {
    pid: 1,
    result: Promise.reject(new Error('no such program')),
    write: () => {},
    end: () => {},
    kill: async () => {},
  };
  failing.result.catch(() => undefined);
  const supervisor = { spawn: () => failing, list: () => [], killAllNow: () => {}, killAll: async () => {} };
  const processesPlugin = definePlugin({
    id: 'processes',
    declares: [processes],
    setup: (ctx) => ctx.contribute(processes, supervisor),
  });
  await using one = await boot(vendor, {}, [processesPlugin]);
  await one.auth().saveKey('acme', '!pass show acme', 'broken');
  await one.auth().saveKey('acme', 'key-number-2');
  await one.auth().saveKey('acme', 'key-number-3');
  expect(await one.reply()).toBe('key-number-2');
  expect(one.t.complaints().join('\n')).toContain('the command for the key of acme (broken)');
  await one.auth().logout('acme', '…er-2');
  bad = () => {
    rmSync(one.file);
    symlinkSync('/dev/null', one.file);
  };
  expect(await one.fails()).toMatchObject({ code: 'model_rate_limited' });
});

test('no name of a provider is a trap', async () => {
  await using one = await boot(acme());
  for (const name of ['__proto__', 'constructor', 'toString']) {
    expect(one.auth().has(name)).toBe(false);
    expect(await one.auth().logout(name)).toBe(0);
  }
});

// --- Sign-ins -----------------------------------------------------------------------------------------------------

test('one signs in, is renewed in time, and signs out', async () => {
  await using server = await authorizationServer({ expiresIn: 30 }); // so every request renews
  const vendor = acme({
    signIn: server.definition(),
    takes: (secret) => (server.isGood(secret ?? '') ? undefined : unauthorized()),
  });
  await using one = await boot(vendor);
  expect(await one.auth().login('acme', browsing, never, 'work')).toMatchObject({ account: 'work', kind: 'oauth' });
  expect(server.log.refreshes).toBe(0);
  const first = await one.reply();
  expect(server.log.refreshes).toBe(1);
  expect(one.kept().providers.acme).toEqual([
    { type: 'oauth', account: 'work', access: first, refresh: expect.any(String), expires: expect.any(Number) },
  ]);
  const { refresh } = one.kept().providers.acme[0];
  expect(await one.auth().logout('acme', 'work')).toBe(1);
  expect(server.log.revoked).toEqual([refresh]);
  expect(one.kept().providers).toEqual({});
});

test('many requests at once renew once', async () => {
  await using server = await authorizationServer({ delayMs: 50 });
  const vendor = acme({ signIn: server.definition() });
  await using one = await boot(vendor);
  keep(one, { ...server.issue(), expires: 1 });
  const replies = await Promise.all(Array.from({ length: 20 }, () => one.reply()));
  expect(new Set(replies).size).toBe(1);
  expect(server.log).toMatchObject({ refreshes: 1, reused: 0 });
});

test('a token that is taken back before its time is renewed; one that stays refused is told', async () => {
  await using server = await authorizationServer();
  const vendor = acme({
    signIn: server.definition(),
    takes: (secret) => (server.isGood(secret ?? '') ? undefined : unauthorized()),
  });
  await using one = await boot(vendor);
  await one.auth().login('acme', browsing, never);
  server.forget();
  expect(server.isGood(await one.reply())).toBe(true);
  expect(server.log.refreshes).toBe(1);
  const refused = acme({ signIn: server.definition(), takes: unauthorized });
  await using two = await boot(refused);
  await two.auth().login('acme', browsing, never);
  expect(await two.fails()).toMatchObject({ code: 'model_unauthorized' });
  expect(refused.asked).toHaveLength(2);
});

test('a sign-in that has ended is said, with what to do, and another account stands in', async () => {
  await using server = await authorizationServer();
  await using one = await boot(acme({ signIn: server.definition() }));
  keep(one, { access: 'old', refresh: 'used-up', expires: 1 });
  for (const _ of [1, 2])
    expect(await one.fails()).toMatchObject({
      code: 'auth_expired',
      message: expect.stringContaining('the sign-in for acme is no longer valid'),
      hint: 'sign in again: kern auth login acme',
    });
  expect(one.auth().has('acme')).toBe(false);
  expect(await one.auth().status()).toMatchObject([
    { account: 'ada', problem: expect.stringContaining('no longer valid') },
  ]);
  await one.auth().saveKey('acme', 'key-number-2');
  expect(await one.reply()).toBe('key-number-2');
});

test('a renewal that was cut off is told as that', async () => {
  await using server = await authorizationServer();
  await using one = await boot(acme({ signIn: server.definition() }));
  keep(one, { access: 'old', refresh: 'used-up', expires: 1, renewing: '2026-11-20T10:00:00.000Z' });
  expect(await one.fails()).toMatchObject({
    code: 'auth_expired',
    message: expect.stringContaining('its renewal was cut off at 2026-11-20T10:00:00.000Z'),
  });
});

test('while the server is down a token goes on that is still good; without one it is a failure that passes', async () => {
  await using server = await authorizationServer();
  await using one = await boot(acme({ signIn: server.definition() }));
  const issued = server.issue();
  server.set('down');
  keep(one, { ...issued, expires: Date.now() + 40_000 });
  expect(await one.reply()).toBe(issued.access);
  keep(one, { ...issued, expires: 1 });
  expect(await one.fails()).toMatchObject({ code: 'model_overloaded' });
  server.set('up');
  expect(server.isGood(await one.reply())).toBe(true);
});

test('whoever stops waiting does not stop a renewal, and the end of kern waits for it', async () => {
  await using server = await authorizationServer({ delayMs: 100 });
  const home = mkdtempSync(path.join(tmpdir(), 'kern-auth-'));
  const one = await boot(acme({ signIn: server.definition() }), { home });
  keep(one, { ...server.issue(), expires: 1 });
  const controller = new AbortController();
  const asked = one.auth().credential('acme', controller.signal);
  asked.catch(() => undefined);
  while (server.log.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
  controller.abort();
  await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
  await one[Symbol.asyncDispose]();
  const [{ refresh }] = one.kept().providers.acme;
  expect(server.isRefreshable(refresh)).toBe(true);
  rmSync(home, { recursive: true });
});

test('one cannot sign in where nobody knows how', async () => {
  await using one = await boot(acme());
  await expect(one.auth().login('acmee', browsing, never)).rejects.toMatchObject({
    code: 'auth_unknown',
    message: expect.stringContaining('anthropic'),
    hint: expect.stringContaining('--key'),
  });
});

test('secrets are taken out of texts', async () => {
  await using server = await authorizationServer();
  await withEnvironment({ ACME_KEY: 'environment-secret', OTHER_TOKEN: 'not-ours-but-secret' }, async () => {
    await using one = await boot(acme({ keys: ['$ACME_KEY'], signIn: server.definition() }));
    await one.auth().saveKey('acme', 'kept-key-1234');
    const text = 'environment-secret, kept-key-1234, not-ours-but-secret, Bearer abcdefghijklmnop and words';
    expect(one.auth().redact(text)).toBe('[key], [key], [key], Bearer [key] and words');
  });
});

function keep(one: { readonly file: string; readonly t: TestKernel }, account: object): void {
  const providers = { acme: [{ type: 'oauth', account: 'ada', ...account }] };
  writeFileSync(one.file, JSON.stringify({ version: 1, providers, rests: {} }), { mode: 0o600 });
}
