import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openDesk } from '../cli/test/line.ts';
import { isThere, manifestOf, openShop, saying, writeAll } from './test/shop.ts';
import { tarball } from './test/tarball.ts';

const noNpm = !isThere('npm');

interface Told {
  readonly packages: readonly {
    readonly name: string;
    readonly version: string;
    readonly folder: string;
    readonly [more: string]: unknown;
  }[];
}

test.skipIf(noNpm)(
  'a package of a registry is taken with its dependencies; no script of any runs (npm)',
  async () => {
    await using shop = await openShop();
    await using desk = await openDesk();
    const mark = path.join(desk.project, 'mark');
    const scripts = { preinstall: `touch ${mark}`, postinstall: `touch ${mark}` };
    shop.publish(
      { name: 'word-list', version: '1.0.3', main: 'index.js', scripts },
      { 'index.js': "exports.word = 'sunny';" },
    );
    shop.publish(
      manifestOf('kern-weather', '1.0.0', {
        scripts,
        dependencies: { 'word-list': '^1.0.0' },
        devDependencies: { 'not-there': '1' },
        peerDependencies: { kern: '*' },
      }),
      {
        'index.js': `import list from 'word-list';\n${saying('weather', 'WORD').replace('"WORD"', 'list.word')}`,
        'skills/umbrella/SKILL.md': '---\nname: umbrella\ndescription: When to take one.\n---\nAlways.\n',
      },
    );
    const { packages } = (await desk.json('plugins', 'install', 'npm:kern-weather@^1', '--yes')) as Told;
    expect(packages).toMatchObject([
      {
        name: 'kern-weather',
        version: '1.0.0',
        level: 'user',
        source: 'npm:kern-weather@^1',
        resolved: 'kern-weather@1.0.0',
        integrity: expect.stringMatching(/^sha512-/),
        content: expect.stringMatching(/^sha256-/),
        entries: ['index.js'],
        brings: { skills: ['umbrella'] },
        needs: ['word-list@1.0.3'],
        notRun: [expect.stringContaining('preinstall'), expect.stringContaining('postinstall'), 'word-list@1.0.3'],
      },
    ]);
    expect(existsSync(mark)).toBe(false);
    expect((await desk.kern('tool', 'call', 'weather')).out).toBe('sunny\n');
    const skills = (await desk.json('providers', '--why', 'skill')) as { entries: readonly object[] };
    expect(skills.entries).toMatchObject([
      { key: 'umbrella', origin: { provider: 'packages', level: 'user' }, verdict: { state: 'won' } },
    ]);
    const lock = JSON.parse(readFileSync(path.join(desk.home, 'packages/packages.lock.json'), 'utf8')) as {
      packages: object;
    };
    expect(Object.keys(lock.packages)).toEqual(['kern-weather']);
    expect(readdirSync(path.join(desk.home, 'packages/.staging'))).toEqual([]);
  },
  120_000,
);

test('what is shown before a package is taken: where from, hashes, what it brings, runs and does not run', async () => {
  await using desk = await openDesk();
  const file = path.join(desk.project, 'weather.tgz');
  writeFileSync(
    file,
    tarball({
      'package.json': JSON.stringify(
        manifestOf('kern-weather', '2.1.0', {
          description: 'Knows the sky.',
          scripts: { postinstall: 'node evil.js' },
          kern: {
            extensions: ['./index.js'],
            hooks: ['./hooks.json'],
            mcpServers: { sky: { command: 'sky-server', args: ['--fast'] } },
          },
        }),
      ),
      'index.js': saying('weather', 'sun'),
      'commands/forecast.md': 'Tell the forecast.',
      'hooks.json': JSON.stringify({
        hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: './check.sh' }] }] },
      }),
    }),
  );
  const refused = await desk.kern('plugins', 'install', './weather.tgz');
  expect(refused.code).toBe(2);
  for (const part of [
    'kern-weather 2.1.0',
    'Knows the sky.',
    `from       ${file}`,
    'integrity  sha512-',
    'content    sha256-',
    'extensions: index.js',
    'commands: forecast',
    'extension index.js, as part of kern',
    'hook: ./check.sh',
    'MCP server sky: sky-server --fast',
    'not run    postinstall: node evil.js',
    'nobody is here to say yes',
    '--yes',
  ])
    expect(refused.err).toContain(part);
  expect(existsSync(path.join(desk.home, 'packages/packages.lock.json'))).toBe(false);
  expect(readdirSync(path.join(desk.home, 'packages/.staging'))).toEqual([]);
  expect((await desk.kern('plugins', 'install', './weather.tgz', '--yes')).out).toBe(
    'kern-weather 2.1.0 is installed\n',
  );
  expect((await desk.kern('tool', 'call', 'weather')).out).toBe('sun\n');
});

