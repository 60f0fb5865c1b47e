import { appearance, type Look, lookOf, type ModeRun, type Sign, type Tone, usualAppearance } from 'kern/contracts';
import type { News } from './news.ts';

export type Style = 'dim' | 'red' | 'green' | 'bold';

const tones: Readonly<Record<Style, Tone>> = { dim: 'muted', red: 'bad', green: 'good', bold: 'strong' };

/** Where progress goes, and what has to be remembered between two events. Data only: a newer revision goes on with it. */
export interface Screen {
  readonly cwd: string;
  /** Arguments of the calls that run. */
  readonly calls: Map<string, unknown>;
  news?: News;
  line(text: string): void;
  style(style: Style, text: string): string;
  sign(sign: Sign): string;
}

export function createScreen({ session, stderr, color }: ModeRun): Screen {
  const usual = lookOf(usualAppearance);
  // Asked for with every line: what is set meanwhile shows in the next one.
  const look = (): Look => session.view.use(appearance).items()[0]?.look ?? usual;
  return {
    cwd: session.cwd,
    calls: new Map(),
    line: (text) => void stderr.write(`${look().line(text)}\n`),
    style: (style, text) => (color ? look().paint(tones[style], text) : text),
    sign: (sign) => look().sign(sign),
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
const sequences = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;

/** What others wrote for people, without what a terminal would obey. Its lines, tabs and joined signs stay as they are. */
export function tame(text: string): string {
  // Beside control characters those that turn the direction of what follows.
  return text.replace(sequences, '').replace(/(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069\p{Cs}]/gu, '');
}

/** Text of others, without anything that a terminal would obey. */
export function harmless(text: string): string {
  return text
    .replace(sequences, '')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (char) => (char === '\n' ? '\n' : char === '\t' ? '  ' : ''));
}

/** The first line, and no more than fits beside others. */
export function short(text: string, width = 100): string {
  const [first = '', ...rest] = harmless(text).trim().split('\n');
  const cut = first.length > width ? `${first.slice(0, width - 1)}…` : first;
  return rest.length > 0 && cut === first ? `${cut} …` : cut;
}
