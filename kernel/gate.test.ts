import { expect, test } from 'vitest';
import { defineCapability } from './capability.ts';
import type { PluginDefinition } from './plugin.ts';
import { anything } from './schema.ts';
import type { SettingsPort } from './settings.ts';
import type { IdlePlugin } from './snapshot.ts';
import { kept, owner, plugin, shout, veto } from './test/words.ts';
import { bootKernel, fakeClock, fixedSettings, type TestKernel } from './testing.ts';

const input = { text: 'rm -rf /' };
const keeper = (answer: { block: string } | undefined = undefined): PluginDefinition =>
  plugin('keeper', (ctx) => ctx.tap(kept, () => answer, { order: 1000 }));
const asked = (t: TestKernel): Promise<{ block: string } | undefined> => t.call(kept, input);

test('with its keeper there, a call that nobody refuses goes through, and the keeper refuses what it will', async () => {
  await using open = await bootKernel([owner, keeper()]);
  expect(await asked(open)).toBeUndefined();
  await using shut = await bootKernel([owner, keeper({ block: 'not today' })]);
  expect(await asked(shut)).toEqual({ block: 'not today' });
});

test('with the keeper missing every guarded call is denied, whatever others say', async () => {
  await using t = await bootKernel([owner, plugin('other', (ctx) => ctx.tap(kept, () => undefined))]);
  expect(await asked(t)).toEqual({ block: 'keeper is not loaded: it is not installed' });
  expect(await t.call(veto, input)).toBeUndefined();
});

test('with the keeper failing in setup every guarded call is denied, with the reason', async () => {
  await using t = await bootKernel([owner]);
  const broken = plugin('keeper', () => {
    throw new Error('bad rules');
  });
  expect(await t.put(broken)).toMatchObject({ ok: false });
  expect(await asked(t)).toEqual({ block: 'keeper is not loaded: plugin keeper failed in setup: bad rules' });
  await t.put(keeper());
  expect(await asked(t)).toBeUndefined();
});

test('a keeper that does not tap is no keeper', async () => {
  await using t = await bootKernel([owner, plugin('keeper', (ctx) => ctx.tap(veto, () => undefined))]);
  expect(await asked(t)).toMatchObject({ block: expect.stringContaining('keeper is not loaded') });
});

test.each(['user', 'project', 'session'] as const)(
  "a %s's plugin with the id of the keeper is none, and does not load",
  async (level) => {
    await using t = await bootKernel([owner]);
    const stranger = plugin('keeper', (ctx) => ctx.tap(kept, () => undefined));
    expect(await t.put(stranger, { level })).toMatchObject({ ok: false, code: 'id_taken' });
    expect(await t.put({ ...stranger, replaces: 'keeper' }, { level })).toMatchObject({
      ok: false,
      code: 'keeper_not_replaced',
    });
    expect(await t.put({ ...stranger, id: 'other', replaces: 'keeper' }, { level })).toMatchObject({
      ok: false,
      code: 'keeper_not_replaced',
    });
    expect(await asked(t)).toEqual({ block: 'keeper is not loaded: it is not installed' });
    await t.put(keeper({ block: 'no' }));
    expect(await asked(t)).toEqual({ block: 'no' });
  },
);

test('a keeper that loads with the plugin whose hook it keeps cannot be replaced either', async () => {
  await using t = await bootKernel([]);
  const stranger = plugin('mine', (ctx) => ctx.tap(kept, () => undefined), { replaces: 'keeper' });
  const unit = (definition: PluginDefinition, level: 'builtin' | 'user') => ({
    key: `${level}::${definition.id}`,
    level,
    source: definition.id,
    definition,
    revision: 1,
  });
  const result = await t.kernel.change({
    put: [unit(owner, 'builtin'), unit(keeper(), 'builtin'), unit(stranger, 'user')],
  });
  expect(result).toMatchObject({ ok: false, plugin: 'mine', code: 'keeper_not_replaced' });
});

test('a project that switches the keeper off switches nothing off', async () => {
  const ofProject: SettingsPort = {
    ...fixedSettings({}, {}),
    plugin: (id, level) => ({
      off: id === 'keeper' && level === 'project' ? '.kern/config.yml' : undefined,
      settings: {},
    }),
  };
  await using t = await bootKernel([owner, keeper({ block: 'no' })]);
  await t.kernel.configure(ofProject, ['plugins.keeper']);
  expect(await asked(t)).toEqual({ block: 'no' });
});

test("only the person's own settings lift the gate, and putting it back closes it again", async () => {
  await using t = await bootKernel([owner, keeper({ block: 'no' })]);
  await t.kernel.configure(fixedSettings({ keeper: false }, {}, 1), ['plugins.keeper']);
  expect(await asked(t)).toBeUndefined();
  await t.kernel.configure(fixedSettings({}, {}, 2), ['plugins.keeper']);
  expect(await asked(t)).toEqual({ block: 'no' });
});

