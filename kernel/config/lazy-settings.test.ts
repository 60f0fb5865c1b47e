import { expect, test } from 'vitest';
import { z } from 'zod';
import { Config } from './config.ts';
import { lazySettings } from './lazy-settings.ts';
import { pluginSettings } from './settings.ts';

/** Settings, and how often their schema was made. */
function settings(make = () => z.object({ loud: z.boolean().default(false).describe('How loud') })) {
  let made = 0;
  const lazy = lazySettings<{ loud: boolean }>({ loud: false }, () => {
    made += 1;
    return make() as z.ZodObject<{ loud: z.ZodDefault<z.ZodBoolean> }>;
  });
  return { lazy, made: () => made };
}

test('where nothing is set the schema is not made, and once where something is', () => {
  const { lazy, made } = settings();
  const [row] = pluginSettings('x', lazy);
  expect(lazy['~standard'].validate({})).toEqual({ value: { loud: false } });
  expect([row?.key, row?.path, row?.default, made()]).toEqual(['plugins.x.loud', ['plugins', 'x', 'loud'], false, 0]);
  expect(lazy['~standard'].validate({ loud: true })).toEqual({ value: { loud: true } });
  expect(lazy['~standard'].validate({ loud: 'very' })).toMatchObject({ issues: [{ path: ['loud'] }] });
  expect([row?.summary, made()]).toEqual(['How loud', 1]);
});

test('what had to be known earlier is told when the schema is made', () => {
  const marked = settings(() => z.object({ loud: z.boolean().default(false).meta({ env: true }) }));
  const [row] = pluginSettings('x', marked.lazy);
  expect(() => row?.summary).toThrow('plugins.x.loud is marked env');
  const more = settings(() => z.object({ loud: z.boolean().default(false), quiet: z.string().optional() }));
  expect(() => more.lazy.shape).toThrow('the defaults of quiet are missing');
});

test('a start at which nobody sets anything makes no schema', () => {
  const { lazy, made } = settings();
  const config = new Config({ home: '/nowhere' });
  config.register(pluginSettings('x', lazy));
  expect(config.configure('x', 'builtin', lazy)).toMatchObject({ ok: true, value: { loud: false } });
  expect([config.get('plugins.x').value, config.get('plugins.x.loud').value]).toEqual([true, false]);
  expect([config.problems, config.list().length > 0, made()]).toEqual([[], true, 0]);
});
