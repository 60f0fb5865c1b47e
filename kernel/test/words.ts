import { z } from 'zod';
import { defineCapability } from '../capability.ts';
import { decide, event, gather, resolve, series, transform } from '../hook.ts';
import type { Kernel } from '../kernel.ts';
import { type Context, definePlugin, type PluginDefinition } from '../plugin.ts';

export interface Word {
  readonly word: string;
  readonly by: string;
}

/** A kind of thing, and a hook of each kind, for tests of the kernel. */
export const words = defineCapability<Word>({
  id: 'word',
  schema: z.object({ word: z.string().min(1), by: z.string() }),
  key: ({ word }) => word,
});

export interface Saying {
  readonly text: string;
}

const blocked = z.object({ block: z.string() });

export const said = event<Saying>({ id: 'said' });
export const begun = series<Saying>({ id: 'begun' });
export const shout = transform<Saying>({ id: 'shout' });
export const sweep = gather<Saying, string>({ id: 'sweep' });
export const pick = resolve<Saying, string>({ id: 'pick' });
export const opinion = decide<Saying, { block: string }>({ id: 'opinion', answer: blocked });
export const veto = decide<Saying, { block: string }>({
  id: 'veto',
  answer: blocked,
  guard: { deny: (reason) => ({ block: reason }) },
});
export const kept = decide<Saying, { block: string }>({
  id: 'kept',
  answer: blocked,
  guard: { keeper: 'keeper', deny: (reason) => ({ block: reason }) },
});

/** The plugin whose contract they are. */
export const owner: PluginDefinition = definePlugin({
  id: 'owner',
  declares: [words, said, begun, shout, sweep, pick, opinion, veto, kept],
  setup: () => undefined,
});

/** A plugin in a word. */
export function plugin(
  id: string,
  setup: (ctx: Context) => unknown = () => undefined,
  rest: Omit<PluginDefinition, 'id' | 'setup'> = {},
): PluginDefinition {
  // Its config, if any, is of no interest here.
  return { ...rest, id, setup: setup as PluginDefinition['setup'] };
}

/** A plugin that contributes words. */
export const speaker = (id: string, ...said: readonly string[]): PluginDefinition =>
  plugin(id, (ctx) => {
    for (const word of said) ctx.contribute(words, { word, by: id });
  });

/** The words there are, with who won them, in order. */
export const wordsOf = (kernel: Kernel): readonly string[] =>
  kernel.outlook
    .use(words)
    .items()
    .map(({ word, by }) => `${word} of ${by}`);

/** Every activation there ever was is live, draining or disposed. */
export function isBalanced({ counts }: Kernel): boolean {
  return counts.created - counts.disposed === counts.live + counts.draining;
}
