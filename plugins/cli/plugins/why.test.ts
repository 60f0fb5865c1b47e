import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openDesk } from '../test/line.ts';

const tool = (id: string, name = id): string =>
  `export default { id: '${id}', setup: (ctx) => ctx.contribute({ token: 'capability', id: 'tool' }, { name: '${name}', description: 'x', inputSchema: { type: 'object' }, execute: async () => ({ content: [] }) }) };\n`;

function inHome(home: string, name: string, text: string): void {
  mkdirSync(path.dirname(path.join(home, name)), { recursive: true });
  writeFileSync(path.join(home, name), text);
}

test('why tells where a plugin comes from, whether it is trusted, what the config says, and what shadows it', async () => {
  await using desk = await openDesk({ '.kern/extensions/ours.js': tool('ours', 'word'), 'there/it.js': tool('named') });
  inHome(desk.home, 'extensions/mine.js', tool('mine', 'word'));
  inHome(
    desk.home,
    'config.yml',
    `extensions: [${JSON.stringify(path.join(desk.project, 'there'))}]\nplugins:\n  off: false\n  mine: true\n`,
  );
  inHome(desk.home, 'extensions/off.js', tool('off'));
  await desk.kern('trust', 'grant');
  const said = async (id: string): Promise<string> => (await desk.kern('plugins', 'why', id)).out;
  expect(await said('mine')).toContain(`from ${path.join(desk.home, 'extensions')}`);
  expect(await said('mine')).toContain('trust: yours: no trust is needed');
  expect(await said('mine')).toContain(`config: plugins.mine is true (${path.join(desk.home, 'config.yml')}:4)`);
  expect(await said('mine')).toContain('tool word is shadowed by that of ours');
  expect(await said('ours')).toContain('trust: trusted: it is what was granted');
  expect(await said('named')).toContain(`from the setting extensions (${path.join(desk.home, 'config.yml')}:1)`);
  expect(await said('off')).toMatch(/^off: off/);
  expect(await said('off')).toContain(`${path.join(desk.home, 'config.yml')}:3`);
  expect(await said('tools.read')).toContain('from kern itself');
  desk.write('.kern/extensions/ours.js', `${tool('ours', 'word')}// more\n`);
  const blocked = (await desk.json('plugins', 'why', '.kern/extensions/ours.js')) as {
    plugins: readonly { why: object }[];
  };
  expect(blocked.plugins[0]).toMatchObject({
    state: 'blocked',
    why: { trust: expect.stringMatching(/^changed: .*ours\.js changed/) },
  });
  expect(await desk.kern('plugins', 'why', 'mien')).toMatchObject({
    code: 2,
    err: expect.stringContaining('Did you mean mine'),
  });
});

test('a package is listed with its plugins, and named by why with its version and its lock file', async () => {
  await using desk = await openDesk({
    'weather/package.json': JSON.stringify({
      name: 'kern-weather',
      version: '1.2.3',
      kern: { extensions: ['./a.js', './b.js'] },
    }),
    'weather/a.js': tool('sun'),
    'weather/b.js': tool('rain'),
  });
  await desk.kern('plugins', 'install', './weather', '--yes');
  const told = (await desk.json('plugins', 'list')) as {
    plugins: readonly { id: string }[];
    packages: readonly object[];
  };
  expect(told.packages).toMatchObject([{ name: 'kern-weather', version: '1.2.3', level: 'user', state: 'linked' }]);
  for (const id of ['sun', 'rain'])
    expect(told.plugins.find((one) => one.id === id)).toMatchObject({
      state: 'active',
      level: 'user',
      package: 'kern-weather@1.2.3',
    });
  expect((await desk.kern('plugins')).out).toMatch(/^kern-weather\s+1\.2\.3\s+user\s+linked\s+.*weather$/m);
  expect((await desk.kern('plugins', 'why', 'rain')).out).toContain(
    `from the package kern-weather 1.2.3, ${path.join(desk.project, 'weather')} (${path.join(desk.home, 'packages/packages.lock.json')})`,
  );
});

