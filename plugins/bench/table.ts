import { median, quantile } from './median.ts';

export type Unit = 'ms' | 'µs' | 'MB' | 'bytes' | 'requests' | 'lines/s';

/** One line of a table. */
export interface Row {
  readonly label: string;
  readonly unit: Unit;
  readonly samples: readonly number[];
  /** The label of the row it is compared with. */
  readonly against?: string;
  /** What the number means where the label cannot say it. */
  readonly note?: string;
}

export interface Table {
  readonly name: string;
  readonly title: string;
  readonly rows: readonly Row[];
}

/** A row as `--json` has it. */
export interface Figure {
  readonly label: string;
  readonly unit: Unit;
  readonly median: number;
  /** The middle half of the samples lies between these. */
  readonly low: number;
  readonly high: number;
  readonly samples: number;
  readonly ratio?: { readonly to: string; readonly times: number };
  readonly note?: string;
}

export function figures({ rows }: Pick<Table, 'rows'>): readonly Figure[] {
  return rows.map(({ label, unit, samples, against, note }) => {
    const base = rows.find((row) => row.label === against);
    const middle = median(samples);
    return {
      label,
      unit,
      median: rounded(middle),
      low: rounded(quantile(samples, 0.25)),
      high: rounded(quantile(samples, 0.75)),
      samples: samples.length,
      ...(base === undefined ? {} : { ratio: { to: base.label, times: rounded(middle / median(base.samples)) } }),
      ...(note === undefined ? {} : { note }),
    };
  });
}

/** A table for people: label, median, the middle half, and how many times the other row. */
export function lines(table: Table): readonly string[] {
  const cells = figures(table).map((figure) => [
    figure.label,
    `${shown(figure.median, figure.unit)} ${figure.unit}`,
    figure.samples > 1 ? `${shown(figure.low, figure.unit)} – ${shown(figure.high, figure.unit)}` : '',
    figure.ratio === undefined ? '' : `${figure.ratio.times.toFixed(2)} × ${figure.ratio.to}`,
    figure.note ?? '',
  ]);
  const widths = [0, 1, 2, 3].map((column) => Math.max(...cells.map((row) => (row[column] ?? '').length)));
  const body = cells.map(([label = '', middle = '', range = '', ratio = '', note = '']) =>
    [
      label.padEnd(widths[0] ?? 0),
      middle.padStart(widths[1] ?? 0),
      range.padStart(widths[2] ?? 0),
      ratio.padEnd(widths[3] ?? 0),
      note,
    ]
      .filter((_, column) => column === 4 || (widths[column] ?? 0) > 0)
      .join('   ')
      .trimEnd(),
  );
  return [`${table.name}: ${table.title}`, ...body.map((line) => `  ${line}`)];
}

const shown = (value: number, unit: Unit): string => {
  if (!Number.isFinite(value)) return '–';
  const isWhole = unit === 'bytes' || unit === 'requests' || unit === 'lines/s';
  return isWhole ? String(Math.round(value)) : value.toFixed(value < 10 ? 2 : 1);
};

const rounded = (value: number): number => Math.round(value * 1000) / 1000;
