import { codeOf, KernError, nearNames } from 'kern/plugin';
import { modelNamed } from './catalog/models.ts';
import {
  type Model,
  type ModelRole,
  modelProblems,
  modelRoles,
  type ResolvedModel,
  type ThinkingLevel,
  thinkingLevels,
} from './contract.ts';
import { splitModelId } from './describe.ts';
import { isGlob, namePattern } from './names.ts';
import { isOtherVersion, meant, pick } from './pick.ts';
import { roleModel } from './roles.ts';
import {
  allModels,
  firstAvailable,
  modelAt,
  modelsAt,
  modelsOf,
  type Place,
  type Source,
  sourceNamed,
  sourcesOf,
  usable,
} from './sources.ts';

/** What a person wrote, or nothing: then the settings say, and else the first model that can be used. */
export async function find(
  place: Place,
  wanted: string | undefined,
  signal: AbortSignal | undefined,
): Promise<ResolvedModel> {
  const said = wanted?.trim() || textSetting(place, 'model');
  if (said !== undefined) return named(place, said, signal);
  const chosen = await roleModel(place, 'default', signal, undefined, (name) => named(place, name, signal));
  return chosen ?? found(await firstAvailable(place, signal));
}

/** The model of a role; undefined where there is no model at all. */
export async function forRole(
  place: Place,
  role: ModelRole,
  signal: AbortSignal | undefined,
  beside: Model | undefined,
): Promise<ResolvedModel | undefined> {
  const chosen = await roleModel(place, role, signal, beside, (name) => named(place, name, signal, [role]));
  if (chosen !== undefined || role !== 'default') return chosen;
  if (beside !== undefined) return found(beside);
  return find(place, undefined, signal).catch((error: unknown) => {
    if (codeOf(error) === 'no_model') return undefined;
    throw error;
  });
}

/** What can be used and is to be offered, in order. */
export async function choices(place: Place, signal: AbortSignal | undefined): Promise<readonly Model[]> {
  const all = await allModels(place, signal);
  const usable = (enabled(place, all) ?? all).filter(({ available }) => available);
  for (const name of enabledNames(place))
    if (!all.some(namePattern(withoutLevel(name).head))) place.complain(`enabledModels: no model is called ${name}`);
  return usable;
}

/** `provider/model`, to the letter. */
export async function exactly(place: Place, id: string, signal: AbortSignal | undefined): Promise<Model> {
  const parts = splitModelId(id);
  const source = parts === undefined ? undefined : await sourceNamed(place, parts.provider, signal);
  if (parts === undefined) throw await unknown(place, id, undefined, signal);
  if (source === undefined) throw await noProvider(place, id, signal);
  const model = await modelAt(place, source, parts.model);
  if (model === undefined) throw await unknown(place, id, source, signal);
  return usable(model, source);
}

