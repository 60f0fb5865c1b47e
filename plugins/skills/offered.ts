import { type Skill, skills, skillsOffered } from 'kern/contracts';
import type { Context } from 'kern/plugin';
import type { SkillSettings } from './settings.ts';
import { leftOutBy } from './wanted.ts';

/** The skills of a session: those that were found, without what the settings leave out, as plugins see fit. */
export async function offeredSkills(ctx: Context<SkillSettings>): Promise<readonly Skill[]> {
  const reader = ctx.use(skills);
  await reader.load(ctx.signal);
  const wanted = reader.items().filter(({ name }) => leftOutBy(name, ctx.config) === undefined);
  const { skills: offered } = await ctx.call(skillsOffered, { skills: wanted });
  return offered.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}
