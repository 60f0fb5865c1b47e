import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
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
      'home/project/.kern/skills/x/y': '',
    });
    const at = (name: string): string => path.join(folder.path, 'home/project', name);
    execFileSync('mkfifo', [at('AGENTS.md'), at('.mcp.json')]);
    mkdirSync(at('.agents/skills/circle'));
    symlinkSync(at('.agents/skills/circle/SKILL.md'), at('.agents/skills/circle/SKILL.md'));
    symlinkSync(at('.kern'), at('.kern/skills/again'));
    await using t = await bootKernel(await pluginsOn());
    const view = await look(t, folder);
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
      '[AGENTS.md and .agents] /home/project/AGENTS.md: is neither a file nor a folder, and is not opened',
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
