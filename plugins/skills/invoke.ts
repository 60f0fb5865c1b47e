import { filledIn, hasPlaces, type Skill, type Slashed, slashed } from 'kern/contracts';
import { didYouMean, nearNames } from 'kern/plugin';

/** `/skill:review the tests`: which skill, and what for. */
export function askedSkill(text: string): Slashed | undefined {
  const asked = slashed(text);
  return asked?.name.startsWith('skill:') === true ? { ...asked, name: asked.name.slice('skill:'.length) } : undefined;
}

/** Why a person cannot have it; undefined where they can. */
export function refusal(name: string, skills: readonly Skill[]): string | undefined {
  const usable = skills.filter(({ userInvocable }) => userInvocable).map((skill) => skill.name);
  if (usable.includes(name)) return undefined;
  if (skills.some((skill) => skill.name === name))
    return `The skill ${name} is for the model alone: its file says user-invocable: false.`;
  const near = didYouMean(nearNames(name, usable));
  const all = usable.length === 0 ? 'There are no skills here.' : `Skills here: ${usable.join(', ')}.`;
  return [`There is no skill ${name}.`, near, all, '`kern providers` shows where skills are looked for.']
    .filter((line) => line !== undefined)
    .join(' ');
}

/** The text of a skill as the model reads it when a person asks for it. `put` puts the arguments into its text. */
export async function invoked(
  { name, path, folder, read }: Skill,
  args: string,
  signal: AbortSignal,
  put: (text: string, args: string) => Promise<string> | string = (text, words) => filledIn(text, words, 'claude'),
): Promise<string> {
  const text = (await read(signal)).trim();
  const whole = (body: string): string =>
    `<skill name="${name}" path="${path}">\nPaths in it start from ${folder}\n\n${body}\n</skill>`;
  // Words without a place in it follow the skill, and are no part of it.
  if (hasPlaces(text, 'claude') || args === '') return whole(await put(text, args));
  return `${whole(await put(text, ''))}\n\n${args}`;
}
