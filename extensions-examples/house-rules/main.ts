// What a team wants every model to know, as one extension: it stands beside what kern finds in files, and may be
// switched off item by item. The texts are read when they are needed, never before.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { contextFiles, instructions, rules, skills, skillsOffered, systemPrompts } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';

const file = fileURLToPath(import.meta.url);
const folder = path.dirname(file);
const says = (text: string) => ({ path: file, read: async () => text });

export default definePlugin({
  id: 'house-rules',
  setup(ctx) {
    ctx.contribute(contextFiles, {
      name: 'the house',
      level: 'project',
      part: 'house-rules',
      ...says('We are a team of four. The main branch is always fit for release.'),
    });
    ctx.contribute(systemPrompts, { name: 'tone', level: 'user', append: true, ...says('Be brief.') });
    ctx.contribute(rules, {
      name: 'commits',
      description: 'How commits are written.',
      globs: [],
      alwaysApply: true,
      condition: [],
      scope: [],
      ...says('The first line of a commit says why, not what.'),
    });
    ctx.contribute(instructions, { name: 'sql', applyTo: '**/*.sql', ...says('Key words in capitals.') });
    ctx.contribute(skills, {
      name: 'release',
      description: 'How a release is made here. For whenever somebody asks for one.',
      path: path.join(folder, 'release.md'),
      folder,
      modelInvocable: true,
      userInvocable: true,
      read: () => readFile(path.join(folder, 'release.md'), 'utf8'),
    });
    // And what of all that was found is of no use here.
    ctx.tap(skillsOffered, ({ skills: all }) => ({ skills: all.filter(({ name }) => name !== 'office-party') }));
  },
});
