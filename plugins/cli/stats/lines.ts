import { columns } from 'kern/contracts';
import { visible } from 'kern/plugin';
import type { Row, Stats, ToolRow } from './sum.ts';

/** Without `--by`, so many rows of each table. */
const shownRows = 10;

/** For a person: totals and all tables, or the one that was asked for whole. */
export function statsLines(stats: Stats, by: string | undefined): readonly string[] {
  const { total } = stats;
  if (total.sessions === 0) return ['There is nothing to count yet.'];
  if (by === 'tool') return toolTable(stats.byTool);
  if (by !== undefined) return table(by, stats.rows(by) as readonly Row[]);
  return [
    ...columns([
      ['sessions', count(total.sessions)],
      ['questions', count(total.questions)],
      ['replies', count(total.replies)],
      [
        'tokens in',
        `${count(total.input + total.cacheRead + total.cacheWrite)} (${count(total.cacheRead)} from caches)`,
      ],
      ['tokens out', count(total.output)],
      ['cost', cost(total)],
      ['tool calls', `${count(total.toolCalls)}, ${count(total.toolErrors)} failed, ${time(total.toolMs)} in all`],
    ]),
    ...shortened('day', stats.byDay, table),
    ...shortened('model', stats.byModel, table),
    ...shortened('project', stats.byProject, table),
    ...shortened('tool', stats.byTool, (_by, rows) => toolTable(rows)),
  ];
}

function shortened<T>(
  by: string,
  rows: readonly T[],
  show: (by: string, rows: readonly T[]) => readonly string[],
): readonly string[] {
  if (rows.length === 0) return [];
  const more = rows.length - shownRows;
  return ['', ...show(by, rows.slice(0, shownRows)), ...(more > 0 ? [`… ${more} more: kern stats --by ${by}`] : [])];
}

function table(by: string, rows: readonly Row[]): readonly string[] {
  return columns([
    [by, 'replies', 'in', 'cached', 'out', 'cost'],
    ...rows.map((row) => [
      name(row.key),
      count(row.replies),
      count(row.input + row.cacheRead + row.cacheWrite),
      count(row.cacheRead),
      count(row.output),
      cost(row),
    ]),
  ]);
}

function toolTable(rows: readonly ToolRow[]): readonly string[] {
  return columns([
    ['tool', 'calls', 'failed', 'time', 'mean'],
    ...rows.map((row) => [
      name(row.key),
      count(row.calls),
      row.errors === 0 ? '-' : `${count(row.errors)} (${Math.round((row.errors / row.calls) * 100)} %)`,
      row.timed === 0 ? 'unknown' : time(row.ms),
      row.meanMs === null ? 'unknown' : time(row.meanMs),
    ]),
  ]);
}

const name = (key: string): string => visible(key === '' ? '(none)' : key).slice(0, 60);

const count = (value: number): string => value.toLocaleString('en');

/** What is not known is never shown as nothing. */
function cost({ cost: known, unknownCosts, replies }: Pick<Row, 'cost' | 'unknownCosts' | 'replies'>): string {
  if (known === null) return 'unknown';
  const text = `$${known < 0.1 && known > 0 ? known.toFixed(4) : known.toFixed(2)}`;
  return unknownCosts === 0 ? text : `${text} + ${count(unknownCosts)} of ${count(replies)} replies unknown`;
}

function time(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  return minutes < 60
    ? `${minutes} min ${Math.round((ms % 60_000) / 1_000)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
