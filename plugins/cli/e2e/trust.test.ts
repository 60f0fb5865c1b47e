import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDesk } from '../test/line.ts';
import { needs } from '../test/needs.ts';
import { openPlace, type Place } from './program.ts';
import { fillZoo, type Zoo } from './zoo.ts';

/** What arrives where nothing may arrive. */
const canary = { server: undefined as Server | undefined, url: '', heard: [] as string[] };
/** Stands for the endpoint that the person chose. */
const chosen = { server: undefined as Server | undefined, url: '', heard: [] as string[] };

beforeAll(async () => {
  for (const end of [canary, chosen]) {
    end.server = createServer((request, response) => {
      end.heard.push(
        `${request.method} ${request.url} ${request.headers['x-api-key'] ?? request.headers.authorization}`,
      );
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"error": {"message": "no"}}');
    });
    await new Promise<void>((resolve) => end.server?.listen(0, '127.0.0.1', resolve));
    end.url = `http://127.0.0.1:${(end.server.address() as AddressInfo).port}`;
  }
});

afterAll(async () => {
  for (const { server } of [canary, chosen]) await new Promise((resolve) => server?.close(resolve));
});

function zoo(): Place & Zoo {
  const place = openPlace();
  return Object.assign(place, fillZoo(place, canary.url));
}

/** What a terminal would obey or hide. */
const obeyed = /(?!\n)[\p{Cc}\p{Cf}]/u;

/** As npm sets it for a script of the project: its own programs come first. */
const byNpm = (place: Place): NodeJS.ProcessEnv => ({
  PATH: [path.join(place.project, 'node_modules/.bin'), process.env.PATH].join(path.delimiter),
  npm_lifecycle_event: 'agent',
  npm_config_user_agent: 'npm',
  INIT_CWD: place.project,
});

test.each([
  ['kern tool list', ['tool', 'list']],
  ['kern plugins', ['plugins']],
  ['kern doctor', ['doctor']],
  ['kern -p', ['-p', 'hi', '--model', 'script/s.yml']],
])(
  '%s runs nothing of an untrusted project, and asks nobody whom it names',
  async (_name, argv) => {
    using place = zoo();
    const { code, err } = await place.start(argv, { env: byNpm(place) }).ended;
    expect({ code, marks: place.marked() }, err).toEqual({ code: 0, marks: [] });
    expect(canary.heard).toEqual([]);
    expect(existsSync(path.join(place.project, 'home'))).toBe(false);
  },
  60_000,
);

test('nor does any other command', async () => {
  await using desk = await openDesk();
  const { marked } = fillZoo(desk, canary.url);
  for (const argv of [
    ['plugins', '--why', '--json'],
    ['plugins', 'info', 'lazy'],
    ['providers', '--json'],
    ['providers', '--why', 'tool', 'lazy'],
    ['config', 'list', '--why'],
    ['config', 'get', 'plugins.lazy.x'],
    ['trust'],
    ['trust', 'why'],
    ['schema', 'config'],
    ['--help'],
    ['--list-models'],
  ]) {
    const { out, err } = await desk.kern(...argv);
    expect({ argv, marks: marked() }, err).toEqual({ argv, marks: [] });
    expect(out + err, argv.join(' ')).not.toMatch(obeyed);
  }
  expect(canary.heard).toEqual([]);
}, 60_000);

test('what did not run is named, and a run goes on without it', async () => {
  using place = zoo();
  const { code, out, err } = await place.run('-p', 'hi', '--model', 'script/s.yml');
  expect({ code, out }).toEqual({ code: 0, out: 'hello\n' });
  expect(err).toContain('7 extensions of this project did not run, because nobody trusted it');
  for (const name of ['a.ts', 'e.cjs', 'lazy/main.ts']) expect(err).toContain(`.kern/extensions/${name}`);
}, 60_000);

test('the tools of an untrusted project are not there, and its files are named with the exit code 4', async () => {
  await using desk = await openDesk();
  const { marked } = fillZoo(desk, canary.url);
  const { code, err } = await desk.kern('tool', 'call', 'lazy', '{}');
  expect(code, err).toBe(4);
  expect(err).toContain('.kern/extensions/lazy/main.ts');
  expect(marked()).toEqual([]);
}, 60_000);

test('a key goes to the endpoint that the person chose, never to one that the project names', async () => {
  using place = zoo();
  const env = { ...byNpm(place), ANTHROPIC_API_KEY: 'secret', ANTHROPIC_BASE_URL: chosen.url };
  const { code, err } = await place.start(['-p', 'hi', '--model', 'anthropic/claude-sonnet-4-5'], { env }).ended;
  expect(code, err).toBe(1);
  expect(chosen.heard.join('\n'), err).toContain('secret');
  expect(canary.heard).toEqual([]);
  expect(place.marked()).toEqual([]);
}, 60_000);

test('a project does not switch the gate off, nor choose its mode or the model', async () => {
  using place = zoo();
  const turns = [
    { calls: [{ name: 'bash', args: { command: 'touch made' } }] },
    { expect: { toolResult: [{ tool: 'bash', contains: 'needs permission', isError: true }] }, text: 'refused' },
  ];
  place.write('s.yml', JSON.stringify({ version: 1, turns }));
  const { code, out, err } = await place.run('-p', 'hi', '--model', 'script/s.yml');
  expect({ code, out }, err).toEqual({ code: 0, out: 'refused\n' });
  expect(existsSync(path.join(place.project, 'made'))).toBe(false);
  const without = await place.run('-p', 'hi');
  expect(without.err).not.toContain('custom/evil');
  expect(canary.heard).toEqual([]);
}, 60_000);

test('trusted for a run, the same project does run; what sleeps runs when it is called', async () => {
  await using desk = await openDesk();
  const { marked } = fillZoo(desk, canary.url);
  await desk.kern('tool', 'list', '--trust');
  expect(marked()).toEqual(['a-ts', 'b-js', 'c-mjs', 'd-mts', 'e-cjs', 'folder-index-ts']);
  await desk.kern('tool', 'call', 'lazy', '{}', '--trust');
  expect(marked()).toContain('lazy');
}, 60_000);

const git = needs('git', 'git');

test.skipIf(git.skip)(`the marks of these tests are real: git itself leaves them${git.name}`, () => {
  using place = zoo();
  spawnSync('git', ['status'], { cwd: place.project, stdio: 'ignore' });
  expect(place.marked()).toContain('git-fsmonitor');
});

test('a PATH that means the working folder does not make its programs ours', async () => {
  using place = zoo();
  const PATH = ['', '.', 'node_modules/.bin', './node_modules/.bin', process.env.PATH, ''].join(path.delimiter);
  for (const argv of [['doctor'], ['tool', 'call', 'bash', '{"command": "git --version || true"}']]) {
    const { code, err } = await place.start(argv, { env: { PATH } }).ended;
    expect({ code, marks: place.marked() }, err).toEqual({ code: 0, marks: [] });
  }
}, 60_000);
