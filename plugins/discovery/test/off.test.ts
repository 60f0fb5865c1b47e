import path from 'node:path';
import { discoveryFiles, type FilePort, foundCapabilities, placesTables } from 'kern/contracts';
import type { Capability } from 'kern/plugin';
import { bootKernel, type TestKernel } from 'kern/testing';
import { expect, test } from 'vitest';
import { builtins } from '../../index.ts';
import { systemPort } from '../files/port.ts';
import { createFiles } from '../files/system.ts';
import { folderWith } from './folder.ts';

type Level = 'user' | 'project';

/** Every provider, on a file system that writes down what is looked at. */
async function openEyes(user: string): Promise<TestKernel & { readonly seen: string[] }> {
  const seen: string[] = [];
  const note = (file: string): string => {
    seen.push(file);
    return file;
  };
  const port: FilePort = {
    look: (file) => systemPort.look(note(file)),
    names: (file) => systemPort.names(note(file)),
    bytes: (file, limit) => systemPort.bytes(note(file), limit),
    real: (file) => systemPort.real(note(file)),
  };
  const wanted = builtins.filter(({ id }) => id === 'discovery' || id.startsWith('discovery.'));
  const plugins = await Promise.all(wanted.map((builtin) => builtin.load()));
  const files = createFiles({ port });
  const t = await bootKernel(
    plugins.map((plugin) =>
      plugin.id === 'discovery' ? { ...plugin, setup: (ctx) => ctx.contribute(discoveryFiles, files) } : plugin,
    ),
    { user },
  );
  return Object.assign(t, { seen });
}

test('of a provider that is off nothing is looked at, and of a level that is off nothing of that level', async () => {
  using folder = folderWith();
  const at = (...names: readonly string[]): string => path.join(folder.path, ...names);
  const user = at('home');
  await using t = await openEyes(user);
  const tables = t.view.use(placesTables).items();
  expect(tables.length).toBeGreaterThan(15);
  let version = 0;
  /** What is looked at in a project of its own, where only this is on. */
  const looked = async (id: string, levels: readonly Level[]): Promise<readonly string[]> => {
    version += 1;
    const provider = (one: string, level: string) => {
      const isOn = level === 'builtin' || (one === id && levels.includes(level as Level));
      return { off: isOn ? undefined : 'off', priority: undefined };
    };
    await t.kernel.configure({ ...t.kernel.settings, version, provider }, ['providers']);
    const root = at('work', String(version));
    folder.put({ [`work/${version}/.git/HEAD`]: '' });
    const view = t.kernel.view({ cwd: root, root, home: at('kern'), user });
    t.seen.length = 0;
    await Promise.all(
      Object.values(foundCapabilities).map((kind) => view.use(kind as unknown as Capability<unknown>).load()),
    );
    return t.seen.map((file) => path.relative(folder.path, file).split(path.sep)[0] ?? '');
  };
  for (const { id, places } of tables) {
    // All that anybody might find, so that a look would not end at what is not there.
    for (const name of places.flatMap(({ path: names }) => [names].flat()).filter((name) => name.startsWith('~/'))) {
      if (/\.\w+$/.test(name)) folder.put({ [`home/${name.slice(2)}`]: '' });
      else folder.put({ [`home/${name.slice(2)}/x/y`]: '' });
    }
    expect(await looked(id, []), id).toEqual([]);
    expect(new Set(await looked(id, ['project'])), id).toEqual(new Set(['work']));
    const mine = new Set(await looked(id, ['user']));
    expect(mine.has('work'), id).toBe(false);
    const hasOwn = places.some(({ path: names }) => /^(?:~|\$KERN_HOME)\//.test([names].flat()[0] ?? ''));
    expect(mine.size > 0, id).toBe(hasOwn);
  }
}, 60_000);
