import { Activation, type PluginUnit } from './activation.ts';
import type { Core } from './core.ts';
import { KernError, PluginError } from './error.ts';
import type { View } from './plugin.ts';
import { parse, type Schema } from './schema.ts';
import { createScope } from './scope.ts';
import type { Snapshot } from './snapshot.ts';

export interface StageOptions {
  readonly predecessor: Activation | undefined;
  readonly candidate: () => Snapshot;
  readonly limitMs: number;
  readonly onIdle: (activation: Activation) => void;
  /** A keeper with bad settings fails; anyone else loses only the bad value. */
  readonly isKeeper: boolean;
}

/** Runs `setup` into an activation that no table knows. What fails, fails with the plugin's name; the caller disposes. */
export async function stage(core: Core, unit: PluginUnit, options: StageOptions, made: (activation: Activation) => void): Promise<Activation> {
  const activation = new Activation(unit, options.onIdle);
  made(activation);
  const started = performance.now();
  const config = configOf(core, unit, options.isKeeper);
  const scope = createScope(core, activation, { config, predecessor: options.predecessor, candidate: options.candidate });
  activation.scope = scope;
  await within(core, activation, 'setup', options.limitMs, core.outlook, () => unit.definition.setup(scope));
  activation.startMs += performance.now() - started;
  return activation;
}

/** Runs what `setup` left for the start, looking through the snapshot it will be part of. */
export async function start(core: Core, activation: Activation, view: View, limitMs: number): Promise<void> {
  const started = performance.now();
  for (const fn of activation.starters) await within(core, activation, 'start', limitMs, view, fn);
  activation.startMs += performance.now() - started;
}

async function within(core: Core, activation: Activation, at: string, limitMs: number, view: View, fn: () => unknown): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const cancel = core.clock.after(limitMs, () => reject(new KernError('setup_late', `${at} took longer than ${limitMs} ms`, { hint: 'do slow work after the start, or when it is first needed' })));
  try {
    await Promise.race([core.owners.run({ activation, view, inChange: true }, async () => fn()), late]);
  } catch (error) {
    throw new PluginError(activation.id, at, error);
  } finally {
    cancel();
    late.catch(() => {});
  }
}

function configOf(core: Core, unit: PluginUnit, isKeeper: boolean): unknown {
  const schema = unit.definition.config as Schema<unknown> | undefined;
  const { id } = unit.definition;
  let { settings, failure } = core.settings.plugin(id, unit.level);
  if (failure !== undefined) throw new KernError('config_bad_value', failure, { hint: 'correct it; until then what it guards is refused' });
  if (schema === undefined) return undefined;
  for (;;) {
    const parsed = parse(schema, settings);
    if (parsed.ok) return parsed.value;
    const bad = parsed.issues.map((issue) => issue.split(/[.:]/, 1)[0] ?? '').filter((key) => key in settings);
    if (isKeeper || bad.length === 0) throw new KernError('config_bad_value', `plugins.${id}: ${parsed.issues.join('; ')}`, { hint: `\`kern config list\` shows where it stands` });
    for (const issue of parsed.issues) core.journal.add(id, 'warning', 'config_bad_value', `plugins.${id}.${issue}; the default is used`);
    settings = Object.fromEntries(Object.entries(settings).filter(([key]) => !bad.includes(key)));
  }
}

