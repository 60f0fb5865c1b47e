import { realPath, type ToolResult, textResult, truncateHead } from 'kern/contracts';
import { taggedLine } from './hash-lines.ts';
import { cut } from './patch.ts';
import type { Format } from './request.ts';
import type { Staged } from './stage.ts';

export interface EditDetails {
  /** Hunks, for reading. */
  readonly diff: string;
  /** A unified patch; empty where it would be too large. */
  readonly patch: string;
  /** Of the first file. */
  readonly firstChangedLine: number;
  /** The real path, as it is now; of a deleted file as it was. */
  readonly path?: string;
  /** Where a call was about several, each with its real path. */
  readonly files?: readonly { readonly path: string; readonly op: string; readonly firstChangedLine: number }[];
  /** The name of what waits for `resolve`. */
  readonly pending?: string;
}

/** What was done: a line for each file, and its diff. */
export function told(staged: readonly Staged[], format: Format): ToolResult<EditDetails> {
  return textResult(pageOf(staged, format, done), detailsOf(staged));
}

/** What would be done. */
export function previewed(staged: readonly Staged[], format: Format, pending: string): ToolResult<EditDetails> {
  return textResult(
    `${pageOf(staged, format, planned)}\n\nNothing is changed yet. Call resolve with {"action": "apply", "reason": …} to do it, or with "discard"; this change is ${pending}.`,
    { ...detailsOf(staged), pending },
  );
}

interface Words {
  readonly update: string;
  readonly create: string;
  readonly delete: string;
  readonly move: string;
}

const done: Words = { update: 'Edited', create: 'Created', delete: 'Deleted', move: 'Renamed' };
const planned: Words = { update: 'Would edit', create: 'Would create', delete: 'Would delete', move: 'Would rename' };

function pageOf(staged: readonly Staged[], format: Format, words: Words): string {
  const parts = staged.map((file) => {
    const diff = diffOf(file, format);
    return `${headOf(file, words)}${diff === '' ? '.' : `:\n${diff}`}`;
  });
  const shown = truncateHead(parts.join('\n\n'));
  const rest = shown.truncated
    ? `\n[Showing the first ${shown.shownLines} of ${shown.totalLines} lines of the diff.]`
    : '';
  return `${shown.text}${rest}`;
}

function headOf({ op, path, moveTo, edits, splices, source, remarks: more }: Staged, words: Words): string {
  const notes = [
    ...(edits > 1 ? [`${edits} edits`] : []),
    ...(op === 'update' && splices.length > 0 && source.encoding !== 'utf-8' ? [`in ${source.encoding}`] : []),
    ...more,
  ];
  const remarks = notes.length === 0 ? '' : ` (${notes.join('; ')})`;
  if (moveTo !== undefined)
    return `${words.move} ${path} to ${moveTo.path}${splices.length === 0 ? '' : ` and ${words.update.toLowerCase()} it${remarks}`}`;
  return `${words[op]} ${path}${remarks}`;
}

function diffOf({ op, patch }: Staged, format: Format): string {
  // Whoever made or deleted a file knows what is in it.
  if (op !== 'update') return '';
  return (format === 'hashline' && patch.isWhole ? taggedDiff(patch.hunks) : patch.diff).trimEnd();
}

/** With the names that the lines have from now on. */
function taggedDiff(hunks: Staged['patch']['hunks']): string {
  return hunks
    .map(({ newStart, lines }) => {
      let number = newStart;
      const rows = lines.flatMap((line) => {
        const text = line.slice(1).replace(/\r$/, '');
        if (line.startsWith('\\')) return [];
        if (line.startsWith('-')) return [cut(`- ${text}`)];
        number += 1;
        return [cut(`${line[0]} ${taggedLine(number - 1, text)}`)];
      });
      return rows.join('\n');
    })
    .join('\n…\n');
}

function detailsOf(staged: readonly Staged[]): EditDetails {
  const [first] = staged;
  const details = {
    diff: staged.map(({ path, patch }) => (staged.length === 1 ? patch.diff : `${path}\n${patch.diff}`)).join(''),
    patch: staged.map(({ patch }) => patch.patch).join(''),
    firstChangedLine: first?.patch.firstChangedLine ?? 1,
  };
  const realOf = ({ absolute, moveTo }: Staged): string => realPath(moveTo?.absolute ?? absolute);
  if (staged.length === 1 && first !== undefined) return { ...details, path: realOf(first) };
  return {
    ...details,
    files: staged.map((file) => ({
      path: realOf(file),
      op: file.op,
      firstChangedLine: file.patch.firstChangedLine,
    })),
  };
}