export function textSetting(place: Place, key: string): string | undefined {
  const value = place.setting(key);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

const found = (model: Model, thinking?: ThinkingLevel, notice?: string): ResolvedModel => ({ model, thinking, notice });

/** A name, also of a role. `asked` are the roles that led here. */
async function named(
  place: Place,
  said: string,
  signal: AbortSignal | undefined,
  asked: readonly ModelRole[] = [],
): Promise<ResolvedModel> {
  // A file's name is not to be understood, but opened.
  if (said.startsWith('script/')) return found(await exactly(place, said, signal));
  const { head, thinking } = withoutLevel(said);
  const role = modelRoles.find((one) => one === head);
  if (role !== undefined && !asked.includes(role)) {
    const next = (name: string) => named(place, name, signal, [...asked, role]);
    const chosen =
      (await roleModel(place, role, signal, undefined, next)) ?? found(await firstAvailable(place, signal));
    return thinking === undefined ? chosen : { ...chosen, thinking };
  }
  const parts = splitModelId(said);
  const source = parts === undefined ? undefined : await sourceNamed(place, parts.provider, signal);
  if (parts !== undefined && source !== undefined) return atProvider(place, source, parts.model, signal);
  // What stands before a slash decides whose server reads the conversation, and with which key.
  if (head.includes('/') && !isGlob(parts?.provider ?? '')) throw await noProvider(place, head, signal);
  return anywhere(place, said, signal);
}

/** `sonnet:high` says how long it is to think. */
function withoutLevel(said: string): { readonly head: string; readonly thinking: ThinkingLevel | undefined } {
  const colon = said.lastIndexOf(':');
  const thinking = thinkingLevels.find((level) => level === said.slice(colon + 1));
  return colon > 0 && thinking !== undefined
    ? { head: said.slice(0, colon), thinking }
    : { head: said, thinking: undefined };
}

async function atProvider(
  place: Place,
  source: Source,
  name: string,
  signal: AbortSignal | undefined,
): Promise<ResolvedModel> {
  const id = `${source.item.id}/${name}`;
  const { head, thinking } = withoutLevel(name);
  const isListed = source.item.catalog?.() !== undefined;
  if (!isListed && !isGlob(head)) {
    const model = await modelAt(place, source, head);
    if (model === undefined) throw await unknown(place, id, source, signal);
    return found(usable(model, source), thinking);
  }
  const models = await modelsAt(place, source, signal);
  const exact = modelNamed(models, name);
  if (exact !== undefined) return found(usable(exact, source));
  const picked = pick(head, enabled(place, models) ?? models);
  if (picked.found === 'many') throw ambiguous(id, picked.candidates);
  if (picked.found === 'one' && (picked.isExact || !isOtherVersion(head, picked.model)))
    return found(usable(picked.model, source), thinking);
  const model = isGlob(head) ? undefined : await modelAt(place, source, head);
  if (model === undefined) throw await unknown(place, id, source, signal);
  return found(usable(model, source), thinking);
}

async function anywhere(place: Place, said: string, signal: AbortSignal | undefined): Promise<ResolvedModel> {
  const all = await allModels(place, signal);
  const models = enabled(place, all) ?? all;
  const { head, thinking } = withoutLevel(said);
  const whole = thinking === undefined ? undefined : pick(said, models);
  const isWhole = whole?.found === 'one' && whole.isExact;
  const picked = isWhole ? whole : pick(head, models);
  if (picked.found === 'many') throw ambiguous(said, picked.candidates);
  if (picked.found === 'none') {
    if (pick(head, all).found === 'none') throw await unknown(place, said, undefined, signal);
    throw new KernError('model_unknown', `${said}: the setting enabledModels leaves out what is called that`, {
      hint: 'give the whole name, provider/model, or add it to enabledModels',
    });
  }
  const source = await sourceNamed(place, picked.model.provider, signal);
  const model = source === undefined ? picked.model : usable(picked.model, source);
  return found(model, isWhole ? undefined : thinking);
}

/** Those that `enabledModels` names, in its order; undefined where it names none of these, or is not set. */
export function enabled(place: Place, models: readonly Model[]): readonly Model[] | undefined {
  const chosen = new Set<Model>();
  for (const name of enabledNames(place))
    for (const model of models.filter(namePattern(withoutLevel(name).head))) chosen.add(model);
  return chosen.size === 0 ? undefined : [...chosen];
}

function enabledNames(place: Place): readonly string[] {
  const setting = place.setting('enabledModels');
  return Array.isArray(setting)
    ? setting.filter((name): name is string => typeof name === 'string' && name !== '')
    : [];
}

function ambiguous(said: string, candidates: readonly Model[]): KernError {
  const names = candidates.map(({ id }) => id);
  const shown = names.slice(0, 12);
  const more = names.length > shown.length ? ` and ${names.length - shown.length} more` : '';
  return new KernError('model_ambiguous', `${said} may be ${shown.join(', ')}${more}`, {
    hint: `say which: ${shown[0]}`,
  });
}

async function noProvider(place: Place, id: string, signal: AbortSignal | undefined): Promise<KernError> {
  const provider = id.slice(0, Math.max(0, id.indexOf('/')));
  const sources = await sourcesOf(place, signal);
  const ids = sources.map(({ item }) => item.id);
  const problems = place.use(modelProblems);
  await problems.load(signal);
  const mistakes = problems.items().filter((one) => one.provider === undefined || one.provider === provider);
  if (mistakes.length > 0) {
    const texts = mistakes.map(({ text }) => text).join('; ');
    return new KernError('model_unknown', `${id}: no such provider ${provider}: ${texts}`, {
      hint: `mend that; the providers that are there: ${someOf(ids)}`,
    });
  }
  const asked = sources.filter(({ item }) => item.probes !== true);
  const known = await modelsOf(place, asked, signal);
  const resold = known.filter(({ model }) => model.toLowerCase() === id.toLowerCase());
  const ways = [
    resold.slice(0, 3).map((model) => model.id),
    nearNames(
      id,
      known.map((model) => model.id),
    ),
    nearNames(provider, ids),
  ];
  const near = ways.find(({ length }) => length > 0) ?? [];
  return new KernError('model_unknown', `${id}: no such provider ${provider}; providers: ${someOf(ids)}`, {
    hint:
      near.length > 0
        ? `did you mean ${near.join(', ')}?`
        : 'see `kern models list`; models.yml describes providers of your own',
  });
}

async function unknown(
  place: Place,
  id: string,
  source: Source | undefined,
  signal: AbortSignal | undefined,
): Promise<KernError> {
  const sources = source === undefined ? await sourcesOf(place, signal) : [source];
  const asked = sources.filter(({ item }) => item.probes !== true);
  const models = await modelsOf(place, asked, signal);
  const known = models.map((model) => model.id);
  const ways = [
    known.filter((name) => !id.includes('/') && name.endsWith(`/${id}`)).slice(0, 3),
    nearNames(id, known),
    meant(id, models).slice(0, 3),
  ];
  const near = ways.find(({ length }) => length > 0) ?? [];
  const some = someOf(sources.map(({ item }) => item.id));
  const what = splitModelId(id) === undefined ? 'no model is called that' : `no such model; the providers are ${some}`;
  const hint = near.length > 0 ? `did you mean ${near.join(', ')}?` : 'see `kern models list`';
  return new KernError('model_unknown', `${id}: ${what}`, { hint });
}

function someOf(ids: readonly string[]): string {
  return ids.length > 12 ? `${ids.slice(0, 12).join(', ')} and ${ids.length - 12} more` : ids.join(', ');
}
