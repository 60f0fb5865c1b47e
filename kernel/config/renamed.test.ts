import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { folderWith, put } from '../trust/test/folder.ts';
import { type Config, loadConfig } from './config.ts';
import { text, trueOrFalse } from './schemas.ts';
import { pluginSettings } from './settings.ts';

async function configWith(
  content: string,
  name = 'config.yml',
): Promise<{ config: Config; home: string; file: string }> {
  const home = folderWith();
  put(home, { [name]: content });
  const config = await loadConfig({ home });
  config.register([
    { key: 'look.theme', schema: text, default: 'auto', summary: '', was: ['colours', 'look.colours'] },
    { key: 'quiet', schema: trueOrFalse, default: false, summary: '' },
  ]);
  config.know([{ id: 'tools.x', level: 'builtin' }]);
  const schema = z.object({
    limit: z
      .number()
      .default(1)
      .meta({ was: ['max', 'size.max'] }),
  });
  config.register(pluginSettings('tools.x', schema));
  return { config, home, file: path.join(home, name) };
}

test('a setting under its old name counts, and is told of', async () => {
  const { config, file } = await configWith('quiet: true\ncolours: dark\nplugins:\n  tools.x: { max: 5 }\n');
  expect(config.get('look.theme')).toMatchObject({ value: 'dark', origin: { line: 2 } });
  expect(config.get('plugins.tools.x.limit').value).toBe(5);
  expect(config.problems).toEqual([
    { file, line: 2, key: 'colours', message: 'is called look.theme now' },
    { file, line: 4, key: 'plugins.tools.x.max', message: 'is called plugins.tools.x.limit now' },
  ]);
  expect(config.unknown(['tools.x'])).toEqual([]);
});

test('the file is rewritten with its comments, beside a copy of what it was', async () => {
  const before =
    '# top\nlook:\n  # why\n  colours: dark # night\nplugins:\n  tools.x: { size: { max: 5 } } # room\nother: 1\n';
  const { config, home, file } = await configWith(before);
  const migrated = await config.migrate('2026-11-30');
  expect(migrated).toMatchObject({ file, backup: `${file}.bak-2026-11-30` });
  expect(readFileSync(file, 'utf8')).toBe(
    '# top\nlook:\n  # why\n  theme: dark # night\nplugins:\n  tools.x: { limit: 5 } # room\nother: 1\n',
  );
  expect(readFileSync(`${file}.bak-2026-11-30`, 'utf8')).toBe(before);
  expect(statSync(`${file}.bak-2026-11-30`).mode).toBe(statSync(file).mode);
  expect(config.problems).toEqual([]);
  expect(await config.migrate('2026-11-30')).toBeUndefined();
  expect(readdirSync(home).sort()).toEqual(['config.yml', 'config.yml.bak-2026-11-30']);
});

test('no copy is written over', async () => {
  const { config, file } = await configWith('colours: dark\n');
  writeFileSync(`${file}.bak-2026-11-30`, 'mine');
  expect(await config.migrate('2026-11-30')).toMatchObject({ backup: `${file}.bak-2026-11-30-2` });
  expect(readFileSync(`${file}.bak-2026-11-30`, 'utf8')).toBe('mine');
  expect(readFileSync(file, 'utf8')).toBe('look:\n  theme: dark\n');
});

test('where both names stand, the one of today counts and the old one goes', async () => {
  const { config, file } = await configWith(
    '{\n  "colours": "dark",\n  "look": { "theme": "light" }\n}\n',
    'config.json',
  );
  expect(config.get('look.theme').value).toBe('light');
  await config.migrate('2026-11-30');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ look: { theme: 'light' } });
});

test('a bad value under an old name is a bad value', async () => {
  const { config, file } = await configWith('colours: 3\n');
  expect(config.get('look.theme')).toMatchObject({ value: 'auto', origin: { layer: 'default' } });
  expect(config.problems.map(({ key, line }) => `${key}:${line}`)).toEqual(['look.theme:1', 'colours:1']);
  await config.migrate('2026-11-30');
  expect(readFileSync(file, 'utf8')).toBe('look:\n  theme: 3\n');
});
