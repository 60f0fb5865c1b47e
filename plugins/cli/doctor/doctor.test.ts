import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openDesk } from '../test/line.ts';

interface Checks {
  readonly ok: boolean;
  readonly checks: readonly {
    readonly id: string;
    readonly state: string;
    readonly text: string;
    readonly fix?: string;
  }[];
}

test('every check has a state and a text, and what is missing says what would mend it', async () => {
  await using desk = await openDesk();
  const { ok, checks } = (await desk.json('doctor')) as Checks;
  expect(ok).toBe(true);
  expect(checks.map(({ id }) => id)).toEqual([
    'node',
    'git',
    'ripgrep',
    'home',
    'config',
    'plugins',
    'trust',
    'models',
  ]);
  expect(checks.find(({ id }) => id === 'models')).toMatchObject({
    state: 'warn',
    fix: expect.stringContaining('ANTHROPIC_API_KEY'),
  });
});

test('a program that is missing is a warning that names the package', async () => {
  await using desk = await openDesk({}, { PATH: '/nowhere' });
  const { checks } = (await desk.json('doctor')) as Checks;
  expect(checks.find(({ id }) => id === 'node')).toMatchObject({ state: 'ok' });
});

test('a plugin that failed fails the check-up, what is blocked and bad config are warnings', async () => {
  await using desk = await openDesk({
    'bad.js': "export default { id: 'bad', setup() { throw new Error('no luck'); } };",
    '.kern/extensions/x.js': 'export default 1',
    '.kern/config.yml': 'tools: { execution: sometimes }\n',
  });
  const { code, out } = await desk.kern('doctor', '-e', 'bad.js');
  expect(code).toBe(1);
  expect(out).toMatch(/FAIL plugins: bad failed: .*no luck/);
  expect(out).toMatch(/warn trust: .*x\.js/);
  expect(out).toMatch(/warn config: .*config\.yml:1: tools\.execution/);
});

test('what a killed kern left of a file it wrote in place is named', async () => {
  await using desk = await openDesk();
  const folder = path.join(desk.home, 'cache/kern-backups');
  mkdirSync(folder, { recursive: true });
  const found = async () => ((await desk.json('doctor')) as Checks).checks.filter(({ id }) => id === 'copies');
  expect(await found()).toEqual([]);
  for (let at = 10; at < 22; at += 1) writeFileSync(path.join(folder, `0123456789${at}-notes.txt`), 'old');
  expect(await found()).toMatchObject([
    {
      state: 'warn',
      text: expect.stringMatching(/kern-backups: 012345678910-notes\.txt, .* and 2 more$/),
      fix: expect.stringContaining('copy the old content back'),
    },
  ]);
});

test('mistakes in models.yml are named with file and line, here and in the list of models', async () => {
  await using desk = await openDesk();
  const file = path.join(desk.home, 'models.yml');
  writeFileSync(file, 'providers:\n  local:\n    wire: opennai\n    baseUrl: http://127.0.0.1:1/v1\n');
  const { checks } = (await desk.json('doctor')) as Checks;
  expect(checks).toContainEqual(
    expect.objectContaining({ id: 'models', state: 'warn', text: expect.stringContaining(`${file}:3: local.wire: `) }),
  );
  expect((await desk.kern('models', 'list', 'local')).err).toContain(`${file}:3: local.wire: `);
});

test('an auth.json that was set aside is named, as long as it lies there', async () => {
  await using desk = await openDesk();
  writeFileSync(path.join(desk.home, 'auth.json'), '{"torn', { mode: 0o600 });
  const aside = /auth\.json is not what kern writes there; it is kept as auth\.json\.broken-/;
  expect((await desk.kern('auth', 'status')).err).toMatch(aside);
  const found = ((await desk.json('doctor')) as Checks).checks.filter(({ id }) => id === 'auth');
  expect(found).toMatchObject([{ state: 'warn', text: expect.stringMatching(aside) }]);
});

test('a model that is there is named', async () => {
  await using desk = await openDesk({ 'a.yml': 'version: 1\nturns: []\n' }, { KERN_MODEL: 'script/a.yml' });
  const { checks } = (await desk.json('doctor')) as Checks;
  expect(checks.find(({ id }) => id === 'models')).toMatchObject({
    state: 'ok',
    text: expect.stringContaining('script/a.yml'),
  });
});
