import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { contextFiles, type FoundText, rules, skills } from 'kern/contracts';
import type { Capability } from 'kern/plugin';
import { bootKernel } from 'kern/testing';
import { expect, test } from 'vitest';
import { builtins } from '../../index.ts';
import { folderWith } from './folder.ts';

const ours = ['discovery', 'discovery.native', 'discovery.agents', 'discovery.claude'];

test.skipIf(process.platform === 'win32')(
  'a project has the texts that really lie in it or in the folders of agents, and no secret is read for anybody',
  async () => {
    using folder = folderWith({
      'home/.claude/CLAUDE.md': 'Mine.\n@../.ssh/id_rsa',
      'home/.claude/skills/own/SKILL.md': '---\nname: own\ndescription: Mine.\n---\nMine.',
      'home/.claude/settings.json': '{"env":{"KEY":"secret-1"}}',
      'home/.ssh/id_rsa': 'secret-2',
      'home/notes.md': 'secret-3',
      'else/skills/far/SKILL.md': '---\nname: far\ndescription: secret-4\n---\nsecret-4',
      'home/project/.git/HEAD': '',
      'home/project/.claude/x': '',
      'home/project/docs/real.md': 'Of the project.\n@key.md',
      'home/project/.kern/rules/plain.md': '---\nalwaysApply: true\n---\nPlain.',
    });
    const at = (name: string): string => path.join(folder.path, name);
    const link = (to: string, name: string): void => symlinkSync(at(to), at(`home/project/${name}`));
    link('home/project/docs/real.md', 'CLAUDE.md');
    link('home/.ssh/id_rsa', 'docs/key.md');
    link('home/notes.md', '.kern/rules/notes.md');
    link('home/.ssh/id_rsa', '.kern/rules/key.md');
    link('home/.claude/settings.json', '.kern/rules/settings.md');
    link('else/skills', '.kern/skills');
    link('home/.claude/skills', '.claude/skills');
    const plugins = await Promise.all(builtins.filter(({ id }) => ours.includes(id)).map((one) => one.load()));
    await using t = await bootKernel(plugins);
    const cwd = at('home/project');
    const view = t.kernel.view({ cwd, root: cwd, home: at('home/.kern'), user: at('home') });
    const texts: string[] = [];
    for (const kind of [contextFiles, rules, skills] as unknown as Capability<FoundText>[]) {
      await view.use(kind).load();
      for (const item of view.use(kind).items())
        texts.push(`${path.relative(folder.path, item.path)}: ${JSON.stringify(item)} ${await item.read()}`);
    }
    expect(texts.join('\n')).not.toContain('secret-');
    expect(texts.map((text) => text.split(': ')[0])).toEqual([
      'home/project/CLAUDE.md',
      'home/.claude/CLAUDE.md',
      'home/project/.kern/rules/plain.md',
      'home/project/.claude/skills/own/SKILL.md',
    ]);
    const warned = ours.flatMap((id) => t.kernel.warnings(id.replace('discovery.', ''))).join('\n');
    expect(warned).toContain(
      `${at('home/project/.kern/rules/notes.md')}: leads out of the project, to ${at('home/notes.md')}, and is not read: put a copy`,
    );
    expect(warned).toContain(`${at('home/project/.kern/skills')}: leads out of the project, to ${at('else/skills')}`);
    expect(warned).toContain(
      `${at('home/project/.kern/rules/key.md')}: leads to ${at('home/.ssh/id_rsa')}, which holds secrets (.ssh)`,
    );
  },
);
