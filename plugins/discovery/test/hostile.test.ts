import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readdirSync, symlinkSync, truncateSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { contextFiles, discoveryFiles, type FilePort, mcpServers, skills } from 'kern/contracts';
import type { Capability, PluginDefinition } from 'kern/plugin';
import { bootKernel, fakeClock, type TestKernel } from 'kern/testing';
import { expect, test } from 'vitest';
import { builtins } from '../../index.ts';
import { systemPort } from '../files/port.ts';
import { createFiles } from '../files/system.ts';
import { type Folder, folderWith } from './folder.ts';

const ours = ['native', 'agents', 'mcp-json'];

/** The providers above, on a file system of the test's own. */
async function pluginsOn(files = createFiles()): Promise<readonly PluginDefinition[]> {
  const wanted = builtins.filter(({ id }) => id === 'discovery' || ours.includes(id.replace('discovery.', '')));
  const plugins = await Promise.all(wanted.map((builtin) => builtin.load()));
  return plugins.map((plugin) =>
    plugin.id === 'discovery' ? { ...plugin, setup: (ctx) => ctx.contribute(discoveryFiles, files) } : plugin,
  );
}

async function look(t: TestKernel, folder: Folder, cwd = 'home/project') {
  const at = (name: string): string => path.join(folder.path, name);
  const view = t.kernel.view({ cwd: at(cwd), root: at(cwd), home: at('home/.kern'), user: at('home') });
  for (const kind of [skills, contextFiles, mcpServers]) await view.use(kind as unknown as Capability<unknown>).load();
  return view;
}

const warnings = ({ kernel }: TestKernel): readonly string[] => ours.flatMap((id) => kernel.warnings(id));

const skill = '---\nname: fine\ndescription: Fine.\n---\n';

test.skipIf(process.platform === 'win32')(
  'pipes, circles and folders in the place of files are warnings of their providers, and all else is found',
  async () => {
    using folder = folderWith({
      'home/project/.agents/skills/fine/SKILL.md': skill,
      'home/project/.agents/skills/folder/SKILL.md/x': '',
      'home/project/.agents/skills/bytes/SKILL.md': new Uint8Array([0xff, 0, 1]),
      'home/project/.agents/skills/latin/SKILL.md': new Uint8Array([0x61, 0xe4, 0x62]),
      'home/project/.agents/skills/huge/SKILL.md': '',
      'home/project/.kern/skills/x/y': '',
    });
    const at = (name: string): string => path.join(folder.path, 'home/project', name);
    execFileSync('mkfifo', [at('AGENTS.md'), at('.mcp.json')]);
    truncateSync(at('.agents/skills/huge/SKILL.md'), 100 * 1024 * 1024);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(at('CLAUDE.md'), resolve));
    mkdirSync(at('.agents/skills/circle'));
    symlinkSync(at('.agents/skills/circle/SKILL.md'), at('.agents/skills/circle/SKILL.md'));
    symlinkSync(at('.kern'), at('.kern/skills/again'));
    await using t = await bootKernel(await pluginsOn());
    const view = await look(t, folder);
    server.close();
    expect(
      view
        .use(skills)
        .items()
        .map(({ name }) => name),
    ).toEqual(['fine']);
    expect(
      warnings(t)
        .map((warning) => warning.replace(folder.path, ''))
        .toSorted(),
    ).toEqual([
      '[.mcp.json] /home/project/.mcp.json: is neither a file nor a folder, and is not opened',
      '[AGENTS.md and .agents] /home/project/.agents/skills/bytes/SKILL.md: is no text',
      '[AGENTS.md and .agents] /home/project/.agents/skills/circle/SKILL.md: is a link that leads round in a circle',
      '[AGENTS.md and .agents] /home/project/.agents/skills/huge/SKILL.md: has 100 MB; at most 1 MB are read',
      '[AGENTS.md and .agents] /home/project/.agents/skills/latin/SKILL.md: is not UTF-8',
      '[AGENTS.md and .agents] /home/project/AGENTS.md: is neither a file nor a folder, and is not opened',
      '[AGENTS.md and .agents] /home/project/CLAUDE.md: is neither a file nor a folder, and is not opened',
    ]);
  },
);

/** Somebody who is not root, to whom nothing is closed. */
const nobody = 65_534;

/** Does it as who has no rights of root, in a folder of theirs. */
async function asAnyone<T>({ path: folder }: Folder, work: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return work();
  for (const name of ['.', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })])
    chownSync(path.join(folder, name), nobody, nobody);
  process.seteuid?.(nobody);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}

test.skipIf(process.platform === 'win32')(
  'a folder and a file that may not be read are warnings of their provider',
  async () => {
    using folder = folderWith({
      'home/project/.agents/skills/fine/SKILL.md': skill,
      'home/project/.kern/skills/x/SKILL.md': skill,
      'home/project/AGENTS.md': 'closed',
    });
    await using t = await bootKernel(await pluginsOn());
    // What it takes to look is loaded by who may read it.
    using other = folderWith({ 'home/project/.kern/skills/fine/SKILL.md': skill });
    await look(t, other);
    const closed = ['home/project/.kern/skills', 'home/project/AGENTS.md'].map((name) => path.join(folder.path, name));
    for (const file of closed) chmodSync(file, 0);
    const view = await asAnyone(folder, () => look(t, folder));
    for (const file of closed) chmodSync(file, 0o755);
    expect(
      view
        .use(skills)
        .items()
        .map(({ name }) => name),
    ).toEqual(['fine']);
    expect(
      warnings(t)
        .map((warning) => warning.replace(folder.path, ''))
        .toSorted(),
    ).toEqual([
      '[AGENTS.md and .agents] /home/project/AGENTS.md: may not be read by you',
      '[kern] /home/project/.kern/skills: may not be read by you',
    ]);
  },
);

