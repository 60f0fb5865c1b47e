import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { openDesk } from '../cli/test/line.ts';
import { isThere, manifestOf, openShop, saying } from './test/shop.ts';
import { archive, tarball } from './test/tarball.ts';

const noNpm = !isThere('npm');
const noGit = !isThere('git');
const root = fileURLToPath(new URL('../..', import.meta.url));

test('installations that run at the same time all count', async () => {
  await using desk = await openDesk();
  const names = ['one', 'two', 'three', 'four', 'five'];
  for (const name of names)
    writeFileSync(
      path.join(desk.project, `${name}.tgz`),
      tarball({ 'package.json': JSON.stringify(manifestOf(name, '1.0.0')), 'index.js': saying(name, name) }),
    );
  const answers = await Promise.all(names.map((name) => desk.kern('plugins', 'install', `./${name}.tgz`, '--yes')));
  expect(answers.map(({ code, err }) => ({ code, err: code === 0 ? '' : err }))).toEqual(
    names.map(() => ({ code: 0, err: '' })),
  );
  const { packages } = JSON.parse(readFileSync(path.join(desk.home, 'packages/packages.lock.json'), 'utf8')) as {
    packages: object;
  };
  expect(Object.keys(packages).sort()).toEqual([...names].sort());
  for (const name of names) expect((await desk.kern('tool', 'call', name)).out).toBe(`${name}\n`);
});

test.skipIf(noNpm || process.platform === 'win32')(
  'an update that is killed in the middle leaves the old version whole (npm)',
  async () => {
    await using desk = await openDesk();
    writeFileSync(
      path.join(desk.project, 'it.tgz'),
      tarball({ 'package.json': JSON.stringify(manifestOf('it', '1.0.0')), 'index.js': saying('it', 'old') }),
    );
    await desk.kern('plugins', 'install', './it.tgz', '--yes');
    const lock = readFileSync(path.join(desk.home, 'packages/packages.lock.json'), 'utf8');
    // It never answers: whoever asks it is in the middle of an installation.
    let asked = (): void => {};
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const silent = createServer(() => asked());
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const child: ChildProcess = spawn(
      process.execPath,
      [path.join(root, 'plugins/cli/kern.mjs'), 'plugins', 'install', `http://127.0.0.1:${port}/it-2.0.0.tgz`, '--yes'],
      {
        cwd: desk.project,
        env: { PATH: process.env.PATH, HOME: path.dirname(desk.home), KERN_HOME: desk.home, KERN_SOURCE: '1' },
        stdio: 'ignore',
      },
    );
    try {
      await Promise.race([isAsked, once(child, 'exit').then(() => Promise.reject(new Error('it ended too early')))]);
      expect(readdirSync(path.join(desk.home, 'packages/.staging'))).toHaveLength(1);
      child.kill('SIGKILL');
      await once(child, 'exit');
    } finally {
      child.kill('SIGKILL');
      silent.closeAllConnections();
      silent.close();
    }
    expect(readFileSync(path.join(desk.home, 'packages/packages.lock.json'), 'utf8')).toBe(lock);
    expect((await desk.kern('tool', 'call', 'it')).out).toBe('old\n');
    writeFileSync(
      path.join(desk.project, 'it.tgz'),
      tarball({ 'package.json': JSON.stringify(manifestOf('it', '2.0.0')), 'index.js': saying('it', 'new') }),
    );
    await desk.kern('plugins', 'install', './it.tgz', '--yes');
    expect((await desk.kern('tool', 'call', 'it')).out).toBe('new\n');
  },
  60_000,
);

test.skipIf(noNpm)(
  'update fetches what the range allows, says what would be newer, and what it would newly run (npm)',
  async () => {
    await using shop = await openShop();
    await using desk = await openDesk();
    shop.publish(manifestOf('kern-weather', '1.0.0'), { 'index.js': saying('weather', 'one') });
    await desk.kern('plugins', 'install', 'npm:kern-weather@^1', '--yes');
    expect(await desk.json('plugins', 'update', '--check')).toEqual({
      packages: [{ name: 'kern-weather', level: 'user', version: '1.0.0', newest: '1.0.0', state: 'newest' }],
    });
    expect((await desk.kern('plugins', 'update')).out).toBe('There is nothing newer.\n');
    shop.publish(manifestOf('kern-weather', '1.4.0', { kern: { extensions: ['./index.js'], tools: ['./tools'] } }), {
      'index.js': saying('weather', 'two'),
      'tools/shoot.sh': '#!/bin/sh\n',
    });
    shop.publish(manifestOf('kern-weather', '2.0.0'), { 'index.js': saying('weather', 'three') });
    expect(await desk.kern('plugins', 'update', '--check')).toMatchObject({
      code: 0,
      out: 'kern-weather 1.0.0: there is 1.4.0\n',
    });
    const refused = await desk.kern('plugins', 'update');
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('tool shoot (new)') });
    expect(refused.err).toContain('replaces   kern-weather 1.0.0');
    expect((await desk.kern('tool', 'call', 'weather')).out).toBe('one\n');
    expect((await desk.kern('plugins', 'update', 'kern-weather', '--yes')).code).toBe(0);
    expect((await desk.kern('tool', 'call', 'weather')).out).toBe('two\n');
    expect((await desk.kern('plugins', 'update', 'kern-wether')).err).toContain('There is: kern-weather');
  },
  120_000,
);

