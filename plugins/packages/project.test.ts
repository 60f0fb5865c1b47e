import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openDesk } from '../cli/test/line.ts';
import { isThere, manifestOf, openShop, saying, writeAll } from './test/shop.ts';
import { tarball } from './test/tarball.ts';

const noNpm = !isThere('npm');

interface Lock {
  readonly packages: Record<string, Record<string, unknown>>;
}
const lockIn = (project: string): Lock =>
  JSON.parse(readFileSync(path.join(project, '.kern/packages/packages.lock.json'), 'utf8')) as Lock;

/** What git would bring to a colleague: everything but what the .gitignore leaves out. */
function clone(from: string, to: string): void {
  const packages = path.join(from, '.kern/packages');
  const ignored = readFileSync(path.join(packages, '.gitignore'), 'utf8');
  expect(ignored).toBe('*\n!.gitignore\n!packages.lock.json\n');
  cpSync(from, to, {
    recursive: true,
    filter: (file) => path.dirname(file) !== packages || /packages\.lock\.json$|\.gitignore$/.test(file),
  });
}

test.skipIf(noNpm)(
  'a colleague who clones the project installs exactly what its lock file names (npm)',
  async () => {
    await using shop = await openShop();
    await using desk = await openDesk({ '.git/HEAD': 'ref: refs/heads/main\n' });
    await using colleague = await openDesk();
    shop.publish({ name: 'word-list', version: '1.0.0', main: 'index.js' }, { 'index.js': "exports.word = 'sunny';" });
    shop.publish(manifestOf('kern-weather', '1.0.0', { dependencies: { 'word-list': '^1.0.0' } }), {
      'index.js': `import list from 'word-list';\n${saying('weather', 'WORD').replace('"WORD"', 'list.word')}`,
    });
    const installed = await desk.kern('plugins', 'install', 'npm:kern-weather', '--project', '--yes');
    expect(installed).toMatchObject({
      code: 0,
      out: 'kern-weather 1.0.0 is installed in this project\n',
      err: expect.stringContaining('trusted'),
    });
    expect((await desk.kern('tool', 'call', 'weather')).out).toBe('sunny\n');
    expect(existsSync(path.join(desk.home, 'packages/packages.lock.json'))).toBe(false);

    clone(desk.project, colleague.project);
    const before = await colleague.kern('tool', 'call', 'weather', '--trust');
    expect(before.err).toContain('kern-weather 1.0.0 is not installed on this machine');
    shop.publish({ name: 'word-list', version: '1.9.9', main: 'index.js' }, { 'index.js': "exports.word = 'newer';" });
    shop.publish(manifestOf('kern-weather', '1.0.9'), { 'index.js': saying('weather', 'newer') });
    expect((await colleague.kern('plugins', 'install')).code).toBe(2);
    expect((await colleague.kern('plugins', 'install', '--yes')).code).toBe(0);
    expect((await colleague.kern('tool', 'call', 'weather')).out).toBe('sunny\n');
    expect(lockIn(colleague.project)).toEqual(lockIn(desk.project));

    // Somebody publishes other bytes under the same version.
    rmSync(path.join(colleague.project, '.kern/packages/kern-weather'), { recursive: true });
    shop.swap('kern-weather', '1.0.0', { 'index.js': saying('weather', 'evil') });
    const swapped = (await colleague.at({ npm_config_cache: '' }).kern('plugins', 'install', '--yes', '--json')).out;
    expect(JSON.parse(swapped)).toMatchObject({ error: { code: 'package_integrity' } });
    expect((await colleague.kern('tool', 'call', 'weather')).out).not.toContain('evil');
  },
  120_000,
);

test('a clone without its packages, or with a broken lock file, is told how to bring them back, and asks for no trust', async () => {
  await using desk = await openDesk({ '.git/HEAD': 'ref: refs/heads/main\n' });
  await using colleague = await openDesk();
  writeFileSync(
    path.join(desk.project, 'weather.tgz'),
    tarball({
      'package.json': JSON.stringify(manifestOf('kern-weather', '1.0.0')),
      'index.js': saying('weather', 'sun'),
    }),
  );
  await desk.kern('plugins', 'install', './weather.tgz', '--project', '--yes');
  clone(desk.project, colleague.project);
  const granted = await colleague.kern('trust', 'grant');
  expect(granted).toMatchObject({ code: 1, err: expect.stringContaining('not granted: plugin:.kern/packages/kern-w') });
  expect(granted.out).not.toMatch(/\btrusted\b/);
  const named = await colleague.kern('trust', 'grant', '--item', 'plugin:.kern/packages/kern-weather');
  expect(named).toMatchObject({ code: 1, err: expect.stringContaining('is not there, and was not trusted') });
  expect(granted.err).toContain('run `kern plugins install --project`');
  const called = await colleague.kern('tool', 'call', 'weather');
  expect(called.err).toContain('run `kern plugins install --project`');
  expect(called.err).not.toContain('trust');
  expect((await colleague.kern('-p', 'hi')).err).toContain('run `kern plugins install --project`');
  const file = path.join(colleague.project, '.kern/packages/packages.lock.json');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.slice(0, 40));
  for (const line of [
    ['tool', 'call', 'weather'],
    ['trust', 'grant'],
  ]) {
    const { err } = await colleague.kern(...line);
    expect(err).toContain(`${file} cannot be read: it is no JSON: restore it from git, then \`kern plugins install\``);
    expect(err).not.toContain('kern trust grant');
  }
  writeFileSync(file, text);
  expect((await colleague.kern('plugins', 'install', '--yes')).code).toBe(0);
  expect((await colleague.kern('tool', 'call', 'weather')).out).toBe('sun\n');
});

