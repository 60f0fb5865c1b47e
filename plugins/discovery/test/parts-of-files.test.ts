import { unlinkSync } from 'node:fs';
import path from 'node:path';
import { bootKernel } from 'kern/testing';
import { expect, test } from 'vitest';
import { builtins } from '../../index.ts';
import { agentDefinitions, slashCommands } from '../contract.ts';
import { folderWith } from './folder.ts';

test('a text that is a part of a file of settings is the one that stands there when it is read', async () => {
  const config = (prompt: string): string => JSON.stringify({ agent: { review: { description: 'Reviews', prompt } } });
  using folder = folderWith({
    'project/.gemini/commands/plan.toml': 'prompt = "First."',
    'project/opencode.json': config('{file:./first.txt}'),
    'project/first.txt': 'First of the file.\n',
    'home/x': '',
  });
  const wanted = ['discovery', 'discovery.gemini', 'discovery.opencode'];
  const plugins = builtins.filter(({ id }) => wanted.includes(id)).map((builtin) => builtin.load());
  await using t = await bootKernel(await Promise.all(plugins));
  const view = t.kernel.view({
    cwd: path.join(folder.path, 'project'),
    root: path.join(folder.path, 'project'),
    home: path.join(folder.path, 'kern'),
    user: path.join(folder.path, 'home'),
  });
  const [commands, agents] = [view.use(slashCommands), view.use(agentDefinitions)];
  await commands.load();
  await agents.load();
  const [command, agent] = [commands.get('plan')?.item, agents.get('review')?.item];
  expect(await command?.read?.()).toBe('First.');
  expect(await agent?.read()).toBe('First of the file.');
  folder.put({
    'project/.gemini/commands/plan.toml': 'prompt = "And then another."',
    'project/first.txt': 'Another.\n',
  });
  expect(await command?.read?.()).toBe('And then another.');
  expect(await agent?.read()).toBe('Another.');
  folder.put({ 'project/.gemini/commands/plan.toml': 'prompt = ', 'project/opencode.json': '{}' });
  expect(await command?.read?.()).toBe('And then another.');
  await expect(agent?.read()).rejects.toMatchObject({ code: 'text_unreadable' });
  unlinkSync(path.join(folder.path, 'project/.gemini/commands/plan.toml'));
  await expect(command?.read?.()).rejects.toMatchObject({ code: 'text_unreadable' });
});
