import { execFile } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { TrustItem } from '../plugin.ts';
import { failure, folderWith, put } from './test/folder.ts';
import { createTrust, overallState, type Trust } from './trust.ts';

const hello: TrustItem = { kind: 'plugin', id: 'hello', path: '.kern/extensions/hello.ts' };
const server: TrustItem = { kind: 'mcp', id: 'files', definition: { command: 'node', args: ['server.js'] } };

function setUp(): { home: string; root: string; trust: Trust; again: (root?: string) => Trust } {
  const folder = folderWith({ 'project/.kern/extensions/hello.ts': 'export default 1;', 'home/x': '' });
  const [home, root] = [path.join(folder, 'home'), path.join(folder, 'project')];
  const again = (of = root): Trust => createTrust({ home, root: of });
  return { home, root, trust: again(), again };
}

test('nothing is trusted until it is granted, and then for every kern', async () => {
  const { trust, again } = setUp();
  expect(await trust.gate.check(hello)).toBe('untrusted');
  await trust.grant([hello]);
  expect(await trust.gate.check(hello)).toBe('trusted');
  expect(await again().gate.check(hello)).toBe('trusted');
  expect(await trust.gate.check(server)).toBe('untrusted');
});

test('a grant is about a content: any change takes it back, and the others keep theirs', async () => {
  const { trust, root } = setUp();
  await trust.grant([hello, server]);
  put(root, { '.kern/extensions/hello.ts': 'export default 2;' });
  expect(await trust.gate.check(hello)).toBe('changed');
  expect(await trust.gate.check(server)).toBe('trusted');
  expect(await trust.gate.check({ ...server, definition: { command: 'node', args: ['evil.js'] } })).toBe('changed');
  put(root, { '.kern/extensions/hello.ts': 'export default 1;' });
  expect(await trust.gate.check(hello)).toBe('trusted');
});

test('an entry that is gone is not what was granted', async () => {
  const { trust, root } = setUp();
  await trust.grant([hello]);
  put(root, { '.kern/extensions/hello.mts': '' });
  expect(await trust.gate.check({ ...hello, path: '.kern/extensions/hello.mts' })).toBe('changed');
});

test('what differs is named', async () => {
  const { trust, root } = setUp();
  put(root, { '.kern/extensions/hello.ts': "import './a.ts'; import './b.ts';", '.kern/extensions/a.ts': '' });
  await trust.grant([hello, server]);
  put(root, { '.kern/extensions/a.ts': 'x', '.kern/extensions/b.ts': '' });
  expect(await trust.why(hello)).toMatchObject({
    state: 'changed',
    at: expect.any(String),
    changes: [
      { part: '.kern/extensions/a.ts', change: 'changed' },
      { part: '.kern/extensions/b.ts', change: 'added' },
    ],
  });
  expect(await trust.why({ ...server, definition: { command: 'sh', env: {} } })).toMatchObject({
    changes: [
      { part: 'definition.args', change: 'removed' },
      { part: 'definition.command', change: 'changed' },
      { part: 'definition.env', change: 'added' },
    ],
  });
});

test('a no is remembered whatever the item becomes, until it is granted or forgotten', async () => {
  const { trust, root, again } = setUp();
  await trust.deny([hello, server]);
  put(root, { '.kern/extensions/hello.ts': 'export default 2;' });
  expect(await again().status([hello])).toMatchObject([{ state: 'untrusted', denied: true }]);
  await trust.grant([hello]);
  expect(await trust.gate.check(hello)).toBe('trusted');
  await trust.revoke([server]);
  expect(await trust.status([server])).toEqual([
    { kind: 'mcp', id: 'files', sha256: expect.any(String), state: 'untrusted' },
  ]);
});

test('forgetting an item, or the whole folder, leaves other folders alone', async () => {
  const { trust, again, root } = setUp();
  put(root, { 'inner/.kern/extensions/hello.ts': 'export default 1;' });
  const inner = again(path.join(root, 'inner'));
  await trust.grant([hello, server]);
  await inner.grant([hello]);
  await trust.revoke([hello]);
  expect([await trust.gate.check(hello), await trust.gate.check(server)]).toEqual(['untrusted', 'trusted']);
  await trust.revoke();
  expect(await trust.gate.check(server)).toBe('untrusted');
  expect(await inner.gate.check(hello)).toBe('trusted');
});

test('a folder inside a trusted one inherits nothing', async () => {
  const { trust, again, root } = setUp();
  put(root, { 'inner/.kern/extensions/hello.ts': 'export default 1;' });
  await trust.grant([hello, server]);
  const inner = again(path.join(root, 'inner'));
  expect([await inner.gate.check(hello), await inner.gate.check(server)]).toEqual(['untrusted', 'untrusted']);
});

test('a folder is known by its real path', async () => {
  const { trust, again, root } = setUp();
  const link = path.join(folderWith(), 'link');
  symlinkSync(root, link);
  await trust.grant([hello]);
  expect(await again(link).gate.check({ ...hello, path: path.join(link, '.kern/extensions/hello.ts') })).toBe(
    'trusted',
  );
});

