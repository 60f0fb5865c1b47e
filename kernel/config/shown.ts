import { visible } from '../visible.ts';
import type { ConfigProblem } from './places.ts';

/** A file of strangers has keys of theirs: no terminal obeys them. */
export function shown(problems: readonly ConfigProblem[]): readonly ConfigProblem[] {
  return problems.map((problem) => ({
    ...problem,
    ...(problem.key === undefined ? {} : { key: visible(problem.key) }),
    message: visible(problem.message),
  }));
}
