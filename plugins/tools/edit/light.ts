import { type AnyTool, defineTool, type Parameters, type Tool } from 'kern/contracts';
import type { Schema } from 'kern/plugin';
import type { Face } from './formats/shape.ts';

type Arguments = Readonly<Record<string, unknown>>;
type EditTool = Pick<Tool<Arguments>, 'effects' | 'execute'> & { readonly parameters: Parameters<Arguments> };

/** The tool as models see it. What edits is large, and loads with the first call. */
export function lightEdit(
  face: Face,
  rest: Pick<AnyTool, 'executionMode' | 'deferrable'>,
  load: () => Promise<EditTool>,
) {
  let loaded: EditTool | undefined;
  const whole = async (): Promise<EditTool> => {
    loaded ??= await load();
    return loaded;
  };
  const parameters: Schema<Arguments> = {
    '~standard': { validate: async (args) => (await whole()).parameters['~standard'].validate(args) },
  };
  return defineTool<Arguments>({
    ...face,
    ...rest,
    parameters,
    // Asked after the arguments were validated. Of what was not, nothing is known: that is everything.
    effects: (args, where) => loaded?.effects?.(args, where) ?? [{ kind: 'everything' }],
    execute: async (...call) => (await whole()).execute(...call),
  });
}