test.skipIf(noGit)(
  'a repository is taken as it is stored: no hook, filter or submodule of it has a part (git)',
  async () => {
    await using desk = await openDesk();
    const folder = mkdtempSync(path.join(tmpdir(), 'kern-git-'));
    const git = (...args: string[]): string => {
      const { status, stdout, stderr } = spawnSync('git', ['-C', folder, ...args], {
        encoding: 'utf8',
        env: { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: '1' },
      });
      expect(status, stderr).toBe(0);
      return stdout.trim();
    };
    const commit = (word: string): string => {
      writeFileSync(path.join(folder, 'index.js'), saying('weather', word));
      git('add', '.');
      git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '-m', word);
      return git('rev-parse', 'HEAD');
    };
    try {
      const mark = path.join(folder, 'mark');
      git('init', '-q', '-b', 'main');
      writeFileSync(
        path.join(folder, 'package.json'),
        JSON.stringify(manifestOf('kern-weather', '1.0.0', { scripts: { prepare: `touch ${mark}` } })),
      );
      writeFileSync(path.join(folder, '.gitattributes'), '*.js filter=evil export-ignore\n');
      // As a person has it who uses such filters.
      writeFileSync(path.join(folder, '.gitconfig'), `[filter "evil"]\n\tsmudge = touch ${mark}\n`);
      writeFileSync(path.join(folder, '.gitmodules'), '[submodule "x"]\n\tpath = x\n\turl = ext::touch\n');
      mkdirSync(path.join(folder, '.git/hooks'), { recursive: true });
      for (const hook of ['post-checkout', 'reference-transaction', 'post-merge'])
        writeFileSync(path.join(folder, '.git/hooks', hook), `#!/bin/sh\ntouch ${mark}-hook\n`, { mode: 0o755 });
      const first = commit('one');
      git('tag', 'v1');
      rmSync(`${mark}-hook`, { force: true });
      const source = `git:${folder}@v1`;
      const answer = (await desk.json('plugins', 'install', source, '--yes')) as { packages: readonly object[] };
      expect(answer.packages).toMatchObject([{ source, resolved: first, notRun: [`prepare: touch ${mark}`] }]);
      expect((await desk.kern('tool', 'call', 'weather')).out).toBe('one\n');
      commit('two');
      rmSync(`${mark}-hook`, { force: true });
      expect(await desk.json('plugins', 'update', '--check')).toMatchObject({ packages: [{ state: 'newest' }] });
      expect((await desk.kern('plugins', 'install', `git:${folder}#main`, '--yes')).code).toBe(0);
      expect((await desk.kern('tool', 'call', 'weather')).out).toBe('two\n');
      commit('three');
      rmSync(`${mark}-hook`, { force: true });
      expect(await desk.json('plugins', 'update', '--check')).toMatchObject({ packages: [{ state: 'newer' }] });
      expect((await desk.kern('plugins', 'update', '--yes')).code).toBe(0);
      expect((await desk.kern('tool', 'call', 'weather')).out).toBe('three\n');
      expect((await desk.kern('plugins', 'install', `git:${folder}@nothing`, '--yes')).err).toContain('has no nothing');
      expect(existsSync(mark) || existsSync(`${mark}-hook`)).toBe(false);
    } finally {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    }
  },
  60_000,
);

test('an archive writes nothing outside of its folder, and no link', async () => {
  await using desk = await openDesk();
  const own = [
    { name: 'package/package.json', text: JSON.stringify(manifestOf('it', '1.0.0')) },
    { name: 'package/index.js', text: saying('it', 'x') },
  ];
  const file = path.join(desk.project, 'it.tgz');
  for (const name of ['package/../../../evil.js', 'package//etc/evil.js', 'package/a\\..\\..\\evil.js']) {
    writeFileSync(file, archive([...own, { name, text: 'evil' }]));
    expect(await desk.json('plugins', 'install', './it.tgz', '--yes')).toMatchObject({
      error: { code: 'package_archive' },
    });
  }
  writeFileSync(file, Buffer.concat([archive(own).subarray(0, 200)]));
  expect(await desk.json('plugins', 'install', './it.tgz', '--yes')).toMatchObject({
    error: { code: 'package_archive' },
  });
  writeFileSync(
    file,
    archive([
      ...own,
      { name: 'package/home', kind: '2', link: desk.home },
      { name: 'package/home/evil.js', text: 'evil' },
    ]),
  );
  expect(await desk.json('plugins', 'install', './it.tgz', '--yes')).toMatchObject({
    packages: [{ leftOut: ['home'] }],
  });
  expect(existsSync(path.join(desk.home, 'evil.js'))).toBe(false);
});
