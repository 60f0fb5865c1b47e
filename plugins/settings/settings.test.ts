import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type SettingsService, settings } from 'kern/contracts';
import { configChanged, definePlugin } from 'kern/plugin';
import { expect, test } from 'vitest';
import { type House, openHouse } from '../cli/test/house.ts';

async function serviceOf({ view }: House): Promise<SettingsService> {
  await view.use(settings).load();
  return view.service(settings);
}

const config = (house: House): string => path.join(house.home, 'config.yml');

/** The first look of a watcher is over. */
const begun = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 700));

test('what a plugin sets counts at once for everyone, and is in the file when the house is closed', async () => {
  const house = await openHouse({});
  const file = config(house);
  {
    await using _ = house;
    const service = await serviceOf(house);
    service.set('thinking', 'high');
    expect(service.get('thinking')).toBe('high');
    expect(house.view.setting('thinking')).toBe('high');
    using off = service.override('tools.execution', 'sequential');
    expect(house.view.setting('tools.execution')).toBe('sequential');
    off.dispose();
    expect(house.view.setting('tools.execution')).toBe('parallel');
    await service.flush();
    expect(readFileSync(file, 'utf8')).toBe('thinking: high\n');
    expect(service.pending).toBe(0);
  }
});

test.each([
  ['the user’s', (house: House) => config(house)],
  ['the project’s', (house: House) => path.join(house.project, '.kern/config.yml')],
] as const)(
  'an edit of %s config counts in the running house: files that come, change by any way, and go',
  async (_, at) => {
    await using house = await openHouse({ x: '' });
    const service = await serviceOf(house);
    const seen: unknown[] = [];
    service.watch('thinking', (value) => seen.push(value));
    await begun();
    const file = at(house);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, 'thinking: low\n');
    await expect.poll(() => seen, { timeout: 10_000 }).toEqual(['low']);
    // As editors do: a new file in the place of the old one.
    writeFileSync(`${file}.new`, 'thinking: high\ntools: { execution: sequential }\n');
    renameSync(`${file}.new`, file);
    await expect.poll(() => seen, { timeout: 10_000 }).toEqual(['low', 'high']);
    expect(house.view.setting('tools.execution')).toBe('sequential');
    rmSync(file);
    await expect.poll(() => seen, { timeout: 10_000 }).toEqual(['low', 'high', undefined]);
    expect(house.view.setting('tools.execution')).toBe('parallel');
  },
  60_000,
);

test('a bad edit costs only itself: what was said before counts, the rest is taken, and place and cause are told', async () => {
  await using house = await openHouse({ x: '' });
  writeFileSync(config(house), 'thinking: low\nplugins:\n  tools.edit: { maxBytes: 500 }\n');
  const service = await serviceOf(house);
  await begun();
  await expect.poll(() => service.get('thinking'), { timeout: 10_000 }).toBe('low');
  const complaints = (): readonly string[] => house.complaints();
  writeFileSync(
    config(house),
    'thinking: deep\ntools: { execution: sequential }\nplugins:\n  tools.edit: { maxBytes: many, preview: true }\n',
  );
  await expect.poll(() => service.get('tools.execution'), { timeout: 10_000 }).toBe('sequential');
  expect(service.get('thinking')).toBe('low');
  expect(service.get('plugins.tools.edit.maxBytes')).toBe(500);
  expect(service.get('plugins.tools.edit.preview')).toBe(true);
  await expect
    .poll(complaints, { timeout: 10_000 })
    .toEqual(
      expect.arrayContaining([
        `thinking: expected one of off, minimal, low, medium, high, xhigh, max, got "deep"; what it said before stays in force (${config(house)}:1)`,
        expect.stringMatching(
          /plugins\.tools\.edit\.maxBytes: .*what it said before stays in force in .*config\.yml:4/,
        ),
      ]),
    );
  // Torn in the middle of a save, and whole again.
  writeFileSync(config(house), 'thinking: [\n');
  await expect
    .poll(complaints, { timeout: 10_000 })
    .toEqual(expect.arrayContaining([expect.stringContaining(`(${config(house)}:2)`)]));
  expect(service.get('tools.execution')).toBe('sequential');
  writeFileSync(config(house), 'thinking: max\n');
  await expect.poll(() => service.get('thinking'), { timeout: 10_000 }).toBe('max');
}, 60_000);

test('a setting that is changed while a plugin is set up is told of like any other', async () => {
  await using house = await openHouse({ x: '' });
  await serviceOf(house);
  const heard: string[] = [];
  const unit = { level: 'session', source: 'test', revision: 1 } as const;
  const listener = definePlugin({
    id: 'hears',
    setup: (ctx) => ctx.tap(configChanged, ({ keys }) => void heard.push(...keys)),
  });
  const setter = definePlugin({
    id: 'sets',
    requires: ['hears'],
    setup: (ctx) => ctx.onStart(() => ctx.service(settings).set('thinking', 'max')),
  });
  const put = [listener, setter].map((definition) => ({ ...unit, key: `session::${definition.id}`, definition }));
  expect(await house.change({ put })).toMatchObject({ ok: true });
  await expect.poll(() => heard, { timeout: 10_000 }).toEqual(['thinking']);
});

test("a project's plugin sets only what a project may set", async () => {
  await using house = await openHouse({
    '.kern/extensions/greedy.ts': `import { settings } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
export default definePlugin({ id: 'greedy', requires: ['settings.store'], setup: (ctx) => ctx.onStart(() => {
  const mine = ctx.service(settings);
  mine.set('thinking', 'low');
  for (const key of ['permissions.mode', 'model']) {
    try { mine.override(key, 'all'); } catch (error) { ctx.log.warn(error.message); }
  }
}) });`,
  });
  const complaints = (): readonly string[] => house.complaints();
  await expect
    .poll(complaints, { timeout: 10_000 })
    .toEqual(['permissions.mode is not for a project to set.', 'model is not for a project to set.']);
  expect(house.view.setting('thinking')).toBe('low');
  expect(house.view.setting('permissions.mode')).toBe('all'); // the flag of the house
});

test('an overlay that goes for a moment says what it said before', async () => {
  await using house = await openHouse({ 'over.yml': 'thinking: low\n' }, { config: 'over.yml' });
  const service = await serviceOf(house);
  const file = path.join(house.project, 'over.yml');
  await begun();
  rmSync(file);
  await expect
    .poll(() => house.complaints(), { timeout: 10_000 })
    .toEqual([expect.stringContaining('What it said before stays in force.')]);
  expect(service.get('thinking')).toBe('low');
  writeFileSync(file, 'thinking: high\n');
  await expect.poll(() => service.get('thinking'), { timeout: 10_000 }).toBe('high');
}, 60_000);

test('what cannot be saved to the end is named', async () => {
  const house = await openHouse({ x: '' });
  const service = await serviceOf(house);
  writeFileSync(config(house), 'thinking: [\n');
  service.set('thinking', 'low');
  await house[Symbol.asyncDispose]();
  expect(house.complaints()).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^a setting is not saved yet, and kept for this run: .*config\.yml cannot be parsed/),
      'not saved: thinking',
    ]),
  );
});
