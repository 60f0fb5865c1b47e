import { invokedTexts, type Skill, shellLinesIn, skills } from 'kern/contracts';
import type { Context } from 'kern/plugin';
import { invoked } from './invoke.ts';
import type { SkillSettings } from './settings.ts';

/** The text of a skill that a person asks for, with the output of its shell lines, of those that may run. */
export async function invokedHere(
  ctx: Context<SkillSettings>,
  skill: Skill,
  args: string,
  signal: AbortSignal,
): Promise<string> {
  const text = await skill.read(signal);
  // Whose it is decides what may run. What a plugin has made of a skill is nobody's file.
  const origin = ctx
    .use(skills)
    .entries()
    .find(({ item }) => item === skill)?.origin;
  if (shellLinesIn(text).length === 0 || origin === undefined) return invoked(skill, args, signal);
  await ctx.use(invokedTexts).load(signal);
  const texts = ctx.use(invokedTexts).get(invokedTexts.id)?.item;
  if (texts === undefined) return invoked(skill, args, signal);
  return invoked(skill, args, signal, (body, words) =>
    texts.textFor({ kind: 'skill', item: skill, origin, args: words, text: body }, signal),
  );
}
