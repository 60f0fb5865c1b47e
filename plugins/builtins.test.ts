import { stubOf, tools } from 'kern/contracts';
import { bootKernel } from 'kern/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { builtins } from './index.ts';

/** All of them, live. */
async function booted() {
  const definitions = await Promise.all(builtins.map((manifest) => manifest.load()));
  return bootKernel(definitions, { keepers: 'none' });
}

let all: Awaited<ReturnType<typeof booted>> | undefined;
beforeAll(async () => {
  all = await booted();
});
afterAll(() => all?.[Symbol.asyncDispose]());

/** What a plugin really registers, read off the snapshot. */
function registered(id: string): {
  declares: string[];
  contributes: Map<string, Set<string | undefined>>;
  taps: string[];
} {
  const activation = all?.kernel.snapshot().activations.find((one) => one.id === id);
  if (activation === undefined) throw new Error(`${id} is not live`);
  const contributes = new Map<string, Set<string | undefined>>();
  for (const { capability, key } of activation.offers)
    contributes.set(capability.id, (contributes.get(capability.id) ?? new Set()).add(key));
  return {
    declares: (activation.unit.definition.declares ?? []).map((token) => token.id).sort(),
    contributes,
    taps: [...new Set(activation.taps.map((tap) => tap.hook.id))].sort(),
  };
}

test.for(builtins.map((manifest) => manifest.id))('the manifest of %s says what its setup registers', (id) => {
  const manifest = builtins.find((one) => one.id === id);
  const real = registered(id);
  expect(manifest?.declares.map((token) => token.id).sort()).toEqual(real.declares);
  expect([...(manifest?.taps ?? [])].sort()).toEqual(real.taps);
  // `*`: what there is depends on the machine, and may be nothing.
  const said = Object.entries(manifest?.contributes ?? {}).filter(
    ([capability, keys]) => keys !== '*' || real.contributes.has(capability),
  );
  expect(said.map(([capability]) => capability).sort()).toEqual([...real.contributes.keys()].sort());
  for (const [capability, keys] of said)
    if (keys !== '*') expect(new Set(keys)).toEqual(real.contributes.get(capability));
});

test('every built-in has an id of its own, and its folder is its id', () => {
  expect(new Set(builtins.map((manifest) => manifest.id)).size).toBe(builtins.length);
  for (const { id, path } of builtins) expect(path.replaceAll('/', '.')).toBe(id);
});

test('what the manifests tell of tools is what the tools are, to the byte', async () => {
  const definitions = await Promise.all(builtins.map((manifest) => manifest.load()));
  await using t = await bootKernel(definitions, { keepers: 'none' });
  const told = builtins.flatMap(({ stubs }) => (stubs?.tool ?? []) as readonly { readonly name: string }[]);
  expect(told.length).toBeGreaterThan(9);
  for (const stub of told) {
    const real = t.view.use(tools).get(stub.name);
    expect(JSON.stringify(stub), 'npm run docs brings plugins/tools/stubs.json up to date').toBe(
      JSON.stringify(real === undefined ? undefined : stubOf(real.item)),
    );
  }
});

test('the defaults of schemas that are made late are those of the schemas', async () => {
  const definitions = await Promise.all(builtins.map((manifest) => manifest.load()));
  const late = definitions.flatMap(({ id, config }) =>
    config !== undefined && 'standard' in config && 'shape' in config ? [{ id, ...config, shape: config.shape }] : [],
  );
  expect(late.length).toBeGreaterThan(1);
  for (const { id, shape, standard } of late) expect(z.object(shape as z.ZodRawShape).parse({}), id).toEqual(standard);
});
