import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { type Desk, openDesk } from '../cli/test/line.ts';
import { isThere, manifestOf, openShop, saying, writeAll } from './test/shop.ts';
import { tarball } from './test/tarball.ts';

const noNpm = !isThere('npm');

/** A tarball of `kern-weather`, and its path. */
function pack({ project }: Desk, version: string, code: string, more: Readonly<Record<string, unknown>> = {}): string {
  const file = path.join(project, 'weather.tgz');
  const manifest = JSON.stringify(manifestOf('kern-weather', version, more));
  writeFileSync(file, tarball({ 'package.json': manifest, 'index.js': code }));
  return file;
}

const install = (desk: Desk, file: string, ...more: string[]) =>
  desk.kern('plugins', 'install', file, '--yes', ...more);

test('a version that cannot be parsed, or imports what is not there, is not taken; what is installed goes on', async () => {
  await using desk = await openDesk();
  await install(desk, pack(desk, '1.0.0', saying('weather', 'sun')));
  const broken = await install(desk, pack(desk, '1.1.0', 'export default {\n  id: "weather",\n  setup( {};\n'));
  expect(broken).toMatchObject({ code: 1, out: '' });
  expect(broken.err).toMatch(/kern-weather 1\.1\.0 would not load, and was not taken: index\.js:\d+ cannot be parsed/);
  expect(broken.err).toContain('what is installed stays as it is');
  expect(broken.err).not.toContain('.staging');
  const lost = await install(desk, pack(desk, '1.2.0', `import './gone.js';\n${saying('weather', 'fog')}`));
  expect(lost.code).toBe(1);
  expect(lost.err).toContain('index.js:1 imports ./gone.js, which is not there');
  expect((await desk.kern('tool', 'call', 'weather')).out).toBe('sun\n');
  // What may be missing is asked for when it is needed.
  const careful = `${saying('weather', 'fog')}\nexport const more = () => import('./gone.js').catch(() => 0);\n`;
  expect((await install(desk, pack(desk, '1.3.0', careful))).code).toBe(0);
  expect((await desk.kern('tool', 'call', 'weather')).out).toBe('fog\n');
});

test('a broken version is not taken where nothing is installed either', async () => {
  await using desk = await openDesk();
  const { code, err } = await install(desk, pack(desk, '1.0.0', 'export default {{'));
  expect(code).toBe(1);
  expect(err).toContain('Its author has to mend it');
  expect(existsSync(path.join(desk.home, 'packages/packages.lock.json'))).toBe(false);
});

test('of an installed package that does not load, nobody is told to edit its files', async () => {
  await using desk = await openDesk();
  await install(desk, pack(desk, '1.0.0', "throw new Error('no luck');\nexport default {};"));
  const { plugins } = (await desk.json('plugins')) as { plugins: readonly { failure?: { hint?: string } }[] };
  const hints = plugins.flatMap(({ failure }) => failure?.hint ?? []);
  expect(hints).toEqual([expect.stringContaining('kern plugins update kern-weather')]);
  expect(hints[0]).toContain('kern plugins remove kern-weather');
});

test('what was installed before is told as it is: the same, older, or with other files', async () => {
  await using desk = await openDesk();
  const file = pack(desk, '1.1.0', saying('weather', 'sun'));
  expect((await install(desk, file)).err).not.toContain('replaces');
  expect((await install(desk, file)).err).not.toContain('replaces');
  expect((await install(desk, pack(desk, '1.1.0', saying('weather', 'rain')))).err).toMatch(
    /replaces +kern-weather 1\.1\.0 .*; this one has other files/,
  );
  expect((await install(desk, pack(desk, '1.0.0', saying('weather', 'sun')))).err).toMatch(
    /replaces +kern-weather 1\.1\.0 .*; this one is OLDER/,
  );
  expect((await install(desk, pack(desk, '2.0.0', saying('weather', 'sun')))).err).toMatch(
    /replaces +kern-weather 1\.0\.0 \(.*\)\n/,
  );
});

test('archives that are none, and packages that say too little, are told as what they are', async () => {
  await using desk = await openDesk();
  const said = async (bytes: Buffer | string): Promise<string> => {
    writeFileSync(path.join(desk.project, 'it.tgz'), bytes);
    return (await install(desk, './it.tgz')).err;
  };
  expect(await said('hello')).toContain('it is no .tgz');
  expect(await said(gzipSync('x'.repeat(600)).subarray(0, 20))).toContain('came only in part');
  const plain = { 'index.ts': saying('weather', 'sun') };
  const of = (manifest: object): Buffer => tarball({ 'package.json': JSON.stringify(manifest), ...plain });
  expect(await said(of({ name: 'weather', version: '1.0.0' }))).toContain('"extensions": ["./index.ts"]');
  expect(await said(of({ version: '1.0.0', kern: {} }))).toContain('package.json has no "name"');
  expect(await said(of({ name: 'weather', kern: {} }))).toContain('it has no "version": it counts as 0.0.0');
  const nothing = await said(tarball({ 'README.md': 'x' }));
  expect(nothing).toContain('it.tgz has no package.json');
  expect(nothing).not.toContain('.staging');
});

test('what killed installations left behind goes with the next one, and what still runs stays', async () => {
  await using desk = await openDesk();
  const staging = path.join(desk.home, 'packages/.staging');
  // No process has that number: it is above what systems give out.
  const gone = '1700000000000-4194399-aaaaaaaaaaaa';
  const own = `1700000000000-${process.pid}-bbbbbbbbbbbb`;
  for (const name of [gone, own]) mkdirSync(path.join(staging, name, 'package'), { recursive: true });
  await install(desk, pack(desk, '1.0.0', saying('weather', 'sun')));
  expect(readdirSync(staging)).toEqual([own]);
});

test('update --check looks at the packages of the project too', async () => {
  await using desk = await openDesk();
  const folder = writeAll(path.join(desk.project, 'weather'), {
    'package.json': JSON.stringify(manifestOf('kern-weather', '1.0.0')),
    'index.js': saying('weather', 'sun'),
  });
  const check = () => desk.kern('plugins', 'update', '--check');
  expect((await check()).out).toBe('No package is installed.\n');
  await install(desk, folder, '--project');
  expect((await check()).out).toBe('kern-weather 1.0.0 (in this project): used where it lies\n');
  expect((await desk.kern('plugins', 'update', '--check', 'kern-weather')).out).toContain('(in this project)');
  expect((await desk.kern('plugins', 'update')).out).toContain('kern plugins update --project');
});

test.skipIf(noNpm)('a registry that does not answer is named (npm)', async () => {
  await using _shop = await openShop();
  await using desk = await openDesk();
  vi.stubEnv('npm_config_registry', 'http://127.0.0.1:9/');
  const { code, err } = await desk.kern('plugins', 'install', 'npm:kern-weather', '--yes');
  expect(code).toBe(1);
  expect(err).toContain('127.0.0.1:9 does not answer (ECONNREFUSED)');
  expect(err).toContain('npm config get registry');
});