test('trust for this run covers what the content becomes, and ends with the run', async () => {
  const { home, root, again } = setUp();
  const flagged = createTrust({ home, root, runTrust: true });
  const asked = again();
  asked.grantRun();
  for (const trust of [flagged, asked]) {
    expect(trust.isRunTrusted).toBe(true);
    expect(await trust.gate.check(hello)).toBe('trusted');
    put(root, { '.kern/extensions/hello.ts': `export default ${Math.random()};` });
    expect(await trust.gate.check(hello)).toBe('trusted');
    expect(await trust.gate.check({ kind: 'hook', id: 'never seen' })).toBe('trusted');
  }
  expect(existsSync(path.join(home, 'trust.json'))).toBe(false);
  expect(await again().gate.check(hello)).toBe('untrusted');
});

test('of a list with one that cannot be bound nothing is granted', async () => {
  const { trust } = setUp();
  const bad: TrustItem = { kind: 'hook', id: 'bad', definition: { run: () => 1 } };
  expect(await failure(() => trust.grant([hello, bad]))).toMatchObject({
    code: 'trust_unbound',
    message: expect.stringContaining('hook bad'),
  });
  expect(await trust.gate.check(hello)).toBe('untrusted');
  expect(await trust.gate.check(bad)).toBe('untrusted');
  expect(await trust.why(bad)).toMatchObject({ reason: expect.stringContaining('cannot be trusted') });
  await trust.deny([bad]);
  expect(await trust.status([bad])).toMatchObject([{ denied: true }]);
});

test('ids of any characters stay apart', async () => {
  const { trust, again, home } = setUp();
  const ids = ['__proto__', 'constructor', 'toString', '', 'a","b', 'a\u0000b', 'a\nb', ']["', '\ud800'];
  const items = ids.map((id, index): TrustItem => ({ kind: 'hook', id, definition: index }));
  for (const [index, item] of items.entries()) {
    await trust.grant([item]);
    for (const other of items.slice(index + 1)) expect(await trust.gate.check(other)).toBe('untrusted');
  }
  const states = await again().status(items);
  expect(states.map(({ state }) => state)).toEqual(items.map(() => 'trusted'));
  expect(
    readFileSync(path.join(home, 'trust.json'), 'utf8')
      .split('\n')
      .filter((line) => line.includes('"sha256"')),
  ).toHaveLength(ids.length);
  expect(({} as Record<string, unknown>).sha256).toBeUndefined();
});

test('the ledger is for its owner alone', async () => {
  const { trust, home } = setUp();
  chmodSync(home, 0o755);
  await trust.grant([hello]);
  expect([statSync(home).mode & 0o777, statSync(path.join(home, 'trust.json')).mode & 0o777]).toEqual([0o700, 0o600]);
  expect(readdirSync(home).toSorted()).toEqual(['trust', 'trust.json', 'x']);
});

test('a ledger that others may write, or that is a link, grants nothing and takes nothing', async () => {
  const { trust, again, home } = setUp();
  await trust.grant([hello]);
  const file = path.join(home, 'trust.json');
  chmodSync(file, 0o620);
  const late = again();
  expect(await late.gate.check(hello)).toBe('untrusted');
  expect(late.problems).toEqual([expect.stringContaining('may be written by other users')]);
  expect(await failure(() => late.grant([hello]))).toMatchObject({ code: 'planted_file' });
  chmodSync(file, 0o600);
  expect(await late.gate.check(hello)).toBe('trusted');

  const planted = folderWith();
  symlinkSync(file, path.join(planted, 'trust.json'));
  const other = createTrust({ home: planted, root: trust.root });
  expect(await other.gate.check(hello)).toBe('untrusted');
  expect(await failure(() => other.grant([hello]))).toMatchObject({ code: 'planted_file' });
});

test.each([
  '{',
  '[]',
  'null',
  '{"version":1}',
  '{"version":1,"lines":[{"root":1}]}',
  '{"version":"1","lines":[]}',
  '\u0000',
])('a ledger of %j is set aside, and everything is untrusted', async (text) => {
  const { trust, again, home } = setUp();
  await trust.grant([hello]);
  writeFileSync(path.join(home, 'trust.json'), text, { mode: 0o600 });
  const late = again();
  expect(await late.gate.check(hello)).toBe('untrusted');
  expect(late.problems).toEqual([expect.stringContaining('corrupt')]);
  const [kept] = readdirSync(home).filter((name) => name.includes('corrupt'));
  expect(readFileSync(path.join(home, kept ?? ''), 'utf8')).toBe(text);
  await late.grant([hello]);
  expect(await late.gate.check(hello)).toBe('trusted');
});

