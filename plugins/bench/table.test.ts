import { expect, test } from 'vitest';
import { figures, lines, type Table } from './table.ts';

const table: Table = {
  name: 'start',
  title: 'from exec to exit',
  rows: [
    { label: 'node -e 0', unit: 'ms', samples: [40, 38, 42], note: 'bare' },
    { label: 'kern --help', unit: 'ms', samples: [100, 130, 120], against: 'node -e 0' },
    { label: 'schemas', unit: 'bytes', samples: [4321] },
  ],
};

test('a figure has the median, the middle half, and the ratio to the row it is compared with', () => {
  expect(figures(table)).toEqual([
    { label: 'node -e 0', unit: 'ms', median: 40, low: 39, high: 41, samples: 3, note: 'bare' },
    {
      label: 'kern --help',
      unit: 'ms',
      median: 120,
      low: 110,
      high: 125,
      samples: 3,
      ratio: { to: 'node -e 0', times: 3 },
    },
    { label: 'schemas', unit: 'bytes', median: 4321, low: 4321, high: 4321, samples: 1 },
  ]);
});

test('lines stand in columns, and one sample has no range', () => {
  expect(lines(table)).toEqual([
    'start: from exec to exit',
    '  node -e 0        40.0 ms     39.0 – 41.0                      bare',
    '  kern --help     120.0 ms   110.0 – 125.0   3.00 × node -e 0',
    '  schemas       4321 bytes',
  ]);
});

test('what could not be measured is shown as missing', () => {
  const rows = [{ label: 'peak', unit: 'MB' as const, samples: [] }];
  expect(lines({ name: 'memory', title: 'peak', rows })).toEqual(['memory: peak', '  peak   – MB']);
});
