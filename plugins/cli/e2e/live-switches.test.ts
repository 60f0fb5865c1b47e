import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openPlace, type Place } from './program.ts';

// Settings say which of the skills that lie about are told to the model. They are edited while one run goes on.

const skill = (name: string): string => `---\nname: ${name}\ndescription: Does ${name}.\n---\n${name}`;

const until = (name: string): object => ({
  name: 'bash',
  args: { command: `echo > at-${name}; until [ -e ${name} ]; do sleep 0.05; done` },
});

/** In the home of the person, and beside it. */
function putAround({ project }: Pick<Place, 'project'>, names: readonly string[]): void {
  for (const name of names) {
    const file = path.join(path.dirname(project), name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, skill(path.basename(path.dirname(file))));
  }
}

/** What is edited, and what becomes of the skills with the next turn. */
interface Step {
  readonly config: (folder: string) => object;
  readonly comes?: readonly string[];
  readonly goes?: readonly string[];
}

const custom = (folder: string): readonly string[] => ['~/mine', path.join(folder, 'elsewhere'), 'tools/skills'];
const steps: readonly Step[] = [
  {
    config: (folder) => ({ plugins: { skills: { customDirectories: custom(folder) } } }),
    comes: ['by-tilde', 'by-path', 'of-project'],
  },
  {
    config: (folder) => ({ plugins: { skills: { customDirectories: custom(folder), ignoredSkills: ['by-*'] } } }),
    goes: ['by-tilde', 'by-path'],
  },
  {
    config: (folder) => ({ plugins: { skills: { customDirectories: custom(folder), includeSkills: ['by-t*'] } } }),
    comes: ['by-tilde'],
    goes: ['of-project', 'of-claude', 'of-kern'],
  },
  {
    config: (folder) => ({ plugins: { skills: { customDirectories: custom(folder) } } }),
    comes: ['by-path', 'of-project', 'of-claude', 'of-kern'],
  },
  {
    config: (folder) => ({
      plugins: { skills: { customDirectories: custom(folder) } },
      providers: { custom: { user: false }, claude: { user: false } },
    }),
    goes: ['by-tilde', 'by-path', 'of-claude'],
  },
  {
    config: (folder) => ({
      plugins: { skills: { customDirectories: custom(folder) } },
      disabledProviders: ['native', 'custom'],
    }),
    comes: ['of-claude'],
    goes: ['of-project', 'of-kern'],
  },
  { config: () => ({ disabledItems: ['skill:of-claude'] }), comes: ['of-kern'], goes: ['of-claude'] },
];

test('folders of skills, globs, providers, levels and items are switched in the middle of a run', async () => {
  const told = ({ comes = [], goes = [] }: Step): string =>
    [
      ...comes.map((name) => `(?=[\\s\\S]*instructions \\(skill:${name}\\) are new)`),
      ...goes.map((name) => `(?=[\\s\\S]*instructions "skill:${name}" no longer hold)`),
    ].join('');
  const turns = [
    { expect: { system: '/^(?=[\\s\\S]*- of-claude:)(?=[\\s\\S]*- of-kern:)(?![\\s\\S]*(?:by-|of-project))/' } },
    ...steps.map((step) => ({ expect: { system: `/${told(step)}/` } })),
  ].map((turn, at) => (at < steps.length ? { ...turn, calls: [until(String(at))] } : { ...turn, text: 'done' }));
  using place = openPlace({
    '.git/HEAD': '',
    '.kern/skills/of-kern/SKILL.md': skill('of-kern'),
    'tools/skills/of-project/SKILL.md': skill('of-project'),
    'over.json': '{}',
    's.json': JSON.stringify({ version: 1, turns }),
  });
  putAround(place, ['.claude/skills/of-claude/SKILL.md', 'mine/by-tilde/SKILL.md', 'elsewhere/by-path/SKILL.md']);
  const running = place.start([
    ...['-p', 'go', '--model', 'script/s.json', '--no-session', '--yolo', '--config', 'over.json'],
  ]);
  for (const [at, { config }] of steps.entries()) {
    await Promise.race([place.exists(`at-${at}`), running.ended]);
    place.write('over.json', JSON.stringify(config(path.dirname(place.project))));
    place.write(String(at), '');
  }
  const { code, out, err } = await running.ended;
  expect({ code, out }, err).toEqual({ code: 0, out: 'done\n' });
}, 90_000);
