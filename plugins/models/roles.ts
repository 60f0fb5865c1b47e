import { codeOf, KernError, messageOf } from 'kern/plugin';
import type { Model, ModelRole, ResolvedModel } from './contract.ts';
import { firstAvailable, modelsAt, type Place, sourceNamed } from './sources.ts';

type Named = (name: string) => Promise<ResolvedModel>;

/**
 * The model of a role: the first that can be used of those the setting names, else the usual one for it. Undefined where
 * there is none.
 */
export async function roleModel(
  place: Place,
  role: ModelRole,
  signal: AbortSignal | undefined,
  beside: Model | undefined,
  named: Named,
): Promise<ResolvedModel | undefined> {
  const names = namesFor(place, role);
  if (names.length > 0) return firstNamed(role, names, named);
  if (role === 'commit') return roleModel(place, 'small', signal, beside, named);
  if (role === 'plan') return roleModel(place, 'slow', signal, beside, named);
  if (role === 'default') return undefined;
  const base = beside ?? (await usual(place, signal, named));
  if (base === undefined) return undefined;
  const model = role === 'small' || role === 'vision' ? await sibling(place, role, base, signal) : base;
  return { model, thinking: undefined, notice: undefined };
}

function namesFor(place: Place, role: ModelRole): readonly string[] {
  const roles = place.setting('modelRoles');
  const value = typeof roles === 'object' && roles !== null ? (roles as Record<string, unknown>)[role] : undefined;
  const names = Array.isArray(value) ? value : [value];
  return names
    .filter((name): name is string => typeof name === 'string' && name.trim() !== '')
    .map((name) => name.trim());
}

const isAway = (error: unknown): boolean =>
  ['no_model', 'model_unknown', 'model_ambiguous'].includes(codeOf(error) ?? '');

async function firstNamed(role: ModelRole, names: readonly string[], named: Named): Promise<ResolvedModel> {
  const problems: string[] = [];
  for (const name of names) {
    try {
      const chosen = await named(name);
      if (problems.length === 0) return chosen;
      const notice = `modelRoles.${role}: ${problems.join('; ')}; ${chosen.model.id} is used`;
      return { ...chosen, notice };
    } catch (error) {
      if (!isAway(error)) throw error;
      if (names.length === 1) throw error;
      problems.push(messageOf(error));
    }
  }
  throw new KernError('no_model', `modelRoles.${role}: none of its models can be used: ${problems.join('; ')}`, {
    hint: '`kern models list --available` shows what can be used now',
  });
}

/** The model of the conversation, as far as the settings say; undefined where there is none. */
async function usual(place: Place, signal: AbortSignal | undefined, named: Named): Promise<Model | undefined> {
  const set = place.setting('model');
  try {
    if (typeof set === 'string' && set.trim() !== '') return (await named(set.trim())).model;
    const chosen = await roleModel(place, 'default', signal, undefined, named);
    return chosen?.model ?? (await firstAvailable(place, signal));
  } catch (error) {
    if (isAway(error)) return undefined;
    throw error;
  }
}

async function sibling(
  place: Place,
  role: 'small' | 'vision',
  base: Model,
  signal: AbortSignal | undefined,
): Promise<Model> {
  if (role === 'vision' ? base.input.includes('image') : base.cost === null || base.cost.output === 0) return base;
  const source = await sourceNamed(place, base.provider, signal);
  const known = source === undefined ? [] : await modelsAt(place, source, signal);
  return (role === 'small' ? smallSibling(base, known) : seeingSibling(base, known)) ?? base;
}

const sameMaker = (base: Model, { vendor, available }: Model): boolean => available && vendor === base.vendor;
const priceOf = ({ cost }: Model): number => (cost === null ? Number.POSITIVE_INFINITY : cost.input + cost.output);

/**
 * A cheap model of the same maker at the same provider: no older than the major version before, with a context of some
 * size; the newest of those that cost at most twice as much as the cheapest. Undefined where none is cheaper.
 */
export function smallSibling(base: Model, known: readonly Model[]): Model | undefined {
  const oldest = Math.floor((base.generation ?? 0) / 100 - 1) * 100;
  const able = known.filter(
    (model) =>
      sameMaker(base, model) &&
      model.contextWindow >= 100_000 &&
      priceOf(model) < priceOf(base) &&
      // What is free is limited, and a batch is answered hours later.
      priceOf(model) > 0 &&
      !/batch/.test(model.model) &&
      (model.generation ?? 0) >= oldest &&
      (base.generation === undefined || model.generation !== undefined),
  );
  const least = Math.min(...able.map(priceOf));
  const cheap = able.filter((model) => priceOf(model) <= 2 * least);
  return cheap.sort((a, b) => (b.generation ?? 0) - (a.generation ?? 0) || priceOf(a) - priceOf(b))[0];
}

/** The first that sees, of the same maker if there is one. */
function seeingSibling(base: Model, known: readonly Model[]): Model | undefined {
  const seeing = known.filter(({ available, input }) => available && input.includes('image'));
  return seeing.find((model) => sameMaker(base, model)) ?? seeing[0];
}
