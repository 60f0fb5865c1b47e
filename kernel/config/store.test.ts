import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { type FakeClock, fakeClock } from '../testing.ts';
import { folderWith } from '../trust/test/folder.ts';
import { type Config, loadConfig } from './config.ts';
import { SettingsStore } from './store.ts';

interface Shop {
  readonly config: Config;
  readonly store: SettingsStore;
  readonly clock: FakeClock;
  readonly file: string;
  readonly told: string[];
  text(): string;
}

/** A store over a home with this config file. */
async function shopWith(text?: string, name = 'config.yml'): Promise<Shop> {
  const home = folderWith();
  const file = path.join(home, name);
  if (text !== undefined) writeFileSync(file, text);
  const config = await loadConfig({ home });
  const clock = fakeClock();
  const told: string[] = [];
  const store = new SettingsStore({
    config,
    clock,
    failed: (error, pending) => told.push(`${pending} failed: ${String(error)}`),
    restored: () => told.push('restored'),
    stray: (error, key) => told.push(`${key}: ${String(error)}`),
  });
  onTestFinished(() => store.close());
  return { config, store, clock, file, told, text: () => readFileSync(file, 'utf8') };
}

/** The save that a timer began is through. */
async function saved({ clock, store }: Shop, ms = 200): Promise<void> {
  await clock.advance(ms);
  while (store.pending > 0) await new Promise((resolve) => setTimeout(resolve, 5));
}

test('a value counts at once, and stands in the file a moment later with the ones that came after it', async () => {
  const shop = await shopWith('# mine\nmodel: a/b # best\nstranger: 1\n');
  shop.store.set('thinking', 'high');
  expect(shop.config.get('thinking')).toMatchObject({ value: 'high', origin: { layer: 'user' } });
  expect(shop.text()).not.toContain('thinking');
  await shop.clock.advance(100);
  shop.store.set('model', 'c/d');
  shop.store.set('thinking', 'low');
  expect(shop.store.pending).toBe(2);
  await saved(shop, 100);
  expect(shop.text()).toBe('# mine\nmodel: c/d # best\nstranger: 1\nthinking: low\n');
  expect(shop.config.get('thinking')).toMatchObject({ value: 'low', origin: { line: 4 } });
});

test('what another hand wrote meanwhile stays; of a key that both wrote ours counts', async () => {
  const shop = await shopWith('model: a/b\n');
  shop.store.set('thinking', 'high');
  writeFileSync(shop.file, 'model: x/y # theirs\ntools: { execution: sequential }\nthinking: low\n');
  await shop.store.flush();
  expect(shop.text()).toBe('model: x/y # theirs\ntools: { execution: sequential }\nthinking: high\n');
  expect(shop.config.get('model').value).toBe('x/y');
  expect(shop.config.get('tools.execution').value).toBe('sequential');
});

test('JSON stays JSON, and a key that is taken out is gone at once', async () => {
  const shop = await shopWith('{\n    "model": "a/b",\n    "thinking": "low"\n}\n', 'config.json');
  shop.store.unset('thinking');
  expect(shop.config.get('thinking').value).toBeUndefined();
  shop.store.set(['plugins', 'hello'], false);
  await shop.store.flush();
  expect(shop.text()).toBe('{\n    "model": "a/b",\n    "plugins": {\n        "hello": false\n    }\n}\n');
});

test('a bad value and an unknown key are refused at once, and nothing of them is kept', async () => {
  const { store, config, file } = await shopWith();
  expect(() => store.set('thinking', 'deep')).toThrow('expected one of off, minimal');
  expect(() => store.set('thinkin', 'low')).toThrow('Did you mean thinking?');
  expect(() => store.override('thinking', 3)).toThrow('expected one of');
  expect(() => store.set('model', 'a/b', 'project')).toThrow('not for a project');
  expect(() => store.unset('permissions.mode', 'project')).toThrow('not for a project');
  expect(store.pending).toBe(0);
  expect(config.get('thinking').value).toBeUndefined();
  await store.flush();
  expect(existsSync(file)).toBe(false);
});

test('an override is above every layer, for this process only, and ends with its handle', async () => {
  const shop = await shopWith('thinking: low\n');
  const first = shop.store.override('thinking', 'high');
  const second = shop.store.override('thinking', 'max');
  expect(shop.config.get('thinking')).toEqual({ key: 'thinking', value: 'max', origin: { layer: 'override' } });
  first();
  expect(shop.config.get('thinking').value).toBe('max');
  second();
  expect(shop.config.get('thinking').value).toBe('low');
  await shop.store.flush();
  expect(shop.text()).toBe('thinking: low\n');
});