test('what a project installed is trusted as it is, and no longer when its lock file or its files change', async () => {
  await using desk = await openDesk({ '.git/HEAD': 'ref: refs/heads/main\n' });
  writeFileSync(
    path.join(desk.project, 'weather.tgz'),
    tarball({
      'package.json': JSON.stringify(manifestOf('kern-weather', '1.0.0')),
      'index.js': saying('weather', 'sun'),
      'deep/data.json': '{}',
    }),
  );
  await desk.kern('plugins', 'install', './weather.tgz', '--project', '--yes');
  expect(lockIn(desk.project).packages['kern-weather']).toMatchObject({
    source: './weather.tgz',
    resolved: './weather.tgz',
  });
  expect(JSON.stringify(lockIn(desk.project))).not.toContain(desk.project);
  expect(await desk.json('trust')).toMatchObject({
    state: 'trusted',
    items: [{ kind: 'plugin', id: '.kern/packages/kern-weather' }],
  });
  const file = path.join(desk.project, '.kern/packages/packages.lock.json');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace('"version": "1.0.0"', '"version": "1.0.0-evil"'));
  expect(await desk.json('trust')).toMatchObject({ state: 'changed' });
  writeFileSync(file, text);
  expect(await desk.json('trust')).toMatchObject({ state: 'trusted' });
  writeFileSync(file, '{ "packages": [');
  const broken = await desk.kern('tool', 'call', 'weather', '--trust');
  expect(broken.err).toContain('packages.lock.json cannot be read: it is no JSON');
  writeFileSync(file, text.replace('"entries": [\n        "index.js"', '"entries": [\n        "../../../../evil.js"'));
  expect((await desk.kern('plugins', 'update')).code).toBe(0);
  expect((await desk.kern('tool', 'call', 'weather', '--trust')).err).toContain(
    'what it says of kern-weather is not understood',
  );
});

test('a stranger’s project runs nothing of its packages, also where it brings their files along', async () => {
  await using desk = await openDesk({ '.git/HEAD': 'ref: refs/heads/main\n' });
  await using victim = await openDesk();
  const mark = path.join(victim.project, 'mark');
  writeFileSync(
    path.join(desk.project, 'weather.tgz'),
    tarball({
      'package.json': JSON.stringify(manifestOf('kern-weather', '1.0.0')),
      'index.js': `import fs from 'node:fs';\nfs.writeFileSync(${JSON.stringify(mark)}, '');\n${saying('weather', 'sun')}`,
    }),
  );
  await desk.kern('plugins', 'install', './weather.tgz', '--project', '--yes');
  cpSync(desk.project, victim.project, { recursive: true });
  for (const line of [['plugins'], ['tool', 'list'], ['trust'], ['plugins', 'install']]) await victim.kern(...line);
  expect((await victim.kern('tool', 'call', 'weather')).code).toBe(4);
  expect(existsSync(mark)).toBe(false);
});

test('nothing is written through a link that a project planted', async () => {
  await using desk = await openDesk({ '.git/HEAD': 'ref: refs/heads/main\n', 'it.tgz': '' });
  const elsewhere = path.join(desk.home, 'elsewhere');
  mkdirSync(elsewhere);
  mkdirSync(path.join(desk.project, '.kern'));
  symlinkSync(elsewhere, path.join(desk.project, '.kern/packages'));
  writeFileSync(
    path.join(desk.project, 'it.tgz'),
    tarball({ 'package.json': JSON.stringify(manifestOf('it', '1.0.0')), 'index.js': saying('it', 'x') }),
  );
  expect(await desk.json('plugins', 'install', './it.tgz', '--project', '--yes')).toMatchObject({
    error: { code: 'package_place' },
  });
  expect(existsSync(path.join(elsewhere, 'packages.lock.json'))).toBe(false);
});

test('a folder outside of the project is not installed for those who clone it', async () => {
  await using desk = await openDesk({ '.git/HEAD': 'ref: refs/heads/main\n' });
  writeAll(path.join(desk.home, 'mine'), {
    'package.json': JSON.stringify(manifestOf('mine', '1.0.0')),
    'index.js': saying('mine', 'x'),
  });
  const refused = await desk.kern('plugins', 'install', path.join(desk.home, 'mine'), '--project', '--yes');
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('outside of this project') });
  writeAll(path.join(desk.project, 'tools/ours'), {
    'package.json': JSON.stringify(manifestOf('ours', '1.0.0')),
    'index.js': saying('ours', 'x'),
  });
  expect((await desk.kern('plugins', 'install', './tools/ours', '--project', '--yes')).code).toBe(0);
  expect(lockIn(desk.project).packages.ours?.source).toBe('./tools/ours');
  expect((await desk.kern('tool', 'call', 'ours')).out).toBe('x\n');
});
