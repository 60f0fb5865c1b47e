import { KernError } from 'kern/plugin';

const start = /^<!-- generated: ([a-z-]+) -->$/;
const end = '<!-- end -->';

/** The page with its generated parts made anew; what stands between the marks is replaced, all else stays. */
export function fill(page: string, blocks: Readonly<Record<string, readonly string[]>>, name: string): string {
  const lines: string[] = [];
  let open: string | undefined;
  for (const line of page.split('\n')) {
    const started = start.exec(line)?.[1];
    if (started !== undefined) {
      if (open !== undefined) throw broken(name, `${started} begins before ${open} ends`);
      const block = blocks[started];
      if (block === undefined) throw broken(name, `there is nothing that makes ${started}`);
      open = started;
      lines.push(line, '', ...block, '');
    } else if (line === end) {
      if (open === undefined) throw broken(name, `an end without a beginning`);
      open = undefined;
      lines.push(line);
    } else if (open === undefined) {
      lines.push(line);
    }
  }
  if (open !== undefined) throw broken(name, `${open} has no end`);
  return lines.join('\n');
}

function broken(name: string, what: string): KernError {
  return new KernError('page_broken', `${name}: ${what}`, {
    hint: `a generated part stands between <!-- generated: name --> and ${end}, each on a line of its own`,
  });
}

/** A Markdown table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)];
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ').trim();
}

/** Text as code; a bar in it is left to `table`. */
export const code = (text: string): string => `\`${text}\``;
