import { expect, test } from 'vitest';
import { loadConfig } from './config/config.ts';
import { ConfigPort } from './config/port.ts';
import { trueOrFalse } from './config/schemas.ts';
import { Kernel } from './kernel.ts';
import { type DeclaredSetting, definePlugin, type PluginDefinition } from './plugin.ts';
import { bootKernel, fixedSettings } from './testing.ts';
import { folderWith, put } from './trust/test/folder.ts';

/** A plugin whose setting `bright` tells what it became. */
function lamp(seen: unknown[], more: Partial<DeclaredSetting> = {}): PluginDefinition {
  const effect = (value: unknown, { id }: { readonly id: string }): void => void seen.push(`${id}: ${value}`);
  const bright = { key: 'bright', schema: trueOrFalse, default: false, summary: 'How bright', effect, ...more };
  return definePlugin({ id: 'lamp', settings: [bright], setup: () => undefined });
}

test('what a setting stands for is done at the start, and at every new value', async () => {
  const seen: unknown[] = [];
  await using t = await bootKernel([lamp(seen)]);
  expect(seen).toEqual(['lamp: false']);
  await t.kernel.configure(fixedSettings({}, { bright: true }, 1), ['bright']);
  await t.kernel.configure(fixedSettings({}, { bright: true, model: 'a/b' }, 2), ['model']);
  expect(seen).toEqual(['lamp: false', 'lamp: true']);
});

test('an effect that fails is told with its plugin, and fails nothing else', async () => {
  const effect = (): void => {
    throw new Error('burnt out');
  };
  await using t = await bootKernel([lamp([], { effect })]);
  expect(t.result.ok).toBe(true);
  expect(t.complaints()).toEqual([expect.stringMatching(/^lamp: .*the setting bright.*burnt out/)]);
});

async function kernelWith(
  text: string,
): Promise<{ kernel: Kernel; port: ConfigPort; config: Awaited<ReturnType<typeof loadConfig>> }> {
  const home = folderWith();
  put(home, { 'config.yml': text });
  const config = await loadConfig({ home });
  const port = new ConfigPort(config);
  return { kernel: new Kernel({ where: { cwd: home, root: home, home }, settings: port }), port, config };
}

test("a stranger's setting begins with its id; then it is a setting like any other", async () => {
  const { kernel, config } = await kernelWith('lamp:\n  bright: true\nbright: true\n');
  const seen: unknown[] = [];
  const unit = (definition: PluginDefinition) =>
    ({ key: `user::${definition.id}`, level: 'user', source: 'test', revision: 1, definition }) as const;
  expect(await kernel.change({ put: [unit(lamp(seen))] })).toMatchObject({
    ok: false,
    error: { message: expect.stringContaining('the setting bright is not one of plugin lamp') },
  });
  expect(await kernel.change({ put: [unit(lamp(seen, { key: 'lamp.bright' }))] })).toMatchObject({ ok: true });
  expect(seen).toEqual(['lamp: true']);
  expect(config.get('lamp.bright')).toMatchObject({ value: true, origin: { layer: 'user', line: 2 } });
  expect(config.unknown([]).map(({ key }) => key)).toEqual(['bright']);
  await kernel.shutdown();
});

test('what takes the place of a built-in has its settings', async () => {
  const { kernel, port, config } = await kernelWith('bright: true\n');
  const seen: unknown[] = [];
  port.declare({ id: 'lamp', level: 'builtin' }, lamp([]).settings ?? []);
  kernel.introduce([{ id: 'lamp', declares: [], contributes: {}, load: async () => lamp([]) }]);
  const definition = { ...lamp(seen), replaces: 'lamp' };
  const unit = { key: 'user::lamp', level: 'user', source: 'test', revision: 1, definition } as const;
  expect(await kernel.change({ put: [unit] })).toMatchObject({ ok: true });
  expect(seen).toEqual(['lamp: true']);
  expect(config.get('bright').value).toBe(true);
  await kernel.shutdown();
});
