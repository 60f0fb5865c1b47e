import { expect, test } from 'vitest';
import { z } from 'zod';
import { describeSetting } from './describe.ts';
import { kernelSettings, pluginSettings, type Setting } from './settings.ts';

const described = (row: Setting | undefined) => {
  if (row === undefined) throw new Error('there is no such setting');
  return describeSetting({ ...row, path: row.path ?? row.key.split('.') });
};

test('a setting of kern is described by what it may be, and who may set it', () => {
  expect(described(kernelSettings.find(({ key }) => key === 'permissions.mode'))).toEqual({
    key: 'permissions.mode',
    path: ['permissions', 'mode'],
    summary: 'What may happen without asking.',
    default: 'ask',
    schema: { enum: ['plan', 'ask', 'edits', 'all'] },
    variable: 'KERN_PERMISSION_MODE',
    project: false,
  });
});

test('every setting of kern says what it may be', () => {
  expect(kernelSettings.filter((row) => Object.keys(described(row).schema ?? {}).length === 0)).toEqual([]);
});

test('a setting of a plugin is described by its zod schema, its default standing beside it', () => {
  const schema = z.object({ 'max-bytes': z.int().positive().default(10).describe('The largest').meta({ env: true }) });
  expect(pluginSettings('tools.x', schema).map(described)).toEqual([
    {
      key: 'plugins.tools.x.max-bytes',
      path: ['plugins', 'tools.x', 'max-bytes'],
      summary: 'The largest',
      default: 10,
      schema: { type: 'integer', exclusiveMinimum: 0, maximum: Number.MAX_SAFE_INTEGER },
      variable: 'KERN_PLUGINS_TOOLS_X_MAX_BYTES',
      project: false,
    },
  ]);
});

test('a schema that JSON cannot say is described without one', () => {
  const [row] = pluginSettings('a', z.object({ made: z.custom<() => void>(() => true) }));
  expect(described(row)).not.toHaveProperty('schema.type');
});
