import { type Skill, skills, skillsOffered } from 'kern/contracts';
import type { Context } from 'kern/plugin';
import type { SkillSettings } from './settings.ts';

/** The skills of a session: those that were found, without what the settings leave out, as plugins see fit. */
export async function offeredSkills(ctx: Context<SkillSettings>): Promise<readonly Skill[]> {
  const reader = ctx.use(skills);
  await reader.load(ctx.signal);
  const wanted = reader.items().filter(({ name }) => isWanted(name, ctx.config));
  const { skills: offered } = await ctx.call(skillsOffered, { skills: wanted });
  return offered.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** Whether the settings let a skill of this name be. */
export function isWanted(name: string, { includeSkills, ignoredSkills }: SkillSettings): boolean {
  const isOneOf = (globs: readonly string[]): boolean => globs.some((glob) => patternOf(glob).test(name));
  return !isOneOf(ignoredSkills) && (includeSkills.length === 0 || isOneOf(includeSkills));
}

function patternOf(glob: string): RegExp {
  const parts = glob.split(/([*?])/).map((part) => {
    if (part === '*') return '.*';
    return part === '?' ? '.' : part.replace(/[\\^$.|+()[\]{}]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('')}$`);
}
