import { writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  type Appearance,
  type AppearanceSettings,
  appearance,
  lookOf,
  settings,
  usualAppearance,
} from 'kern/contracts';
import { bootKernel } from 'kern/testing';
import { expect, test } from 'vitest';
import { openHouse } from '../cli/test/house.ts';
import { openDesk } from '../cli/test/line.ts';
import appearancePlugin from './index.ts';

const look = (part: Partial<AppearanceSettings> = {}): ReturnType<typeof lookOf> =>
  lookOf({ ...usualAppearance, ...part });

test('without a word it looks as terminals do', () => {
  expect(look().paint('good', 'ok')).toBe('\u001b[32mok\u001b[39m');
  expect(look().paint('bad', '')).toBe('');
  expect(look().sign('done')).toBe('✓');
  expect(look().line('a…')).toBe('a…');
});

test('each setting changes what it is about', () => {
  expect(look({ theme: 'light' }).paint('muted', 'x')).not.toBe(look({ theme: 'dark' }).paint('muted', 'x'));
  for (const tone of ['muted', 'bad', 'good', 'strong'] as const)
    expect(look({ theme: 'plain' }).paint(tone, 'x')).toBe('x');
  const signs = ['done', 'failed', 'warning', 'reloaded'] as const;
  const ascii = look({ symbolPreset: 'ascii' });
  for (const sign of signs) expect(ascii.sign(sign)).toMatch(/^[ -~]$/);
  expect(ascii.line('cut…')).toBe('cut...');
  for (const sign of signs) expect(look({ symbolPreset: 'nerd' }).sign(sign)).not.toBe(look().sign(sign));
});

test.each(['auto', 'dark', 'light'] as const)('in colour-blind mode no tone of %s is green or red', (theme) => {
  for (const tone of ['bad', 'good'] as const) {
    const painted = look({ theme, colorBlindMode: true }).paint(tone, 'x');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
    expect(painted).not.toMatch(/\u001b\[[39][12]m/);
    expect(painted).not.toBe('x');
  }
});

test('what is set at the start is in force from the start', async () => {
  await using t = await bootKernel([appearancePlugin], { settings: { theme: 'plain', symbolPreset: 'ascii' } });
  const { look: now } = t.view.service(appearance);
  expect([now.theme, now.symbolPreset, now.colorBlindMode]).toEqual(['plain', 'ascii', false]);
});

test('what is set later shows at once: by a plugin, and by an editor', async () => {
  await using house = await openHouse({ x: '' });
  await Promise.all([house.view.use(appearance).load(), house.view.use(settings).load()]);
  const service: Appearance = house.view.service(appearance);
  expect(service.look.sign('done')).toBe('✓');
  house.view.service(settings).set('symbolPreset', 'ascii');
  await expect.poll(() => service.look.sign('done')).toBe('+');
  await house.view.service(settings).flush();
  await new Promise((resolve) => setTimeout(resolve, 700)); // the first look of the watcher
  writeFileSync(path.join(house.home, 'config.yml'), 'symbolPreset: nerd\ncolorBlindMode: true\n');
  await expect.poll(() => service.look.colorBlindMode, { timeout: 10_000 }).toBe(true);
  expect(service.look.symbolPreset).toBe('nerd');
}, 30_000);

test('the settings are known while the plugin sleeps: listed, checked, and strange to nobody', async () => {
  await using desk = await openDesk({ x: '' });
  expect((await desk.kern('config', 'set', 'theme', 'dark')).code).toBe(0);
  expect((await desk.kern('config', 'set', 'theme', 'pink')).err).toContain('auto, dark, light, plain');
  const { out, err } = await desk.kern('config');
  expect(out).toMatch(/^theme\s+dark$/m);
  expect(err).toBe('');
});
