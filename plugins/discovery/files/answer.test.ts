import { mkdirSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { foundCapabilities, type Places } from 'kern/contracts';
import type { Schema, Where } from 'kern/plugin';
import { expect, test } from 'vitest';
import { type Folder, folderWith } from '../test/folder.ts';
import { answer, type Known } from './answer.ts';
import { systemPort } from './port.ts';
import { createFiles } from './system.ts';
import type { FilePort } from './types.ts';

const { signal } = new AbortController();

const table: Places = {
  id: 'neighbour',
  displayName: 'Neighbour',
  description: 'Another agent.',
  priority: 50,
  folders: { NEIGHBOUR_HOME: '~/.neighbour' },
  places: [
    { kind: 'skill', path: '.neighbour/skills', up: 'root', format: 'skills' },
    { kind: 'skill', path: '~/.neighbour/skills', format: 'skills' },
    { kind: 'context-file', path: 'AGENTS.md', up: 'beyond', format: 'text' },
    { kind: 'mcp-server', path: '.neighbour/mcp.json', format: 'data' },
  ],
};

/** A port that writes down what was looked at. */
function listening(): FilePort & { readonly seen: string[] } {
  const seen: string[] = [];
  const note = (file: string): string => {
    seen.push(file);
    return file;
  };
  return {
    seen,
    look: (file) => systemPort.look(note(file)),
    names: (file) => systemPort.names(note(file)),
    bytes: (file, limit) => systemPort.bytes(note(file), limit),
    real: (file) => systemPort.real(note(file)),
  };
}

interface Asked {
  readonly kind?: 'skill' | 'context-file' | 'mcp-server';
  readonly levels?: readonly ('user' | 'project')[];
  readonly env?: Readonly<Record<string, string>>;
  readonly known?: Known;
  readonly port?: FilePort;
}

const ask = async (folder: Folder, cwd: string, asked: Asked = {}, more: Partial<Where> = {}) => {
  const at = (name: string): string => path.join(folder.path, name);
  return answer({
    table,
    kind: asked.kind ?? 'skill',
    schema: foundCapabilities[asked.kind ?? 'skill'].schema as Schema<never>,
    where: { cwd: at(cwd), root: at('home/work/repo'), home: at('home/.kern'), user: at('home'), ...more },
    signal,
    levels: asked.levels ?? ['user', 'project'],
    files: createFiles(asked.port === undefined ? {} : { port: asked.port }),
    env: asked.env ?? {},
    known: asked.known ?? new Map(),
  });
};

const skill = (name: string): string => `---\nname: ${name}\ndescription: ${name}.\n---\n${name}`;
const names = ({ items }: Awaited<ReturnType<typeof ask>>): string[] =>
  items.map(({ item, level }) => `${level}:${'name' in item ? item.name : ''}`);

test('of a level that is off nothing is looked at', async () => {
  using folder = folderWith({
    'home/.neighbour/skills/mine/SKILL.md': skill('mine'),
    'home/work/repo/.neighbour/skills/ours/SKILL.md': skill('ours'),
  });
  const port = listening();
  expect(names(await ask(folder, 'home/work/repo', { levels: ['project'], port }))).toEqual(['project:ours']);
  const user = path.join(folder.path, 'home/.neighbour');
  expect(port.seen.filter((file) => file.startsWith(user))).toEqual([]);
});

test('where the first folder of a place is not there, nothing below it is asked for', async () => {
  using folder = folderWith({ 'home/work/repo/x': '' });
  const port = listening();
  const { items, watch } = await ask(folder, 'home/work/repo', { port });
  expect(items).toEqual([]);
  const looked = ['home/.neighbour', 'home/work/repo'].map((name) => path.join(folder.path, name));
  expect(port.seen.toSorted()).toEqual(looked);
  expect(watch).toEqual(
    expect.arrayContaining(
      ['home/.neighbour/', 'home/work/repo/.neighbour/'].map((name) => path.join(folder.path, name)),
    ),
  );
});

test('a variable of the environment names another folder', async () => {
  using folder = folderWith({ 'other/skills/elsewhere/SKILL.md': skill('elsewhere'), 'home/work/repo/x': '' });
  const env = { NEIGHBOUR_HOME: path.join(folder.path, 'other') };
  expect(names(await ask(folder, 'home/work/repo', { env }))).toEqual(['user:elsewhere']);
});

test('the way goes up to the project, the nearest first, and for some beyond it to the person’s folder', async () => {
  using folder = folderWith({
    'AGENTS.md': 'above all',
    'home/AGENTS.md': 'home is no project',
    'home/work/AGENTS.md': 'work',
    'home/work/.neighbour/skills/work/SKILL.md': skill('work'),
    'home/work/repo/AGENTS.md': 'repo',
    'home/work/repo/.neighbour/skills/repo/SKILL.md': skill('repo'),
    'home/work/repo/a/b/AGENTS.md': 'b',
    'home/work/repo/a/.neighbour/skills/a/SKILL.md': skill('a'),
  });
  expect(names(await ask(folder, 'home/work/repo/a/b'))).toEqual(['project:a', 'project:repo']);
  const { items } = await ask(folder, 'home/work/repo/a/b', { kind: 'context-file' });
  expect(
    items.map(({ item, path: file = '' }) => ['depth' in item && item.depth, path.relative(folder.path, file)]),
  ).toEqual([
    [0, 'home/work/repo/a/b/AGENTS.md'],
    [2, 'home/work/repo/AGENTS.md'],
    [3, 'home/work/AGENTS.md'],
  ]);
});

test('outside of the person’s folder nothing above the project is read', async () => {
  using folder = folderWith({ 'srv/AGENTS.md': 'anybody’s', 'srv/repo/AGENTS.md': 'repo', 'home/x': '' });
  const { items } = await ask(
    folder,
    'srv/repo',
    { kind: 'context-file' },
    { root: path.join(folder.path, 'srv/repo') },
  );
  expect(items.map(({ path: file = '' }) => path.relative(folder.path, file))).toEqual(['srv/repo/AGENTS.md']);
});

test('the person’s own folder is no project: what lies there is the person’s', async () => {
  using folder = folderWith({
    'home/.neighbour/skills/mine/SKILL.md': skill('mine'),
    'home/.neighbour/mcp.json': '{"mcpServers":{"a":{"command":"a"}}}',
    'home/AGENTS.md': 'x',
  });
  const root = { root: path.join(folder.path, 'home') };
  expect(names(await ask(folder, 'home', {}, root))).toEqual(['user:mine']);
  expect((await ask(folder, 'home', { kind: 'mcp-server' }, root)).items).toEqual([]);
  expect((await ask(folder, 'home', { kind: 'context-file' }, root)).items).toEqual([]);
});

test('a working directory outside of the project goes up to its own repository, or not at all', async () => {
  using folder = folderWith({
    'trees/one/.git': 'gitdir: elsewhere',
    'trees/one/.neighbour/skills/tree/SKILL.md': skill('tree'),
    'trees/.neighbour/skills/above/SKILL.md': skill('above'),
    'trees/one/src/x': '',
    'bare/src/x': '',
    'bare/.neighbour/skills/bare/SKILL.md': skill('bare'),
    'home/x': '',
  });
  expect(names(await ask(folder, 'trees/one/src'))).toEqual(['project:tree']);
  expect(names(await ask(folder, 'bare/src'))).toEqual([]);
});

test('what says the same is the same object; what changed is another one, and only that', async () => {
  using folder = folderWith({
    'home/work/repo/.neighbour/skills/a/SKILL.md': skill('a'),
    'home/work/repo/.neighbour/skills/b/SKILL.md': skill('b'),
    'home/work/repo/.neighbour/mcp.json': '{"mcpServers":{"x":{"command":"x"},"y":{"command":"y"}}}',
  });
  const known: Known = new Map();
  const first = await ask(folder, 'home/work/repo', { known });
  const second = await ask(folder, 'home/work/repo', { known });
  expect(second.items.map(({ item }, at) => item === first.items[at]?.item)).toEqual([true, true]);
  folder.put({ 'home/work/repo/.neighbour/skills/b/SKILL.md': `${skill('b')} and more` });
  const third = await ask(folder, 'home/work/repo', { known });
  expect(third.items.map(({ item }, at) => item === first.items[at]?.item)).toEqual([true, false]);
  const servers: Known = new Map();
  const before = await ask(folder, 'home/work/repo', { kind: 'mcp-server', known: servers });
  folder.put({ 'home/work/repo/.neighbour/mcp.json': '{"mcpServers":{"x":{"command":"x"},"y":{"command":"z"}}}' });
  const after = await ask(folder, 'home/work/repo', { kind: 'mcp-server', known: servers });
  expect(after.items.map(({ item }, at) => item === before.items[at]?.item)).toEqual([true, false]);
});

test('a text is read as it is when it is asked for, goes on when it is broken, and says so when it is gone', async () => {
  using folder = folderWith({ 'home/work/repo/AGENTS.md': 'one' });
  const { items } = await ask(folder, 'home/work/repo', { kind: 'context-file' });
  const [found] = items;
  const read = found !== undefined && 'read' in found.item ? found.item.read : undefined;
  folder.put({ 'home/work/repo/AGENTS.md': 'two' });
  expect(await read?.()).toBe('two');
  folder.put({ 'home/work/repo/AGENTS.md': new Uint8Array([0]) });
  expect(await read?.()).toBe('two');
  unlinkSync(path.join(folder.path, 'home/work/repo/AGENTS.md'));
  await expect(read?.()).rejects.toMatchObject({
    code: 'text_unreadable',
    message: expect.stringContaining('is not there any more'),
  });
  folder.put({ 'home/work/repo/AGENTS.md': new Uint8Array([0]) });
  await expect(read?.()).rejects.toMatchObject({ message: expect.stringContaining('is no text') });
});

test.skipIf(process.platform === 'win32')(
  'a folder of skills may be a link, and one that leads into itself ends',
  async () => {
    using folder = folderWith({ 'home/work/repo/shared/a/SKILL.md': skill('a'), 'home/work/repo/.neighbour/x': '' });
    const skills = path.join(folder.path, 'home/work/repo/.neighbour/skills');
    symlinkSync(path.join(folder.path, 'home/work/repo/shared'), skills);
    mkdirSync(path.join(folder.path, 'home/work/repo/shared/round'));
    symlinkSync(skills, path.join(folder.path, 'home/work/repo/shared/round/again'));
    writeFileSync(path.join(folder.path, 'home/work/repo/shared/file'), '');
    expect(names(await ask(folder, 'home/work/repo'))).toEqual(['project:a']);
  },
);

test('a folder that the environment names inside of the project is the project’s, by whatever name', async () => {
  using folder = folderWith({
    'home/work/repo/.git/HEAD': '',
    'home/work/repo/conf/skills/one/SKILL.md': '---\ndescription: One.\n---\nOne.',
  });
  const levels = async (env: string, more: Partial<Where> = {}) => {
    const { items } = await ask(folder, 'home/work/repo', { env: { NEIGHBOUR_HOME: env } }, more);
    return items.map(({ level }) => level);
  };
  const conf = path.join(folder.path, 'home/work/repo/conf');
  expect(await levels(conf)).toEqual(['project']);
  const link = path.join(folder.path, 'link');
  symlinkSync(conf, link);
  expect(await levels(link)).toEqual(['project']);
  // The home folder as the project: all that is in it is the person's own.
  expect(await levels(conf, { root: path.join(folder.path, 'home') })).toContain('user');
});
