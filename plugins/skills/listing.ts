import { type PromptSection, type Skill, shownPath, type ToolFace } from 'kern/contracts';
import type { Where } from 'kern/plugin';

const intro =
  'There are skills: instructions for special kinds of work. When what you are to do fits the description of one, read its file first and follow it. Paths in it start from its folder.';

/** What a description may take: the specification allows no more. */
const longest = 1_024;
/** What is tried when the list is too long: shorter descriptions first, then the names alone. */
const shorter = [longest, 240, 80, 0];

/** The list of skills, and what the person should know of it. */
export interface SkillList {
  readonly sections: readonly PromptSection[];
  /** It did not fit. */
  readonly problem?: string;
}

/** The skills as the model is told of them: by name, description and file, in `budget` characters. It can use none where it has no tools. */
export function skillList(
  skills: readonly Skill[],
  { tools, where, budget }: { readonly tools: readonly ToolFace[]; readonly where: Where; readonly budget: number },
): SkillList {
  const told = skills.filter(({ modelInvocable }) => modelInvocable);
  if (told.length === 0 || tools.length === 0) return { sections: [] };
  const linesOf = (most: number): readonly PromptSection[] =>
    told.map(({ name, description, path }) => {
      const about = most === 0 ? '' : `: ${oneLine(description, most)}`;
      return { id: `skill:${name}`, text: `- ${name}${about} [${shownPath(path, where)}]` };
    });
  const head = { id: 'skills', text: intro };
  const whole = linesOf(longest);
  if (lengthOf(whole) <= budget) return { sections: [head, ...whole] };
  const fitting = shorter.map(linesOf).find((lines) => lengthOf(lines) <= budget);
  const kept = fitting ?? firstOf(linesOf(0), budget);
  const left = told.length - kept.length;
  const rest = left === 0 ? [] : [{ id: 'skills.more', text: `- and ${left} more, which a person can name` }];
  const lost = left === 0 ? 'their descriptions are cut' : `only names are told, and ${left} not at all`;
  return {
    sections: [head, ...kept, ...rest],
    problem: `the list of ${told.length} skills has ${lengthOf(whole)} characters, more than the ${budget} of plugins.skills.listBudget: ${lost}. plugins.skills.ignoredSkills leaves skills out`,
  };
}

const lengthOf = (lines: readonly PromptSection[]): number => lines.reduce((sum, { text }) => sum + text.length + 1, 0);

function firstOf(lines: readonly PromptSection[], budget: number): readonly PromptSection[] {
  let sum = 0;
  return lines.filter(({ text }) => {
    sum += text.length + 1;
    return sum <= budget;
  });
}

function oneLine(text: string, most: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}