test('a watcher is told of new values, whoever made them, and of nothing else', async () => {
  const shop = await shopWith('thinking: low\n');
  const seen: unknown[] = [];
  const end = shop.store.watch('thinking', (value) => seen.push(value));
  shop.store.watch('model', () => {
    throw new Error('oops');
  });
  shop.store.set('thinking', 'high');
  shop.store.set('thinking', 'high');
  shop.store.set('tools.execution', 'sequential');
  await shop.store.flush();
  writeFileSync(shop.file, 'thinking: max\nmodel: a/b\n');
  await shop.config.reload();
  const back = shop.store.override('thinking', 'off');
  back();
  end();
  shop.store.set('thinking', 'minimal');
  expect(seen).toEqual(['high', 'max', 'off', 'max']);
  expect(shop.told).toEqual(['model: Error: oops']);
  await shop.store.flush();
});

test('a broken file is not written over: that is said once, the value counts, and is saved when the file is mended', async () => {
  const shop = await shopWith('model: a/b\n');
  writeFileSync(shop.file, 'model: [\n');
  shop.store.set('thinking', 'high');
  await expect(shop.store.flush()).rejects.toMatchObject({ code: 'config_unreadable' });
  await expect(shop.store.flush()).rejects.toThrow(`${shop.file} cannot be parsed`);
  expect(shop.text()).toBe('model: [\n');
  expect(shop.told).toEqual([expect.stringContaining(`1 failed: KernError: ${shop.file} cannot be parsed`)]);
  expect(shop.config.get('thinking').value).toBe('high');
  writeFileSync(shop.file, 'model: c/d\n');
  await saved(shop, 60_000);
  expect(shop.text()).toBe('model: c/d\nthinking: high\n');
  await expect.poll(() => shop.told.at(-1)).toBe('restored');
});

test('a value that has no place in the file keeps no other from being saved', async () => {
  const shop = await shopWith('base: &b { execution: parallel }\ntools: *b\n');
  shop.store.set('tools.execution', 'sequential');
  shop.store.set('thinking', 'low');
  await expect(shop.store.flush()).rejects.toThrow('alias');
  expect(shop.text()).toContain('thinking: low');
  expect(shop.config.drafts).toEqual(['tools.execution']);
});

test('a place that cannot be written is loud, and tried again', async () => {
  const shop = await shopWith();
  mkdirSync(path.join(path.dirname(shop.file), 'config.lock', 'x'), { recursive: true });
  mkdirSync(shop.file);
  shop.store.set('thinking', 'high');
  rmSync(path.join(path.dirname(shop.file), 'config.lock'), { recursive: true });
  await expect(shop.store.flush()).rejects.toThrow('is not a config file');
  expect(shop.told).toHaveLength(1);
  rmSync(shop.file, { recursive: true });
  await shop.store.flush();
  expect(shop.text()).toBe('thinking: high\n');
  expect(shop.told.at(-1)).toBe('restored');
});

test('processes that save different keys at once lose none of them, nor the comments between', async () => {
  const home = folderWith();
  const file = path.join(home, 'config.yml');
  writeFileSync(file, '# kept\nstranger: { a: 1 } # too\n');
  const here = (name: string): string => pathToFileURL(fileURLToPath(new URL(name, import.meta.url))).href;
  const writer = (from: number): string => `
    import { loadConfig } from ${JSON.stringify(here('./config.ts'))};
    import { SettingsStore } from ${JSON.stringify(here('./store.ts'))};
    import { systemClock } from ${JSON.stringify(here('../clock.ts'))};
    const config = await loadConfig({ home: ${JSON.stringify(home)} });
    const quiet = () => {};
    const store = new SettingsStore({ config, clock: systemClock, failed: quiet, restored: quiet, stray: quiet });
    for (let at = 0; at < 10; at++) {
      store.set(['plugins', 'p' + (${from} + at)], { n: at });
      await store.flush();
    }
    if (store.pending > 0) process.exit(1);
  `;
  const run = promisify(execFile);
  await Promise.all(
    [0, 10, 20].map((from) => run(process.execPath, ['--input-type=module', '-e', writer(from)], { timeout: 60_000 })),
  );
  const text = readFileSync(file, 'utf8');
  expect(text).toMatch(/^# kept\nstranger: \{ a: 1 \} # too\n/);
  const config = await loadConfig({ home });
  for (let at = 0; at < 30; at++) expect(config.get(['plugins', `p${at}`]).value).toEqual({ n: at % 10 });
}, 90_000);
