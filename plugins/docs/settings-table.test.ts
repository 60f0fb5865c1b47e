import type { SettingReport } from 'kern/contracts';
import { expect, test } from 'vitest';
import { settingsTable } from './settings-table.ts';

const setting = (key: string, more: Partial<SettingReport> = {}): SettingReport => ({
  key,
  path: key.split('.'),
  summary: `About ${key}.`,
  default: undefined,
  project: false,
  ...more,
});

test('settings of plugins follow those of kern, each with what it may be', () => {
  const rows = settingsTable([
    setting('plugins.a.size', {
      default: 10,
      schema: { type: 'integer', exclusiveMinimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    }),
    setting('names', { default: [], schema: { type: 'array', items: { type: 'string' } } }),
    setting('mode', { default: 'ask', schema: { enum: ['ask', 'all'] }, variable: 'KERN_MODE', project: true }),
    setting('ms', { schema: { type: 'number', minimum: 1, maximum: 9 } }),
    setting('odd'),
  ]);
  expect(rows.slice(2)).toEqual([
    '| `mode` | `"ask"` | `ask` `all` | `KERN_MODE` | yes | About mode. |',
    '| `ms` |  | a number from 1 to 9 |  |  | About ms. |',
    '| `names` | `[]` | a list of texts |  |  | About names. |',
    '| `odd` |  |  |  |  | About odd. |',
    '| `plugins.a.size` | `10` | a whole number above 0 |  |  | About plugins.a.size. |',
  ]);
});
