/** One step of a playbook: what is done to a file, or what is typed. */
export type Step =
  | { readonly do: 'write'; readonly file: string; readonly text: string }
  | { readonly do: 'change'; readonly file: string; readonly diff: readonly string[] }
  | { readonly do: 'run'; readonly lines: readonly string[] };

export interface Playbook {
  readonly title: string;
  readonly steps: readonly Step[];
}

/**
 * The playbooks of a page, read as a person would: code belongs to the file that was named last, a block of changes
 * shows where it goes, and what is typed is typed.
 */
export function playbooksIn(page: string, under: string): readonly Playbook[] {
  const [, chapter = ''] = page.split(`\n## ${under}\n`);
  const [own = ''] = chapter.split(/\n## /);
  return own
    .split('\n### ')
    .slice(1)
    .map((text) => ({ title: text.slice(0, text.indexOf('\n')), steps: stepsIn(text) }));
}

const block = /^( *)```(ts|diff|sh)\n([\s\S]*?)^\1```$/gm;

function stepsIn(text: string): readonly Step[] {
  const steps: Step[] = [];
  let at = 0;
  let named: readonly string[] = [];
  for (const found of text.matchAll(block)) {
    const [whole, indent = '', kind, body = ''] = found;
    const before = text.slice(at, found.index);
    // `npm run docs` stands in words, between the last change and the tests.
    if (before.includes('`npm run docs`')) steps.push({ do: 'run', lines: ['npm run docs'] });
    const names = [...before.matchAll(/`([\w./-]+\/[\w.-]+\.(?:ts|md|json))`/g)].map(([, name = '']) => name);
    if (names.length > 0) named = names;
    const lines = body
      .split('\n')
      .slice(0, -1)
      .map((line) => line.slice(indent.length));
    // Of two files that are named at once the first block belongs to the first.
    const [file = ''] = named;
    if (named.length > 1) named = named.slice(1);
    if (kind === 'sh') steps.push({ do: 'run', lines });
    else if (kind === 'diff') steps.push({ do: 'change', file, diff: lines });
    else steps.push({ do: 'write', file, text: `${lines.join('\n')}\n` });
    at = found.index + whole.length;
  }
  return steps;
}

/** A text after a block of changes; undefined where the lines that the block shows are not there. */
export function changed(text: string, diff: readonly string[]): string | undefined {
  const side = (sign: string): readonly string[] =>
    diff.filter((line) => line === '' || line[0] === ' ' || line[0] === sign).map((line) => line.slice(1));
  const [before, after, lines] = [side('-'), side('+'), text.split('\n')];
  const start = lines.findIndex((_, at) => before.every((line, nth) => lines[at + nth] === line));
  if (start === -1) return undefined;
  return [...lines.slice(0, start), ...after, ...lines.slice(start + before.length)].join('\n');
}
