/** Settings that choose skills by their names. */
interface Choice {
  readonly includeSkills: readonly string[];
  readonly ignoredSkills: readonly string[];
}

/** The setting that leaves a skill of this name out; undefined where none does. */
export function leftOutBy(name: string, { includeSkills, ignoredSkills }: Choice): keyof Choice | undefined {
  const isOneOf = (globs: readonly string[]): boolean => globs.some((glob) => patternOf(glob).test(name));
  if (isOneOf(ignoredSkills)) return 'ignoredSkills';
  return includeSkills.length === 0 || isOneOf(includeSkills) ? undefined : 'includeSkills';
}

function patternOf(glob: string): RegExp {
  const parts = glob.split(/([*?])/).map((part) => {
    if (part === '*') return '.*';
    return part === '?' ? '.' : part.replace(/[\\^$.|+()[\]{}]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('')}$`);
}
