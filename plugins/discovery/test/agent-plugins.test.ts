import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { bootKernel, type TestKernel } from 'kern/testing';
import { expect, test } from 'vitest';
import { builtins } from '../../index.ts';
import { mcpServers, skills } from '../contract.ts';
import { type Folder, folderWith } from './folder.ts';

const schemas = 'https://agent-plugins.org/schemas/1.0.0';
const manifest = (name: string): string => JSON.stringify({ $schema: `${schemas}/plugin.schema.json`, name });
const servers = (all: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({ $schema: `${schemas}/mcp.schema.json`, mcpServers: all });
const skill = (name: string): string => `---\nname: ${name}\ndescription: Does ${name}.\n---\n${name}\n`;

async function boot(): Promise<TestKernel> {
  const wanted = builtins.filter(({ id }) => id === 'discovery' || id === 'discovery.claude-plugins');
  return bootKernel(await Promise.all(wanted.map((builtin) => builtin.load())));
}

const viewOf = ({ kernel }: TestKernel, folder: Folder): ReturnType<typeof kernel.view> =>
  kernel.view({
    cwd: path.join(folder.path, 'project'),
    root: path.join(folder.path, 'project'),
    home: path.join(folder.path, 'kern'),
    user: path.join(folder.path, 'home'),
  });

test('links of an Agent Plugin that lead out of it cost what they lead to, and nothing else', async () => {
  using folder = folderWith({
    'outside/SKILL.md': skill('stolen'),
    'outside/server': '',
    'outside/plugin.json': manifest('outside'),
    'outside/skills/far/SKILL.md': skill('far'),
    'home/.agents/plugins/one/plugin.json': manifest('one'),
    'home/.agents/plugins/one/shared/SKILL.md': skill('inside'),
    'home/.agents/plugins/one/skills/plain/SKILL.md': skill('plain'),
    'home/.agents/plugins/one/mcp.json': servers({
      linked: { type: 'stdio', command: './server' },
      folder: { type: 'stdio', command: 'npx', cwd: './away' },
      good: { type: 'stdio', command: 'npx' },
    }),
    'home/.agents/plugins/two/plugin.json': manifest('two'),
    'home/.agents/plugins/three/skills/never/SKILL.md': skill('never'),
    'project/x': '',
  });
  const link = (to: string, from: string): void => {
    const at = path.join(folder.path, from);
    mkdirSync(path.dirname(at), { recursive: true });
    symlinkSync(path.join(folder.path, to), at);
  };
  const plugins = 'home/.agents/plugins';
  link('outside', `${plugins}/one/skills/stolen`);
  link(`${plugins}/one/shared`, `${plugins}/one/skills/inside`);
  link('outside/server', `${plugins}/one/server`);
  link('outside', `${plugins}/one/away`);
  link('outside/skills', `${plugins}/two/skills`);
  link('outside/plugin.json', `${plugins}/three/plugin.json`);
  await using t = await boot();
  const view = viewOf(t, folder);
  const [skillReader, serverReader] = [view.use(skills), view.use(mcpServers)];
  await skillReader.load();
  await serverReader.load();
  expect(skillReader.items().map(({ name }) => name)).toEqual(['inside', 'plain']);
  expect(serverReader.items().map(({ name }) => name)).toEqual(['one:good']);
  const warnings = t.kernel.warnings('claude-plugins').join('\n');
  for (const told of ['skills/stolen/SKILL.md', 'two/skills', 'three/plugin.json', 'server linked', 'server folder'])
    expect(warnings).toContain(told);
});

test('a folder that is itself a link to a plugin is that plugin, where it really lies', async () => {
  using folder = folderWith({
    'work/linked/plugin.json': manifest('linked'),
    'work/linked/mcp.json': servers({ own: { type: 'stdio', command: './server' } }),
    'home/.agents/plugins/.keep': '',
    'project/x': '',
  });
  symlinkSync(path.join(folder.path, 'work/linked'), path.join(folder.path, 'home/.agents/plugins/linked'));
  await using t = await boot();
  const reader = viewOf(t, folder).use(mcpServers);
  await reader.load();
  const root = path.join(folder.path, 'work/linked');
  expect(reader.items()).toMatchObject([{ command: path.join(root, 'server'), cwd: root, env: { PLUGIN_ROOT: root } }]);
});
