import { decide, definePlugin, event, Kernel, type PluginDefinition, transform, type View } from 'kern/plugin';
import { z } from 'zod';
import type { Ground } from './ground.ts';
import { interleaved } from './median.ts';
import type { Table } from './table.ts';

const taps = 10;
const calls = 2_000;

interface Said {
  readonly text: string;
}

const told = event<Said>({ id: 'bench.told' });
const changed = transform<Said>({ id: 'bench.changed' });
const refused = decide<Said, string>({ id: 'bench.refused', answer: z.string() });

/** One call of a hook that ten plugins tap, in a kernel of its own in this process. */
export async function hook(ground: Ground): Promise<Table> {
  const where = { cwd: ground.root, root: ground.root, home: ground.root };
  const kernel = new Kernel({ where });
  try {
    const plugins = [declaring, ...Array.from({ length: taps }, (_, nth) => tapping(`bench.tap-${nth}`))];
    const put = plugins.map((definition) => unit(definition as PluginDefinition));
    const booted = await kernel.change({ put });
    if (!booted.ok) throw booted.error;
    using view = kernel.view();
    return await measured(view, ground.runs);
  } finally {
    await kernel.shutdown();
  }
}

const declaring = definePlugin({
  id: 'bench.hooks',
  declares: [told, changed, refused],
  setup: () => undefined,
});

function tapping(id: string): PluginDefinition<undefined> {
  return definePlugin({
    id,
    setup: (ctx) => {
      ctx.tap(told, () => undefined);
      ctx.tap(changed, (value) => value);
      ctx.tap(refused, () => undefined);
    },
  });
}

function unit(definition: PluginDefinition) {
  return { key: `builtin::${definition.id}`, level: 'builtin' as const, source: 'kern bench', definition, revision: 1 };
}

async function measured(view: View, runs: number): Promise<Table> {
  const input: Said = { text: 'Hello.' };
  const plain = Array.from(
    { length: taps },
    () =>
      async (value: Said): Promise<Said> =>
        value,
  );
  const each = async (call: () => unknown): Promise<number> => {
    const from = performance.now();
    for (let nth = 0; nth < calls; nth += 1) await call();
    return ((performance.now() - from) * 1_000) / calls;
  };
  const samples = await interleaved(runs, {
    plain: () =>
      each(async () => {
        let value = input;
        for (const fn of plain) value = await fn(value);
        return value;
      }),
    told: () => each(() => view.call(told, input)),
    changed: () => each(() => view.call(changed, input)),
    refused: () => each(() => view.call(refused, input)),
  });
  const against = `${taps} awaited functions`;
  return {
    name: 'hook',
    title: `one call of a hook with ${taps} taps`,
    rows: [
      { label: against, unit: 'µs', samples: samples.plain },
      { label: 'event', unit: 'µs', samples: samples.told, against },
      { label: 'transform', unit: 'µs', samples: samples.changed, against },
      { label: 'decide', unit: 'µs', samples: samples.refused, against },
    ],
  };
}
