import type { ModeRun } from 'kern/contracts';

export type Style = 'dim' | 'red' | 'green' | 'bold';

/** Where progress goes, and what has to be remembered between two events. Data only: a newer revision goes on with it. */
export interface Screen {
  readonly cwd: string;
  /** Arguments of the calls that run. */
  readonly calls: Map<string, unknown>;
  line(text: string): void;
  style(style: Style, text: string): string;
}

const codes: Readonly<Record<Style, readonly [number, number]>> = {
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  bold: [1, 22],
};

export function createScreen({ session, stderr, color }: ModeRun): Screen {
  return {
    cwd: session.cwd,
    calls: new Map(),
    line: (text) => void stderr.write(`${text}\n`),
    style: (style, text) => {
      const [on, off] = codes[style];
      return color && text !== '' ? `\u001b[${on}m${text}\u001b[${off}m` : text;
    },
  };
}

/** Text of others, without anything that a terminal would obey. */
export function harmless(text: string): string {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
      .replace(/\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g, '')
      .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (char) => (char === '\n' ? '\n' : char === '\t' ? '  ' : ''))
  );
}

/** The first line, and no more than fits beside others. */
export function short(text: string, width = 100): string {
  const [first = '', ...rest] = harmless(text).trim().split('\n');
  const cut = first.length > width ? `${first.slice(0, width - 1)}…` : first;
  return rest.length > 0 && cut === first ? `${cut} …` : cut;
}
