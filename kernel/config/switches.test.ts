import { expect, test } from 'vitest';
import type { Layer, LayerName } from './layers.ts';
import { emptyMap, nodeOf } from './node.ts';
import { itemSwitch, pluginSwitch, providerSwitch, switchProblems } from './switches.ts';

const order: readonly LayerName[] = ['user', 'project', 'overlay', 'environment', 'flags'];

/** Layers with this content, weakest first. */
function layers(content: Partial<Record<LayerName, Record<string, unknown>>>): readonly Layer[] {
  return order.map((name) => {
    const root = nodeOf(content[name] ?? {}, 7);
    return { name, file: `/${name}.yml`, root: root.kind === 'map' ? root : emptyMap };
  });
}

test('a plugin is on until someone switches it off, and it is said who', () => {
  expect(pluginSwitch(layers({}), 'x', 'user')).toMatchObject({ on: true, origin: { layer: 'default' } });
  expect(pluginSwitch(layers({ user: { plugins: { x: false } } }), 'x', 'builtin')).toEqual({
    on: false,
    by: 'plugins.x: false in /user.yml:7',
    origin: { layer: 'user', file: '/user.yml', line: 7 },
  });
  expect(pluginSwitch(layers({ user: { plugins: { x: { enabled: false, a: 1 } } } }), 'x', 'user')).toMatchObject({
    on: false,
    by: 'plugins.x.enabled: false in /user.yml:7',
  });
});

test('settings alone switch nothing', () => {
  expect(
    pluginSwitch(layers({ user: { plugins: { x: false } }, overlay: { plugins: { x: { a: 1 } } } }), 'x', 'user').on,
  ).toBe(false);
});

test('the strongest word of the person counts', () => {
  expect(
    pluginSwitch(layers({ user: { plugins: { x: false } }, flags: { plugins: { x: true } } }), 'x', 'user').on,
  ).toBe(true);
  expect(
    pluginSwitch(layers({ user: { plugins: { x: true } }, overlay: { plugins: { x: false } } }), 'x', 'user').on,
  ).toBe(false);
});

test.each(['builtin', 'user', 'session'] as const)('a project switches nothing of level %s', (level) => {
  const project = {
    plugins: { x: false },
    providers: { p: false, q: { priority: 9 } },
    disabledProviders: ['r'],
    disabledItems: ['skill:a'],
  };
  const all = layers({ project });
  expect(pluginSwitch(all, 'x', level).on).toBe(true);
  for (const id of ['p', 'r']) expect(providerSwitch(all, id, level, true).on).toBe(true);
  expect(providerSwitch(all, 'q', level, true).priority).toBeUndefined();
  expect(itemSwitch(all, 'skill:a', level).on).toBe(true);
});

test('a project switches what it brought', () => {
  const project = {
    plugins: { x: false },
    providers: { p: false, q: { priority: 9 } },
    disabledProviders: ['r'],
    disabledItems: ['skill:a'],
  };
  const all = layers({ project });
  expect(pluginSwitch(all, 'x', 'project').on).toBe(false);
  for (const id of ['p', 'r']) expect(providerSwitch(all, id, 'project', true).on).toBe(false);
  expect(providerSwitch(all, 'q', 'project', true).priority).toBe(9);
  expect(itemSwitch(all, 'skill:a', 'project')).toMatchObject({
    on: false,
    by: 'disabledItems: [skill:a] in /project.yml:7',
  });
});

test('what a person switched off no project switches on', () => {
  const all = layers({
    user: { plugins: { x: false }, disabledProviders: ['p'], providers: { q: { priority: 1 } } },
    project: { plugins: { x: true }, enabledProviders: ['p'], providers: { q: { priority: 9 } } },
  });
  expect(pluginSwitch(all, 'x', 'project').on).toBe(false);
  expect(providerSwitch(all, 'p', 'project', true).on).toBe(false);
  expect(providerSwitch(all, 'q', 'project', true).priority).toBe(1);
});

test('a provider is switched as a whole or at one level', () => {
  const all = layers({
    user: {
      providers: { claude: { user: false }, codex: { enabled: false, project: true }, cursor: false },
      disabledProviders: ['gemini:project'],
      enabledProviders: ['pi'],
    },
  });
  const on = (id: string, byItself = true): boolean[] => [
    providerSwitch(all, id, 'user', byItself).on,
    providerSwitch(all, id, 'project', byItself).on,
  ];
  expect(on('claude')).toEqual([false, true]);
  expect(on('codex')).toEqual([false, true]);
  expect(on('cursor')).toEqual([false, false]);
  expect(on('gemini')).toEqual([true, false]);
  expect(on('pi', false)).toEqual([true, true]);
  expect(on('other', false)).toEqual([false, false]);
});

test('a stronger layer speaks for one level and leaves the other', () => {
  const all = layers({
    user: { providers: { claude: false } },
    overlay: { providers: { claude: { project: true, priority: 3 } } },
  });
  expect(providerSwitch(all, 'claude', 'project', true)).toMatchObject({ on: true, priority: 3 });
  expect(providerSwitch(all, 'claude', 'user', true)).toMatchObject({
    on: false,
    by: 'providers.claude: false in /user.yml:7',
  });
});

test('disabled beats enabled within a layer', () => {
  const all = layers({ user: { disabledProviders: ['x'], enabledProviders: ['x'] } });
  expect(providerSwitch(all, 'x', 'user', true).on).toBe(false);
});

test('code of a provider runs only where a person says so, whatever a project says', () => {
  const code = (content: Parameters<typeof layers>[0]): boolean[] =>
    (['user', 'project'] as const).map((level) => providerSwitch(layers(content), 'pi', level, true).code);
  expect(code({ user: { providers: { pi: true } } })).toEqual([false, false]);
  expect(code({ user: { providers: { pi: { code: true } } } })).toEqual([true, true]);
  expect(code({ project: { providers: { pi: { code: true } } } })).toEqual([false, false]);
  expect(code({ user: { providers: { pi: { code: false } } }, flags: { providers: { pi: { code: true } } } })).toEqual([
    true,
    true,
  ]);
});

test('a bad switch is named and switches nothing', () => {
  const [user] = layers({
    user: {
      plugins: { a: 'off', b: { enabled: 'no', c: 'fine' }, d: null },
      providers: { e: [], f: { priority: 'high', user: 1 } },
      disabledItems: [1],
      enabledProviders: 'x',
      disabledProviders: ['y'],
    },
  });
  if (user === undefined) throw new Error('no layer');
  expect(
    switchProblems(user)
      .map(({ key, message }) => `${key}: ${message}`)
      .toSorted(),
  ).toEqual([
    'disabledItems: expected a list of texts, got [1]',
    'enabledProviders: expected a list of texts, got "x"',
    'plugins.a: expected true, false or a map of settings, got "off"',
    'plugins.b.enabled: expected true or false, got "no"',
    'providers.e: expected true, false or { enabled, priority, user, project, code }, got []',
    'providers.f.priority: expected a number, got "high"',
    'providers.f.user: expected true or false, got 1',
  ]);
  for (const id of ['a', 'b', 'd']) expect(pluginSwitch([user], id, 'user').on).toBe(true);
  expect(providerSwitch([user], 'f', 'user', true)).toEqual({ on: true, code: false, origin: { layer: 'default' } });
});
