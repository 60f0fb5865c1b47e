import type { PinnedText, Skill } from 'kern/contracts';
import { messageOf, type SessionHandle } from 'kern/plugin';

/** Of which type the entries are that say which skills a session uses. */
export const usedType = 'kern.skill';

/** What of a skill is told again word for word after a compaction; a longer one is read again. */
const longestPin = 20_000;

/** Notes in the session that a skill is in use: it is not forgotten when the session is resumed or compacted. */
export function noteUse(session: SessionHandle, name: string): void {
  if (!usedSkills(session).includes(name)) session.appendEntry(usedType, { name });
}

export function usedSkills(session: SessionHandle): readonly string[] {
  return session
    .entriesOf(usedType)
    .flatMap(({ data }) =>
      typeof data === 'object' && data !== null && 'name' in data && typeof data.name === 'string' ? [data.name] : [],
    );
}

/** The skills in use as they read now, to be told again after a compaction. */
export async function pinsOf(
  used: readonly string[],
  skills: readonly Skill[],
  signal: AbortSignal,
): Promise<readonly PinnedText[]> {
  const inUse = skills.filter(({ name }) => used.includes(name));
  return Promise.all(
    inUse.map(async (skill) => ({
      id: `skill:${skill.name}`,
      title: `The skill ${skill.name}, which is in use (${skill.path})`,
      text: await textOf(skill, signal),
    })),
  );
}

async function textOf({ path, read }: Skill, signal: AbortSignal): Promise<string> {
  try {
    const text = (await read(signal)).trim();
    return text.length <= longestPin ? text : `It is too long to be told again. Read ${path} before you go on with it.`;
  } catch (error) {
    return `It cannot be read now (${messageOf(error)}).`;
  }
}
