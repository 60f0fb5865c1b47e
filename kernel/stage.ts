import { Activation, type PluginUnit } from './activation.ts';
import { brokenOff } from './broken-off.ts';
import type { Core } from './core.ts';
import { applySettings } from './effects.ts';
import { KernError, PluginError } from './error.ts';
import { within } from './limit.ts';
import type { Staging } from './offering.ts';
import type { View } from './plugin.ts';
import { createScope } from './scope.ts';

export interface StageOptions {
  readonly staging: Staging;
  readonly limitMs: number;
  readonly onFree: (activation: Activation) => void;
  /** A keeper with bad settings fails; anyone else loses only the bad value. */
  readonly isKeeper: boolean;
}

/** Runs `setup` into an activation that no table knows. What fails, fails with the plugin's name; the caller disposes. */
export async function stage(
  core: Core,
  unit: PluginUnit,
  options: StageOptions,
  made: (activation: Activation) => void,
): Promise<Activation> {
  const activation = new Activation(unit, options.onFree);
  made(activation);
  const started = performance.now();
  const config = configOf(core, unit, options.isKeeper);
  const scope = createScope(core, activation, { config, staging: options.staging });
  activation.scope = scope;
  await step(core, activation, 'setup', options.limitMs, core.outlook, () => unit.definition.setup(scope));
  activation.startMs += performance.now() - started;
  return activation;
}

/** Runs what `setup` left for the start, looking through the snapshot it will be part of. */
export async function start(core: Core, activation: Activation, view: View, limitMs: number): Promise<void> {
  const started = performance.now();
  for (const fn of activation.starters) await step(core, activation, 'start', limitMs, view, fn);
  applySettings(core, activation, view);
  activation.startMs += performance.now() - started;
}

async function step(
  core: Core,
  activation: Activation,
  at: string,
  limitMs: number,
  view: View,
  fn: () => unknown,
): Promise<void> {
  try {
    // A plugin of ours that loops would be seen at once; of another it must not stop the run that it joins.
    const isOurs = activation.level === 'builtin';
    const work = core.owners.run({ activation, view }, async () => (isOurs ? fn() : unlessStuck(at, limitMs, fn)));
    await within(core.clock, limitMs, work, () => {
      throw late(at, `took longer than ${limitMs} ms`, 'do slow work after the start, or when it is first needed');
    });
  } catch (error) {
    throw new PluginError(activation.id, at, error);
  }
}

function unlessStuck(at: string, limitMs: number, fn: () => unknown): unknown {
  return brokenOff(limitMs, fn, () =>
    late(at, `gave nobody else a turn for ${limitMs} ms, and was broken off`, 'look for a loop that does not end'),
  );
}

const late = (at: string, what: string, hint: string): KernError =>
  new KernError('setup_late', `${at} ${what}`, { hint });

function configOf(core: Core, unit: PluginUnit, isKeeper: boolean): unknown {
  const { id, config, settings, replaces } = unit.definition;
  const { failure } = core.settings.plugin(id, unit.level);
  if (failure !== undefined) throw badConfig(failure);
  if (settings !== undefined) core.settings.declare?.({ id, level: unit.level, replaces }, settings);
  if (config === undefined) return undefined;
  const read = core.settings.configure(id, unit.level, config, isKeeper);
  if ('failure' in read) throw badConfig(read.failure);
  for (const problem of read.problems)
    core.journal.add(id, 'warning', 'config_bad_value', `${problem}; it is left out`);
  return read.value;
}

const badConfig = (message: string): KernError =>
  new KernError('config_bad_value', message, { hint: 'correct it; `kern config list` shows where it stands' });
