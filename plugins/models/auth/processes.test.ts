import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { authorizationServer } from '../../cli/test/authorization-server.ts';
import { counts } from '../../cli/test/soak.ts';
import { parseFile } from './accounts.ts';

const program = fileURLToPath(new URL('test/renewer.ts', import.meta.url));
const rounds = counts({ test: 2, soak: 12 });
const children = new Set<ChildProcess>();
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
});

interface Place extends Disposable {
  readonly home: string;
  readonly file: string;
}

function place(account: object): Place {
  const home = mkdtempSync(path.join(tmpdir(), 'kern-renewals-'));
  const file = path.join(home, 'auth.json');
  const providers = { acme: [{ type: 'oauth', account: 'ada', ...account }] };
  writeFileSync(file, JSON.stringify({ version: 1, providers, rests: {} }), { mode: 0o600 });
  return { home, file, [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }) };
}

/** A kern in a process of its own, that waits for the word to begin. */
async function kern(home: string, definition: object, times = 1) {
  const args = ['--conditions=kern-source', program, home, JSON.stringify(definition), String(times)];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  children.add(child);
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text;
  });
  const ended = once(child, 'close');
  while (!out.includes('ready\n') && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 5));
  return {
    go: () => void child.stdin.write('go\n'),
    kill: () => child.kill('SIGKILL'),
    /** What it was given, or the codes of what it failed with. */
    secrets: async () => {
      await ended;
      children.delete(child);
      return out.trim().split('\n').slice(1);
    },
  };
}

test('processes that find an old token at the same moment renew it once, and all have the new one', async () => {
  await using server = await authorizationServer({ delayMs: 100 });
  using here = place({ ...server.issue(), expires: 1 });
  const all = await Promise.all([1, 2, 3, 4].map(() => kern(here.home, server.definition())));
  for (const one of all) one.go();
  const secrets = (await Promise.all(all.map((one) => one.secrets()))).flat();
  expect(new Set(secrets).size).toBe(1);
  expect(server.isGood(secrets[0] ?? '')).toBe(true);
  expect(server.log).toMatchObject({ refreshes: 1, reused: 0 });
  expect(readdirSync(here.home)).toEqual(['auth.json']);
}, 60_000);

test(`killed at ${rounds} random moments, the file is whole, and a sign-in that is lost says so`, async () => {
  // Every credential renews: a token is as good as old as soon as it is there.
  await using server = await authorizationServer({ expiresIn: 30, delayMs: 3 });
  using here = place({ ...server.issue(), expires: 1 });
  let lost = 0;
  for (let round = 0; round < rounds; round += 1) {
    const [one, two] = await Promise.all([
      kern(here.home, server.definition(), 1_000),
      kern(here.home, server.definition(), 1_000),
    ]);
    one.go();
    two.go();
    await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 120));
    one.kill();
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 40));
    two.kill();
    await Promise.all([one.secrets(), two.secrets()]);
    expect(parseFile(readFileSync(here.file, 'utf8'))).toBeDefined();
    const after = await kern(here.home, server.definition());
    after.go();
    const [secret = ''] = await after.secrets();
    if (server.isGood(secret)) continue;
    // The server had answered, and nobody was there to keep it: the one case that cannot be had otherwise.
    expect(secret).toBe('auth_expired');
    const [account] = JSON.parse(readFileSync(here.file, 'utf8')).providers.acme;
    expect(account.expired).toContain('its renewal was cut off at');
    lost += 1;
    const providers = { acme: [{ type: 'oauth', account: 'ada', ...server.issue(), expires: 1 }] };
    writeFileSync(here.file, JSON.stringify({ version: 1, providers, rests: {} }), { mode: 0o600 });
  }
  expect(server.log.refreshes).toBeGreaterThan(lost);
}, 240_000);