test('a drive that stalls is a warning within the limit, and what lies elsewhere is found', async () => {
  using folder = folderWith({
    'home/project/.agents/skills/fine/SKILL.md': skill,
    'home/project/.kern/x': '',
    'home/project/AGENTS.md': 'here',
  });
  const clock = fakeClock();
  const away = path.join(folder.path, 'home/project/.kern');
  const port: FilePort = {
    ...systemPort,
    look: (file) => (file.startsWith(away) ? new Promise(() => {}) : systemPort.look(file)),
  };
  await using t = await bootKernel(await pluginsOn(createFiles({ port, clock })));
  const looking = look(t, folder);
  let isDone = false;
  void looking.then(() => {
    isDone = true;
  });
  // Real files are read between the steps of the clock.
  for (let steps = 0; !isDone && steps < 2_000; steps += 1) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    await clock.advance(100);
  }
  const view = await looking;
  expect(
    view
      .use(skills)
      .items()
      .map(({ name }) => name),
  ).toEqual(['fine']);
  expect(view.use(contextFiles).items()).toHaveLength(1);
  const told = warnings(t).map((warning) => warning.replace(folder.path, ''));
  expect(told[0]).toBe('[kern] /home/project/.kern: does not answer; its drive may be away');
});

test('the person’s folder as working directory: what lies there is the person’s, and nothing is found twice', async () => {
  using folder = folderWith({
    'home/.agents/skills/fine/SKILL.md': skill,
    'home/AGENTS.md': 'not a project',
    'home/.mcp.json': '{"mcpServers":{"a":{"command":"a"}}}',
    'home/.kern/AGENTS.md': 'mine',
  });
  await using t = await bootKernel(await pluginsOn());
  const view = await look(t, folder, 'home');
  expect(
    view
      .use(skills)
      .entries()
      .map(({ key, origin }) => [key, origin.level]),
  ).toEqual([['fine', 'user']]);
  expect(
    view
      .use(contextFiles)
      .entries()
      .map(({ key }) => key),
  ).toEqual(['user']);
  expect(view.use(mcpServers).entries()).toEqual([]);
  expect(warnings(t)).toEqual([]);
});

test.skipIf(process.platform === 'win32')(
  'links that lead round in a circle are left, and a folder that many links lead to is looked into once',
  async () => {
    using folder = folderWith({
      'home/project/.agents/skills/fine/SKILL.md': skill,
      'home/project/.agents/skills/loop/x': '',
      'home/project/.kern/skills/own/SKILL.md': skill.replaceAll('fine', 'own'),
      'home/project/shared/linked/SKILL.md': skill.replaceAll('fine', 'linked'),
    });
    const at = (name: string): string => path.join(folder.path, 'home/project', name);
    symlinkSync('.', at('.agents/skills/a'));
    symlinkSync('../../skills', at('.agents/skills/loop/again'));
    for (let link = 1; link <= 12; link += 1) symlinkSync('.', at(`.kern/skills/l${link}`));
    symlinkSync('../../shared/linked', at('.kern/skills/linked'));
    symlinkSync('../../shared/linked', at('.kern/skills/once-more'));
    let calls = 0;
    const counted: FilePort = {
      look: (file) => {
        calls += 1;
        return systemPort.look(file);
      },
      names: (name) => {
        calls += 1;
        return systemPort.names(name);
      },
      bytes: systemPort.bytes,
      real: systemPort.real,
    };
    await using t = await bootKernel(await pluginsOn(createFiles({ port: counted })));
    const view = await look(t, folder);
    const entries = view.use(skills).entries();
    expect(
      entries.map(({ key, origin, verdict }) => [key, path.relative(at(''), origin.path ?? ''), verdict.state]),
    ).toEqual([
      ['linked', '.kern/skills/linked/SKILL.md', 'won'],
      ['own', '.kern/skills/own/SKILL.md', 'won'],
      ['fine', '.agents/skills/fine/SKILL.md', 'won'],
    ]);
    expect(warnings(t)).toEqual([]);
    expect(calls).toBeLessThan(200);
  },
);

test('of a tree without end only the nearest is looked at, which is a warning of its provider', async () => {
  const endless: FilePort = {
    ...systemPort,
    look: async (file) =>
      file.includes('/project/.kern/skills')
        ? file.endsWith('.md')
          ? undefined
          : { kind: 'folder', size: 0, mark: file, isRecent: false }
        : systemPort.look(file),
    names: async (name) =>
      name.includes('/project/.kern/skills')
        ? Array.from({ length: 100 }, (_, at) => ({ name: `f${at}`, kind: 'folder' as const }))
        : systemPort.names(name),
  };
  using folder = folderWith({ 'home/project/.kern/x': '', 'home/project/.agents/skills/fine/SKILL.md': skill });
  await using t = await bootKernel(await pluginsOn(createFiles({ port: endless })));
  const view = await look(t, folder);
  expect(
    view
      .use(skills)
      .items()
      .map(({ name }) => name),
  ).toEqual(['fine']);
  expect(warnings(t).map((warning) => warning.replace(folder.path, ''))).toEqual([
    '[kern] /home/project/.kern/skills: holds more than 5000 files and folders; only the nearest of them are looked at',
  ]);
});
