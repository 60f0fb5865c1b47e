import { messageOf } from 'kern/plugin';
import type { Origin } from './found.ts';
import { NoMatch, type Row, reasonFor, tables } from './table.ts';

/** A value that kern is to have. */
export interface Taken {
  readonly from: string;
  readonly key: string;
  readonly value: unknown;
}

/** A setting that stays behind, and why. */
export interface Left {
  readonly from: string;
  readonly why: string;
}

export interface Translation {
  readonly taken: readonly Taken[];
  readonly left: readonly Left[];
}

/** The settings of another program as kern's own. */
export function translate(origin: Origin, settings: Readonly<Record<string, unknown>>): Translation {
  const taken: Taken[] = [];
  const left: Left[] = [];
  const { defaultProvider, defaultModel, ...others } = settings;
  if (typeof defaultProvider === 'string' && typeof defaultModel === 'string')
    taken.push({ from: 'defaultProvider, defaultModel', key: 'model', value: `${defaultProvider}/${defaultModel}` });
  else if (defaultModel !== undefined) left.push({ from: 'defaultModel', why: 'it names no provider' });
  const rows = new Map(tables[origin].map((row) => [row.from, row]));
  for (const [from, value] of leaves(others, rows)) {
    const row = rows.get(from);
    if (row === undefined) {
      left.push({ from, why: reasonFor(from) });
      continue;
    }
    try {
      const own = row.value === undefined ? value : row.value(value);
      if (own !== undefined) for (const key of row.to) taken.push({ from, key, value: own });
    } catch (error) {
      if (!(error instanceof NoMatch)) throw error;
      left.push({ from, why: messageOf(error) });
    }
  }
  return { taken, left };
}

/** The single settings, by their path; what stands in the table as a whole is one. */
function leaves(
  map: Readonly<Record<string, unknown>>,
  rows: ReadonlyMap<string, Row>,
  before = '',
): readonly (readonly [string, unknown])[] {
  return Object.entries(map).flatMap(([name, value]) => {
    const from = `${before}${name}`;
    const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (value === null || value === undefined) return [];
    if (!isMap || rows.has(from) || from.split('.').length > 6) return [[from, value] as const];
    return leaves(value as Readonly<Record<string, unknown>>, rows, `${from}.`);
  });
}
