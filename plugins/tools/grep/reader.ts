/** In what kind of text JavaScript's form of a pattern is to find something. */
export interface Mode {
  /** The text has characters beyond ASCII. */
  readonly unicode: boolean;
  /** A line; lines, each for itself; or lines that a match may span. */
  readonly text: 'line' | 'lines' | 'whole';
  /** Case is left aside where the pattern does not say otherwise. */
  readonly ignoreCase: boolean;
}

/** What is wrong with a pattern, and where: counted in UTF-16 units. */
export class PatternError extends Error {
  readonly at: number;

  constructor(at: number, why: string) {
    super(why);
    this.at = at;
  }
}

/** A place in a pattern that is being read. */
export class Reader {
  readonly text: string;
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  /** The next character, whole. */
  take(): string | undefined {
    const code = this.text.codePointAt(this.at);
    if (code === undefined) return undefined;
    const character = String.fromCodePoint(code);
    this.at += character.length;
    return character;
  }

  skip(expected: string): boolean {
    if (!this.text.startsWith(expected, this.at)) return false;
    this.at += expected.length;
    return true;
  }

  ahead(form: RegExp): boolean {
    return form.test(this.text.slice(this.at, this.at + 80));
  }

  /** Takes what has this form here; the form begins with `^`. */
  match(form: RegExp): RegExpMatchArray | undefined {
    const found = this.text.slice(this.at, this.at + 80).match(form) ?? undefined;
    if (found !== undefined) this.at += found[0].length;
    return found;
  }
}

/** A character that means itself, in and out of brackets. */
export function escaped(character: string): string {
  return /^[\w\u0080-\u{10ffff}]$/u.test(character)
    ? character
    : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