test('a folder is used where it lies, and what is edited there counts', async () => {
  await using desk = await openDesk();
  const folder = writeAll(path.join(desk.project, 'weather'), {
    'package.json': JSON.stringify(manifestOf('kern-weather', '1.0.0')),
    'index.js': saying('weather', 'sun'),
  });
  const { err, code } = await desk.kern('plugins', 'install', './weather', '--yes');
  expect({ code, err }).toEqual({
    code: 0,
    err: expect.stringContaining('is used there: what is edited there is live'),
  });
  expect((await desk.kern('tool', 'call', 'weather')).out).toBe('sun\n');
  writeFileSync(path.join(folder, 'index.js'), saying('weather', 'rain'));
  expect((await desk.kern('tool', 'call', 'weather')).out).toBe('rain\n');
  expect(await desk.json('plugins', 'remove', 'kern-weather')).toEqual({
    removed: [{ name: 'kern-weather', version: '1.0.0', level: 'user' }],
  });
  expect((await desk.kern('tool', 'call', 'weather')).code).not.toBe(0);
  expect(existsSync(path.join(folder, 'index.js'))).toBe(true);
});

test('what was changed after it was installed does not run, and is put back by what it was installed from', async () => {
  await using desk = await openDesk();
  writeFileSync(
    path.join(desk.project, 'weather.tgz'),
    tarball({
      'package.json': JSON.stringify(manifestOf('kern-weather', '1.0.0')),
      'index.js': saying('weather', 'sun'),
      'skills/umbrella/SKILL.md': '---\nname: umbrella\ndescription: When to take one.\n---\nAlways.\n',
    }),
  );
  const { packages } = (await desk.json('plugins', 'install', './weather.tgz', '--yes')) as Told;
  const folder = packages[0]?.folder ?? '';
  expect((await desk.kern('tool', 'call', 'weather')).out).toBe('sun\n');
  writeFileSync(path.join(folder, 'index.js'), saying('weather', 'evil'));
  const refused = await desk.kern('tool', 'call', 'weather');
  expect(refused.out).not.toContain('evil');
  expect(refused.err).toContain('kern-weather is not what was installed');
  const { plugins } = (await desk.json('plugins')) as { plugins: readonly { source: string }[] };
  expect(plugins.find(({ source }) => source.startsWith(folder))).toMatchObject({
    state: 'failed',
    failure: { code: 'package_changed', hint: expect.stringContaining('kern plugins install') },
  });
  const skills = (await desk.json('providers', '--why', 'skill')) as { entries: readonly object[] };
  expect(skills.entries).toEqual([]);
  expect((await desk.kern('plugins', 'install', '--yes')).out).toBe('kern-weather 1.0.0 is installed\n');
  expect((await desk.kern('tool', 'call', 'weather')).out).toBe('sun\n');
  expect((await desk.kern('plugins', 'install')).out).toBe('Everything that the lock files name is installed.\n');
  rmSync(folder, { recursive: true });
  expect((await desk.kern('tool', 'call', 'weather')).err).toContain('is not installed on this machine');
});

test('what is no package for kern, or for another kern, is refused before anything is changed', async () => {
  await using desk = await openDesk();
  const refusals: readonly (readonly [Readonly<Record<string, string>>, string, string])[] = [
    [
      { 'package.json': JSON.stringify({ name: 'plain', version: '1.0.0', main: 'index.js' }), 'index.js': '' },
      'package_empty',
      'kern',
    ],
    [
      {
        'package.json': JSON.stringify(manifestOf('old', '1.0.0', { peerDependencies: { kern: '^9.0.0' } })),
        'index.js': '',
      },
      'package_incompatible',
      '^9.0.0',
    ],
    [{ 'package.json': '{ "name": ' }, 'package_manifest', 'no JSON'],
    [
      { 'package.json': JSON.stringify(manifestOf('gone', '1.0.0', { scripts: { prepare: 'tsc' } })) },
      'package_empty',
      'its script prepare would make it',
    ],
    [{ 'package.json': JSON.stringify(manifestOf('../up', '1.0.0')), 'index.js': '' }, 'package_manifest', '../up'],
    [{ 'package.json': JSON.stringify(manifestOf('odd', '../1')), 'index.js': '' }, 'package_manifest', '../1'],
    [
      {
        'package.json': JSON.stringify(manifestOf('near', '1.0.0', { dependencies: { x: 'file:../x' } })),
        'index.js': 'export default {}',
      },
      'package_manifest',
      'file:../x',
    ],
  ];
  for (const [files, code, said] of refusals) {
    writeFileSync(path.join(desk.project, 'it.tgz'), tarball(files));
    const answer = (await desk.json('plugins', 'install', './it.tgz', '--yes')) as {
      error: { code: string; message: string };
    };
    expect(answer.error).toMatchObject({ code, message: expect.stringContaining(said) });
  }
  for (const source of ['weather', './nowhere', 'npm:a b', 'git:ext::sh', 'ftp://x/y', 'git:http://example.com/x'])
    expect({ source, code: (await desk.kern('plugins', 'install', source, '--yes')).code }).not.toMatchObject({
      code: 0,
    });
  expect((await desk.kern('plugins', 'install', 'weather', '--yes')).err).toContain('npm:weather');
  expect(existsSync(path.join(desk.home, 'packages/packages.lock.json'))).toBe(false);
});