test('info and why take the name of a package for its plugins, and a slip in it is told', async () => {
  await using desk = await openDesk({
    'weather/package.json': JSON.stringify({
      name: 'kern-weather',
      version: '1.2.3',
      kern: { extensions: ['./a.js'] },
    }),
    'weather/a.js': tool('sun'),
    'words/package.json': JSON.stringify({ name: 'kern-words', version: '1.0.0', kern: { skills: ['skills'] } }),
    'words/skills/one/SKILL.md': '---\nname: one\ndescription: One.\n---\nOne.\n',
  });
  await desk.kern('plugins', 'install', './weather', '--yes');
  await desk.kern('plugins', 'install', './words', '--yes');
  expect(await desk.json('plugins', 'info', 'kern-weather')).toMatchObject({ plugins: [{ id: 'sun' }] });
  const told = await desk.kern('plugins', 'why', 'kern-weather');
  expect(told).toMatchObject({ code: 0, out: expect.stringMatching(/^sun: active/) });
  expect(told.out).toContain('from the package kern-weather 1.2.3');
  expect(await desk.kern('plugins', 'why', 'kern-wether')).toMatchObject({
    code: 2,
    err: expect.stringContaining('Did you mean kern-weather'),
  });
  expect(await desk.kern('plugins', 'why', 'kern-words')).toMatchObject({
    code: 2,
    err: expect.stringContaining('the package kern-words brings no plugin'),
  });
});

test('a setting that names no extension, and one that names many, are told and loaded', async () => {
  await using desk = await openDesk({ 'many/one.js': tool('one'), 'many/two/index.js': tool('two') });
  inHome(desk.home, 'config.yml', `extensions: [${JSON.stringify(path.join(desk.project, 'many'))}, nowhere]\n`);
  const { plugins } = (await desk.json('plugins', 'list')) as { plugins: readonly { id: string; state: string }[] };
  for (const id of ['one', 'two']) expect(plugins.find((one) => one.id === id)).toMatchObject({ state: 'active' });
  expect(plugins.find(({ id }) => id === 'nowhere')).toMatchObject({
    state: 'failed',
    failure: { code: 'extension_missing', message: expect.stringContaining('setting extensions') },
  });
});

test('extensions of other programs are listed, and one that is installed brings what kern understands', async () => {
  await using desk = await openDesk({
    '.gemini/extensions/sky/gemini-extension.json': JSON.stringify({
      name: 'sky',
      version: '1.0.0',
      mcpServers: { clouds: { command: 'clouds' } },
    }),
    'claude/.claude-plugin/plugin.json': JSON.stringify({ name: 'reviews', version: '2.0.0' }),
    'claude/commands/review.md': 'Look into the rules.',
    'claude/skills/care/SKILL.md': '---\nname: care\ndescription: How to take care.\n---\nCare.',
  });
  const { out } = await desk.kern('plugins', 'list');
  const folder = path.join(desk.project, '.gemini/extensions/sky');
  expect(out).toContain(`  sky  ${folder}`);
  expect(await desk.json('plugins', 'install', folder, '--yes')).toMatchObject({
    packages: [{ name: 'sky', brings: { mcpServers: ['clouds'] }, runs: ['MCP server clouds: clouds'] }],
  });
  expect(await desk.json('plugins', 'install', './claude', '--yes')).toMatchObject({
    packages: [{ name: 'reviews', version: '2.0.0', brings: { skills: ['care'], commands: ['review'] } }],
  });
  const entries = async (kind: string): Promise<readonly object[]> =>
    ((await desk.json('providers', '--why', kind)) as { entries: readonly object[] }).entries;
  expect(await entries('skill')).toContainEqual(
    expect.objectContaining({ key: 'care', origin: expect.objectContaining({ provider: 'packages' }) }),
  );
  expect(await entries('slash-command')).toContainEqual(
    expect.objectContaining({ key: 'review', verdict: { state: 'won' } }),
  );
  expect(await entries('mcp-server')).toContainEqual(
    expect.objectContaining({
      key: 'clouds',
      origin: expect.objectContaining({ provider: 'packages', level: 'user' }),
    }),
  );
});
