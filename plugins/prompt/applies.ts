import type { Instruction, Rule } from 'kern/contracts';

const everything: ReadonlySet<string> = new Set(['*', '**', '**/*']);

/** The globs of an instruction; none where it holds for everything. */
export function globsOf({ applyTo }: Pick<Instruction, 'applyTo'>): readonly string[] {
  const globs = (applyTo ?? '')
    .split(/,(?![^{]*\})/)
    .map((glob) => glob.trim())
    .filter((glob) => glob !== '');
  return globs.some((glob) => everything.has(glob)) ? [] : globs;
}

/** When a rule is told: always, when something happens (a match, a file), when the model reads it, or never by itself. */
export function whenTold({
  alwaysApply,
  condition,
  globs,
  description,
}: Pick<Rule, 'alwaysApply' | 'condition' | 'globs' | 'description'>):
  | 'match'
  | 'always'
  | 'file'
  | 'listed'
  | 'never' {
  if (condition.length > 0) return 'match';
  if (alwaysApply) return 'always';
  if (globs.length > 0) return 'file';
  return description === undefined ? 'never' : 'listed';
}
