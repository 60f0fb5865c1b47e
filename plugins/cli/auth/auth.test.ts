import { copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { openPlace } from '../e2e/program.ts';
import { authorizationServer } from '../test/authorization-server.ts';
import { openDesk } from '../test/line.ts';

const statusOf = async (desk: { json(...argv: string[]): Promise<unknown> }) =>
  (await desk.json('auth', 'status')) as { accounts: unknown[]; signIns: { provider: string; verified: boolean }[] };

test('where there is nothing, that is said, with what to do', async () => {
  await using desk = await openDesk();
  const { code, out, err } = await desk.kern('auth');
  expect({ code, out }).toEqual({ code: 0, out: 'no keys, and nobody signed in\n' });
  expect(err).toContain('kern auth login <provider> --key');
  const { signIns } = await statusOf(desk);
  expect(signIns.map(({ provider, verified }) => [provider, verified])).toEqual([
    ['anthropic', false],
    ['openai-codex', false],
    ['github-copilot', false],
  ]);
});

test('a key is never an argument; where nobody can type, it has to be piped in', async () => {
  await using desk = await openDesk();
  const { code, err } = await desk.kern('auth', 'login', 'openai', '--key');
  expect(code).toBe(2);
  expect(err).toContain('piped in, or typed at a terminal');
  expect((await desk.kern('auth', 'login')).code).toBe(2);
  expect((await desk.kern('auth', 'login', 'openai', 'sk-1234567890')).code).toBe(2);
  for (const words of [['openai', '--key', 'hush-1234567890'], ['--key', 'hush-1234567890'], ['hush-1234567890']]) {
    const said = await desk.kern('auth', 'login', ...words);
    expect(said.code).toBe(2);
    expect(said.out + said.err).not.toContain('hush');
    expect(said.err).toContain('A key is no argument');
  }
  const unknown = await desk.kern('auth', 'login', 'opnai', '--key');
  expect(unknown.code).toBe(2);
  expect(unknown.err).toContain('did you mean openai');
});

test('the program keeps a key that is piped in, shows its end only, uses it, and forgets it', async () => {
  using place = openPlace();
  const login = await place.start(['auth', 'login', 'openai', '--key'], { stdin: 'sk-piped-in-1234\n' }).ended;
  expect(login).toMatchObject({ code: 0, out: 'keeping a key for openai: …1234\n' });
  expect(login.err).not.toContain('piped-in');
  const file = path.join(place.home, 'auth.json');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8')).toContain('sk-piped-in-1234');
  expect((await place.run('auth', 'status')).out).toBe('openai  …1234  a key\n');
  expect(await place.run('auth', 'token', 'openai')).toMatchObject({ code: 0, out: 'sk-piped-in-1234\n' });
  const listed = await place.run('models', 'list', '--available', '--json');
  expect(listed.out).toContain('"openai/gpt');
  const out = await place.run('auth', 'logout', 'openai');
  expect(out).toMatchObject({ code: 0, out: 'forgot one account of openai\n' });
  expect(await place.run('auth', 'logout', 'openai')).toMatchObject({ code: 3 });
  expect(await place.run('auth', 'token', 'openai')).toMatchObject({ code: 3 });
}, 60_000);

test('a key of the environment is shown by the name of its variable, and printed only when it is asked for', async () => {
  using place = openPlace();
  const env = { OPENAI_API_KEY: 'sk-of-the-environment' };
  const status = await place.start(['auth', 'status', '--json'], { env }).ended;
  expect(JSON.parse(status.out).accounts).toEqual([
    { provider: 'openai', account: 'OPENAI_API_KEY', kind: 'environment' },
  ]);
  expect(status.out + status.err).not.toContain('sk-of-the-environment');
  const token = await place.start(['auth', 'token', 'openai', '--json'], { env }).ended;
  expect(JSON.parse(token.out)).toEqual({ token: 'sk-of-the-environment', kind: 'key', account: 'OPENAI_API_KEY' });
}, 60_000);

test('one signs in with a browser to a server on this machine, asks a model, and signs out', async () => {
  await using server = await authorizationServer();
  using place = openPlace();
  mkdirSync(path.join(place.home, 'extensions'), { recursive: true, mode: 0o700 });
  copyFileSync(
    fileURLToPath(new URL('../../../extensions-examples/sign-in.ts', import.meta.url)),
    path.join(place.home, 'extensions/sign-in.ts'),
  );
  writeFileSync(path.join(place.home, 'config.yml'), `plugins:\n  sign-in: { server: "${server.url}" }\n`);
  const login = place.start(['auth', 'login', 'workshop']);
  await vi.waitFor(() => expect(login.err).toMatch(/^Open http/m), { timeout: 30_000 });
  await fetch(/^Open (\S+)$/m.exec(login.err)?.[1] ?? '');
  expect(await login.ended).toMatchObject({ code: 0, out: 'signed in to workshop: workshop\n' });
  const { out } = await place.run('auth', 'token', 'workshop');
  expect(server.isGood(out.trim())).toBe(true);
  const reply = await place.run('-p', 'hi', '--model', 'workshop/large', '--no-session');
  expect(reply).toMatchObject({ code: 0, out: 'hello, signed in\n' });
  expect(reply.err).not.toContain(out.trim());
  expect(await place.run('auth', 'logout', 'workshop')).toMatchObject({ code: 0 });
  expect(server.log.revoked).toHaveLength(1);
  expect((await place.run('-p', 'hi', '--model', 'workshop/large')).code).toBe(3);
}, 120_000);