test('a ledger of a newer kern is neither used nor replaced', async () => {
  const { trust, home } = setUp();
  const text = '{"version":2,"things":[]}';
  writeFileSync(path.join(home, 'trust.json'), text, { mode: 0o600 });
  expect(await trust.gate.check(hello)).toBe('untrusted');
  expect(await failure(() => trust.grant([hello]))).toMatchObject({ code: 'ledger_newer' });
  expect(readFileSync(path.join(home, 'trust.json'), 'utf8')).toBe(text);
});

test('a grant or a no from elsewhere is seen at the next check', async () => {
  const { trust, again } = setUp();
  expect(await trust.gate.check(hello)).toBe('untrusted');
  await again().grant([hello]);
  expect(await trust.gate.check(hello)).toBe('trusted');
  await again().revoke();
  expect(await trust.gate.check(hello)).toBe('untrusted');
});

test('grants of several processes at once are all kept', async () => {
  const { home, root, trust } = setUp();
  const script = `
    const { createTrust } = await import(${JSON.stringify(pathToFileURL(path.resolve('kernel/trust/trust.ts')).href)});
    const [name] = process.argv.slice(-1);
    const trust = createTrust({ home: ${JSON.stringify(home)}, root: ${JSON.stringify(root)} });
    for (let index = 0; index < 8; index++) await trust.grant([{ kind: 'hook', id: name + index, definition: index }]);
  `;
  const names = ['a', 'b', 'c'];
  await Promise.all(
    names.map((name) => promisify(execFile)(process.execPath, ['--input-type=module', '-e', script, name])),
  );
  const items = names.flatMap((name) =>
    Array.from({ length: 8 }, (_, index): TrustItem => ({ kind: 'hook', id: `${name}${index}`, definition: index })),
  );
  expect((await trust.status(items)).filter(({ state }) => state !== 'trusted')).toEqual([]);
  expect(readdirSync(home).toSorted()).toEqual(['trust', 'trust.json', 'x']);
});

test('the files that an item covers are its own and what it imports', async () => {
  const { trust, root } = setUp();
  expect(await trust.files(hello)).toEqual([path.join(root, '.kern/extensions/hello.ts')]);
});

test('a folder has one word for all its items', () => {
  expect(overallState([])).toBe('nothing');
  expect(overallState([{ state: 'trusted' }])).toBe('trusted');
  expect(overallState([{ state: 'trusted' }, { state: 'untrusted' }])).toBe('untrusted');
  expect(overallState([{ state: 'changed' }, { state: 'untrusted' }])).toBe('changed');
});

test('what changed is shown as it was granted and as it is now', async () => {
  const { trust, root, home, again } = setUp();
  put(root, { '.kern/extensions/hello.ts': "import './a.ts';", '.kern/extensions/a.ts': 'one\n' });
  const long = { ...server, id: 'long', definition: { command: 'node', env: { A: '1' } } };
  await trust.grant([hello, server, long]);
  put(root, { '.kern/extensions/hello.ts': "import './b.ts';", '.kern/extensions/b.ts': 'two\n' });
  expect(await again().differences(hello)).toEqual([
    { part: '.kern/extensions/a.ts', change: 'removed', before: 'one\n' },
    { part: '.kern/extensions/b.ts', change: 'added', after: 'two\n' },
    { part: '.kern/extensions/hello.ts', change: 'changed', before: "import './a.ts';", after: "import './b.ts';" },
  ]);
  expect(await trust.differences(server)).toEqual([]);
  expect(await trust.differences({ ...server, definition: { command: 'sh', args: ['-c', 'evil'] } })).toEqual([
    {
      part: 'definition',
      change: 'changed',
      before: '{\n  "args": [\n    "server.js"\n  ],\n  "command": "node"\n}\n',
      after: '{\n  "args": [\n    "-c",\n    "evil"\n  ],\n  "command": "sh"\n}\n',
    },
  ]);
  const kept = (): number => readdirSync(path.join(home, 'trust')).length;
  expect(kept()).toBe(3);
  for (const file of readdirSync(path.join(home, 'trust')))
    expect(statSync(path.join(home, 'trust', file)).mode & 0o777).toBe(0o600);
  await trust.revoke([hello]);
  expect(kept()).toBe(2);
  await trust.revoke();
  expect(kept()).toBe(0);
});

test('what is too long to read, or no text, is only told to have changed', async () => {
  const { trust, root } = setUp();
  const big: TrustItem = { kind: 'plugin', id: 'big', path: '.kern/extensions/big/index.ts' };
  const files = (last: number): Record<string, string> => ({
    '.kern/extensions/big/index.ts': `${'x'.repeat(300_000)}${last}`,
    '.kern/extensions/big/data.bin': `\0${last}`,
  });
  put(root, files(1));
  await trust.grant([big]);
  put(root, files(2));
  expect(await trust.differences(big)).toEqual([
    { part: '.kern/extensions/big/data.bin', change: 'changed' },
    { part: '.kern/extensions/big/index.ts', change: 'changed' },
  ]);
});
