import { expect, test } from 'vitest';
import { z } from 'zod';
import { folderWith, put } from '../trust/test/folder.ts';
import { loadConfig } from './config.ts';
import { pluginSettings } from './settings.ts';

test("a plugin's setting is read as the plugin reads it: with the defaults of what a map leaves out, and without what is wrong", async () => {
  const schema = z.object({
    retry: z.object({ max: z.number().default(3), base: z.number().default(2000) }).prefault({}),
    lane: z.enum(['one', 'all']).default('one'),
  });
  const home = folderWith();
  put(home, { 'config.yml': 'plugins:\n  agent: { retry: { max: 5 }, lane: both }\n' });
  const config = await loadConfig({ home });
  config.know([{ id: 'agent', level: 'builtin' }]);
  config.register(pluginSettings('agent', schema));
  expect(config.get('plugins.agent.retry').value).toEqual({ max: 5, base: 2000 });
  expect(config.get('plugins.agent.retry.base')).toEqual({
    key: 'plugins.agent.retry.base',
    value: 2000,
    origin: { layer: 'default' },
  });
  expect(config.get('plugins.agent.retry.max')).toMatchObject({ value: 5, origin: { layer: 'user', line: 2 } });
  expect(config.get('plugins.agent.lane')).toMatchObject({ value: 'one', origin: { layer: 'default' } });
});

test('an edit that is wrong leaves what was said before, also twice; what was taken out is gone', async () => {
  const home = folderWith();
  const schema = z.object({ limit: z.number().default(1), names: z.array(z.string()).default([]) });
  const says = async (text: string): Promise<unknown> => {
    put(home, { 'config.yml': text });
    await config.reload();
    const read = config.configure('x', 'user', schema);
    expect(config.get('plugins.x.limit').value).toBe(read.ok ? read.value.limit : undefined);
    return read.ok ? [read.value, read.problems.map(({ line, message }) => `${line}: ${message}`)] : read;
  };
  put(home, { 'config.yml': '' });
  const config = await loadConfig({ home });
  config.know([{ id: 'x', level: 'user' }]);
  config.register(pluginSettings('x', schema));
  expect(await says('plugins: { x: { limit: 5, names: [a] } }\n')).toEqual([{ limit: 5, names: ['a'] }, []]);
  for (let times = 0; times < 2; times++) {
    expect(await says('plugins:\n  x: { limit: many, names: [b] }\n')).toEqual([
      { limit: 5, names: ['b'] },
      [expect.stringMatching(/^2: .*number.*; what it said before stays in force$/)],
    ]);
  }
  expect(await says('plugins: { x: { names: [b] } }\n')).toEqual([{ limit: 1, names: ['b'] }, []]);
  // Nothing is kept of what was taken out.
  expect(await says('plugins: { x: { limit: many } }\n')).toEqual([
    { limit: 1, names: [] },
    [expect.not.stringContaining('before')],
  ]);
});