test('a keeper that is unloaded keeps a pinned turn while its five seconds last; then calls are denied there too', async () => {
  const clock = fakeClock();
  await using t = await bootKernel([owner, keeper()], { clock });
  using turn = t.view.pin();
  await t.drop('keeper');
  expect(await asked(t)).toMatchObject({ block: expect.stringContaining('keeper is not loaded') });
  expect(await turn.call(kept, input)).toBeUndefined();
  await clock.advance(5_000);
  expect(await turn.call(kept, input)).toMatchObject({ block: expect.stringContaining('keeper is not loaded') });
});

test('a keeper that requires what is not loaded says so', async () => {
  await using t = await bootKernel([
    owner,
    plugin('rules'),
    plugin('keeper', (ctx) => ctx.tap(kept, () => undefined), { requires: ['rules'] }),
  ]);
  await t.drop('rules');
  expect(await asked(t)).toEqual({ block: 'keeper is not loaded: it requires rules, which is not loaded' });
});

test('a keeper with settings that cannot be read fails; anyone else goes on with the default', async () => {
  const config = {
    '~standard': {
      validate: (value: unknown) =>
        (value as { mode?: string }).mode === 'wrong'
          ? { issues: [{ message: 'no such mode', path: ['mode'] }] }
          : { value },
    },
  };
  const settings = { keeper: { mode: 'wrong' }, other: { mode: 'wrong' } };
  await using t = await bootKernel([owner, plugin('other', undefined, { config })], { config: settings });
  expect(await t.put({ ...keeper(), config })).toMatchObject({ ok: false, code: 'config_bad_value' });
  expect(await asked(t)).toMatchObject({ block: expect.stringContaining('no such mode') });
});

test('the keeper is asked last, whatever order others ask for', async () => {
  const order: string[] = [];
  const tapping = (id: string, at: number) =>
    plugin(id, (ctx) => ctx.tap(kept, () => void order.push(id), { order: at }));
  await using t = await bootKernel([owner, tapping('keeper', 1000), tapping('late', 5000), tapping('early', -1)]);
  await asked(t);
  expect(order).toEqual(['early', 'late', 'keeper']);
});

test('nobody asks the keeper about a call that another refuses', async () => {
  let isAsked = false;
  const watching = plugin('keeper', (ctx) =>
    ctx.tap(kept, () => {
      isAsked = true;
      return undefined;
    }),
  );
  await using t = await bootKernel([
    owner,
    watching,
    plugin('policy', (ctx) => ctx.tap(kept, () => ({ block: 'never' }))),
  ]);
  expect(await asked(t)).toEqual({ block: 'never' });
  expect(isAsked).toBe(false);
});

test('a copy of the token without the guard does not open the gate', async () => {
  const { guard: _, ...bare } = kept;
  await using t = await bootKernel([owner]);
  expect(await t.call(bare as typeof kept, input)).toMatchObject({
    block: expect.stringContaining('keeper is not loaded'),
  });
});

test('a hook that nobody declares is guarded as its token says', async () => {
  await using t = await bootKernel([]);
  expect(await t.call(kept, input)).toMatchObject({ block: expect.stringContaining('keeper is not loaded') });
});

test('a keeper that sleeps is not there', async () => {
  const asleep: IdlePlugin = {
    id: 'keeper',
    declares: [],
    contributes: {},
    taps: ['kept'],
    load: async () => keeper(),
  };
  await using t = await bootKernel([owner]);
  t.kernel.introduce([asleep]);
  expect(await asked(t)).toEqual({ block: 'keeper is not loaded: it has not been woken' });
  await t.kernel.boot();
  expect(await asked(t)).toBeUndefined();
});

test("a stranger's own guarding hook is kept by a plugin of the stranger's level", async () => {
  const own = { ...kept, id: 'mine/kept', guard: { keeper: 'warden', deny: (reason: string) => ({ block: reason }) } };
  const mine = plugin('mine', undefined, { declares: [own] });
  const warden = plugin('warden', (ctx) => ctx.tap(own, () => ({ block: 'kept' })));
  await using t = await bootKernel([mine], { level: 'user' });
  expect(await t.call(own, input)).toMatchObject({ block: expect.stringContaining('warden is not loaded') });
  await t.put(warden, { level: 'project' });
  expect(await t.call(own, input)).toMatchObject({ block: expect.stringContaining('warden is not loaded') });
  await t.put(warden, { level: 'user' });
  expect(await t.call(own, input)).toEqual({ block: 'kept' });
});

test('with `keepers: none` a test of one plugin needs no keeper', async () => {
  await using t = await bootKernel([owner], { keepers: 'none' });
  expect(await asked(t)).toBeUndefined();
  // The other hooks and kinds are as they are.
  expect(await t.call(shout, input)).toEqual(input);
  expect(t.view.use(defineCapability({ id: 'none', schema: anything(), key: () => undefined })).items()).toEqual([]);
});
