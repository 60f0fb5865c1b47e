import { KernError, messageOf } from 'kern/plugin';
import type { Pattern } from './pattern.ts';
import type { Mode } from './reader.ts';

/** Finds a pattern in lines and in texts, with JavaScript's regular expressions. */
export interface Matcher {
  /** Whether any line of a text may have it: never false where one has. */
  mayBeIn(text: string, unicode: boolean): boolean;
  /** Whether a line has it, from a place on; `end` says that the line goes no further. */
  isIn(line: string, unicode: boolean, from?: number, end?: boolean): boolean;
  /** Every match in a text of lines, as places in it. */
  places(text: string, unicode: boolean): Iterable<readonly [from: number, to: number]>;
}

export function createMatcher(pattern: Pattern, ignoreCase: boolean): Matcher {
  const made = new Map<string, RegExp>();
  const form = (unicode: boolean, text: Mode['text']): RegExp => {
    const key = `${unicode} ${text}`;
    let expression = made.get(key);
    if (expression === undefined) {
      expression = compiled(pattern.script({ unicode, text, ignoreCase }), ignoreCase && !pattern.foldsCase);
      made.set(key, expression);
    }
    return expression;
  };
  return {
    mayBeIn(text, unicode) {
      // What looks around may see the end of a line, which is not there in a text.
      if (pattern.needsScript) return true;
      const expression = form(unicode, 'lines');
      expression.lastIndex = 0;
      return expression.test(text);
    },
    isIn(line, unicode, from = 0, end = true) {
      const expression = form(unicode, 'line');
      expression.lastIndex = from;
      const found = expression.exec(line);
      return found !== null && (end || found.index + found[0].length < line.length);
    },
    *places(text, unicode) {
      const expression = form(unicode, 'whole');
      expression.lastIndex = 0;
      for (let found = expression.exec(text); found !== null; found = expression.exec(text)) {
        yield [found.index, found.index + found[0].length];
        // Within a pair the search would go back to its start.
        if (found[0] === '') expression.lastIndex += (text.codePointAt(found.index) ?? 0) > 0xffff ? 2 : 1;
      }
    },
  };
}

function compiled(source: string, ignoreCase: boolean): RegExp {
  try {
    return new RegExp(source, ignoreCase ? 'giv' : 'gv');
  } catch (error) {
    throw new KernError('pattern_refused', `the pattern is too much for the built-in matcher: ${messageOf(error)}`, {
      hint: 'Make it shorter, or search for a part of it.',
      cause: error,
    });
  }
}
