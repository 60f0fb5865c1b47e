import type { Skill } from 'kern/contracts';
import { expect, test } from 'vitest';
import { skillList } from './listing.ts';

const where = { cwd: '/p', root: '/p', home: '/h' };
const skill = (name: string, description: string): Skill => ({
  name,
  description,
  path: `/p/.kern/skills/${name}/SKILL.md`,
  folder: `/p/.kern/skills/${name}`,
  modelInvocable: true,
  userInvocable: true,
  read: async () => '',
});
const many = (count: number): readonly Skill[] =>
  Array.from({ length: count }, (_, at) =>
    skill(`s${String(at).padStart(4, '0')}`, `does ${'this and that '.repeat(30)}`),
  );
const list = (skills: readonly Skill[], budget: number) =>
  skillList(skills, { tools: [{ name: 'read' } as never], where, budget });
const lengthOf = ({ sections }: ReturnType<typeof list>): number =>
  sections.slice(1).reduce((sum, { text }) => sum + text.length + 1, 0);

test('a list that fits is told whole, and nobody hears of it', () => {
  const { sections, problem } = list([skill('a', 'How to\n  a.')], 100);
  expect(sections.map(({ text }) => text).slice(1)).toEqual(['- a: How to a. [.kern/skills/a/SKILL.md]']);
  expect(problem).toBeUndefined();
});

test('a list that does not fit has shorter descriptions first', () => {
  const cut = list(many(50), 10_000);
  expect(lengthOf(cut)).toBeLessThanOrEqual(10_000);
  expect(cut.sections).toHaveLength(51);
  expect(cut.sections[1]?.text).toMatch(/^- s0000: does this and that .*… \[\.kern\/skills\/s0000\/SKILL\.md\]$/);
  expect(cut.problem).toMatch(
    /^the list of 50 skills has \d+ characters, more than the 10000 of plugins\.skills\.listBudget: their descriptions are cut/,
  );
});

test('then it has names alone, and at last not all of them: the model is told how many are left out', () => {
  const names = list(many(50), 2_200);
  expect(names.sections).toHaveLength(51);
  expect(names.sections[1]?.text).toBe('- s0000 [.kern/skills/s0000/SKILL.md]');
  const some = list(many(2_000), 2_200);
  expect(lengthOf(some)).toBeLessThan(2_300);
  expect(some.sections.at(-1)?.text).toBe(`- and ${2_000 - (some.sections.length - 2)} more, which a person can name`);
  expect(some.problem).toContain(`only names are told, and ${2_000 - (some.sections.length - 2)} not at all`);
});
