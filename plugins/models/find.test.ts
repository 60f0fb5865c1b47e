import { type Model, type ModelProvider, modelProviders, models } from 'kern/contracts';
import { definePlugin, type PluginDefinition } from 'kern/plugin';
import { bootKernel } from 'kern/testing';
import { expect, test } from 'vitest';
import anthropicPlugin from './anthropic/index.ts';
import authPlugin from './auth/index.ts';
import { nextModel } from './cycle.ts';
import { describeModel, type ModelFacts } from './describe.ts';
import googlePlugin from './google/index.ts';
import modelsPlugin from './index.ts';
import { generationOf } from './names.ts';
import openaiPlugin from './openai-chat/index.ts';
import scriptPlugin from './script/index.ts';
import { nothingSet, withEnvironment } from './test/environment.ts';
import { aModel } from './test/requests.ts';
import vendorsPlugin from './vendors/index.ts';

const vendors = [authPlugin, anthropicPlugin, openaiPlugin, googlePlugin, vendorsPlugin, scriptPlugin];

async function findIn(
  plugins: readonly PluginDefinition[],
  settings: Readonly<Record<string, unknown>>,
  wanted: string | undefined,
) {
  await using booted = await bootKernel([modelsPlugin, ...plugins], { settings });
  const { model, thinking, notice } = await booted.view.service(models).find(wanted);
  return { id: model.id, thinking, notice };
}

const keys = {
  ...nothingSet,
  ANTHROPIC_API_KEY: 'a',
  OPENAI_API_KEY: 'o',
  GEMINI_API_KEY: 'g',
  OPENROUTER_API_KEY: 'r',
};
const find = (wanted: string | undefined, settings: Readonly<Record<string, unknown>> = {}) =>
  withEnvironment(keys, () => findIn(vendors, settings, wanted));

interface Listed extends ModelFacts {
  readonly model: string;
}

/** A provider with these models, in a catalogue. */
function provider(id: string, list: readonly (string | Listed)[], changes: Partial<ModelProvider> = {}) {
  const all: readonly Model[] = list.map((one) => {
    const { model, ...facts } = typeof one === 'string' ? { model: one } : one;
    return describeModel(id, model, { generation: generationOf(model), ...facts });
  });
  const item: ModelProvider = {
    id,
    displayName: id,
    models: () => all,
    model: (name) => all.find(({ model }) => model === name) ?? describeModel(id, name, {}),
    catalog: () => id,
    stream: async function* () {},
    ...changes,
  };
  return definePlugin({
    id: `test.${id}`,
    requires: ['models'],
    setup: (ctx) => ctx.contribute(modelProviders, item),
  });
}

test.each([
  ['anthropic/claude-opus-5-5', 'anthropic/claude-opus-5-5'],
  ['anthropic/claude-haiku-4-5-20251001', 'anthropic/claude-haiku-4-5-20251001'],
  ['anthropic/sonnet', 'anthropic/claude-sonnet-5-5'],
  ['anthropic/opus 5', 'anthropic/claude-opus-5'],
  ['anthropic/claude-opus-9', 'anthropic/claude-opus-9'],
  ['anthropic/claude-sonnet-4', 'anthropic/claude-sonnet-4'],
  ['sonnet', 'anthropic/claude-sonnet-5-5'],
  ['Opus 5', 'anthropic/claude-opus-5'],
  ['opus 4', 'anthropic/claude-opus-4-8'],
  ['opus5', 'anthropic/claude-opus-5'],
  ['claude haiku', 'anthropic/claude-haiku-5-5'],
  ['Claude Opus 5.5', 'anthropic/claude-opus-5-5'],
  ['gpt-5', 'openai/gpt-5'],
  ['gpt 5 mini', 'openai/gpt-5-mini'],
  ['GPT-6.2 Sol', 'openai/gpt-6.2-sol'],
  ['flash', 'google/gemini-3.8-flash'],
  ['flash-lite', 'google/gemini-3.5-flash-lite'],
  ['openrouter/opus', 'openrouter/anthropic/claude-opus-5.5'],
  ['openrouter/anthropic/claude-opus-5.5', 'openrouter/anthropic/claude-opus-5.5'],
  ['google/*neon', 'google/gemini-4-neon'],
])('%s is %s', async (wanted, id) => {
  expect(await find(wanted)).toMatchObject({ id, thinking: undefined, notice: undefined });
});

test.each([
  ['sonnet:high', 'anthropic/claude-sonnet-5-5', 'high'],
  ['anthropic/claude-sonnet-5-5:off', 'anthropic/claude-sonnet-5-5', 'off'],
  ['anthropic/claude-new:max', 'anthropic/claude-new', 'max'],
  ['openrouter/anthropic/claude-opus-5.5:low', 'openrouter/anthropic/claude-opus-5.5', 'low'],
])('%s says how long it thinks', async (wanted, id, thinking) => {
  expect(await find(wanted)).toMatchObject({ id, thinking });
});

test('a level at the end is part of a name that has it, and other ends are no levels', async () => {
  const own = provider('own', ['m:high', 'm', 'qwen3:8b']);
  expect(await findIn([own], {}, 'own/m:high')).toMatchObject({ id: 'own/m:high', thinking: undefined });
  expect(await findIn([own], {}, 'm:high')).toMatchObject({ id: 'own/m:high', thinking: undefined });
  expect(await findIn([own], {}, 'own/m:low')).toMatchObject({ id: 'own/m', thinking: 'low' });
  expect(await findIn([own], {}, 'own/qwen3:8b')).toMatchObject({ id: 'own/qwen3:8b', thinking: undefined });
});

test.each([
  ['gpt', ['openai/gpt-6.2-sol', 'openai/gpt-5.5']],
  ['claude', ['anthropic/claude-opus-5-5', 'anthropic/claude-sonnet-5-5']],
  ['pro', ['openai/gpt-5.5-pro']],
  ['anthropic/*', ['anthropic/claude-opus-5-5', 'anthropic/claude-fable-5-2']],
])('%s is ambiguous, and the candidates are named', async (wanted, some) => {
  const error = await find(wanted).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'model_ambiguous', hint: expect.stringContaining('say which') });
  for (const id of some) expect((error as Error).message).toContain(id);
});

test.each([
  ['snnet', 'did you mean anthropic/claude-sonnet-5-5?'],
  ['claude-opsu 5', 'did you mean anthropic/claude-opus-5?'],
  ['xyzzy', 'see `kern models list`'],
])('%s is no model; what may be meant is said', async (wanted, hint) => {
  await expect(find(wanted)).rejects.toMatchObject({ code: 'model_unknown', hint });
});

test('what can be used comes first, and of one family the first provider’s newest', async () => {
  const off = { available: false };
  const makers = provider('maker', [
    { model: 'big-3', ...off },
    { model: 'big-2', ...off },
  ]);
  const seller = provider('seller', ['maker/big-1', 'maker/big-2', 'maker/big-2-20260101', 'maker/big-2-preview']);
  const other = provider('wholesale', ['maker/big-9']);
  expect((await findIn([makers, seller, other], {}, 'big')).id).toBe('seller/maker/big-2');
  await expect(findIn([makers], {}, 'big')).rejects.toMatchObject({
    code: 'no_model',
    message: expect.stringContaining('maker/big-3'),
  });
});

test('a family with more words is another one', async () => {
  const own = provider('own', ['big-2', 'big-mini-3', 'big-turbo-1']);
  await expect(findIn([own], {}, 'big')).rejects.toMatchObject({ code: 'model_ambiguous' }); // the mini is newer
  expect((await findIn([own], {}, 'big 2')).id).toBe('own/big-2');
  expect((await findIn([own], {}, 'mini')).id).toBe('own/big-mini-3');
  expect((await findIn([own], {}, 'tur')).id).toBe('own/big-turbo-1');
  await expect(findIn([own], {}, 'nano')).rejects.toMatchObject({ code: 'model_unknown' });
  await expect(findIn([own], {}, 'big 7')).rejects.toMatchObject({ code: 'model_unknown' });
});

test.each(['myprivate/sonnet', 'nope/x', 'anthropc/claude-opus-5-5', 'local/gpt-6.2-sol', '/sonnet', 'x/'])(
  '%s is of nobody who is known: no other provider gets its key out for it',
  async (wanted) => {
    const error = await find(wanted).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'model_unknown', message: expect.stringContaining('no such provider') });
    expect((error as Error).message).toContain('providers: anthropic, openai');
  },
);

test('who sells a model under the name of its maker is named, and not taken', async () => {
  await expect(find('deepseek-ai/DeepSeek-V4-Pro')).rejects.toMatchObject({ code: 'model_unknown' });
  const seller = provider('seller', ['maker/big-1', 'other/big-2']);
  await expect(findIn([seller], {}, 'maker/big-1')).rejects.toMatchObject({ hint: 'did you mean seller/maker/big-1?' });
  // What stands before a slash is not guessed at.
  expect((await findIn([seller], {}, 'seller/maker/big')).id).toBe('seller/maker/big-1');
  expect((await findIn([seller], {}, 'seller/nobody/big')).id).toBe('seller/nobody/big');
});

test('a script is opened by its whole name', async () => {
  await expect(find('script/none.yml:high')).rejects.toMatchObject({
    code: 'script_invalid',
    message: expect.stringContaining('none.yml:high'),
  });
  await expect(find('scrip')).rejects.toMatchObject({ code: 'model_unknown' });
});

test('what a server of one’s own lists is not guessed at', async () => {
  let asked = 0;
  const models = () => {
    asked += 1;
    return [describeModel('own', 'big-2')];
  };
  const own = provider('own', [], { models, catalog: () => undefined });
  expect((await findIn([own], {}, 'own/big')).id).toBe('own/big');
  expect(asked).toBe(0);
  expect((await findIn([own], {}, 'big')).id).toBe('own/big-2');
});

test('the setting may be a name too; without one the role default counts, then the first that can be used', async () => {
  expect(await find(undefined, { model: 'sonnet:low' })).toMatchObject({
    id: 'anthropic/claude-sonnet-5-5',
    thinking: 'low',
  });
  expect((await find(undefined, { modelRoles: { default: 'gpt-5' } })).id).toBe('openai/gpt-5');
  expect((await find(undefined)).id).toBe('anthropic/claude-opus-5-5');
});

test.each([
  ['small', {}, 'anthropic/claude-haiku-5-5'],
  ['commit', {}, 'anthropic/claude-haiku-5-5'],
  ['small', { model: 'openai/gpt-6.2-sol' }, 'openai/gpt-6-luna'],
  ['small', { model: 'google/gemini-4-argon' }, 'google/gemini-3.5-flash-lite'],
  ['slow', {}, 'anthropic/claude-opus-5-5'],
  ['plan', { modelRoles: { slow: 'gpt-6.2-astra' } }, 'openai/gpt-6.2-astra'],
  ['task', { model: 'gpt-5' }, 'openai/gpt-5'],
  ['vision', { model: 'openrouter/deepseek/deepseek-v4-pro' }, expect.stringMatching(/^openrouter\//)],
  ['commit', { modelRoles: { small: 'gpt-5-nano' } }, 'openai/gpt-5-nano'],
  ['commit', { modelRoles: { small: 'gpt-5-nano', commit: 'haiku' } }, 'anthropic/claude-haiku-5-5'],
])('the role %s with %j', async (role, settings, id) => {
  expect(await find(role, settings)).toMatchObject({ id, notice: undefined });
});

test('of the models of a role the first counts that can be used, and it is said why it is not the first', async () => {
  const modelRoles = { small: ['groq/openai/gpt-oss-20b', 'nonsense', 'haiku:low'], slow: ['small'], plan: 'plan' };
  expect(await find('small', { modelRoles })).toMatchObject({
    id: 'anthropic/claude-haiku-5-5',
    thinking: 'low',
    notice: expect.stringMatching(/^modelRoles.small: .*GROQ_API_KEY.*nonsense.*claude-haiku-5-5 is used$/),
  });
  expect((await find('slow', { modelRoles })).id).toBe('anthropic/claude-haiku-5-5');
  expect((await find('small:high', { modelRoles })).thinking).toBe('high');
  await expect(find('plan', { modelRoles })).rejects.toMatchObject({ code: 'model_unknown' }); // itself is no model
  await expect(find('small', { modelRoles: { small: ['nonsense', 'xyzzy'] } })).rejects.toMatchObject({
    code: 'no_model',
    message: expect.stringContaining('none of its models can be used'),
  });
});

test('a role beside a model is of its provider; where there is no model there is none for a role', async () => {
  await withEnvironment(keys, async () => {
    await using booted = await bootKernel([modelsPlugin, ...vendors]);
    const service = booted.view.service(models);
    const beside = (id: string) => service.resolve(id).then((model) => service.forRole('small', undefined, model));
    expect((await beside('openai/gpt-6.2-sol'))?.model.id).toBe('openai/gpt-6-luna');
    expect((await beside('openai/gpt-5-nano'))?.model.id).toBe('openai/gpt-5-nano');
    // Free, or nobody knows what it costs: nothing is cheaper.
    const local = aModel({ id: 'ollama/x', provider: 'ollama' });
    expect((await service.forRole('small', undefined, local))?.model).toBe(local);
    expect((await service.forRole('vision', undefined, local))?.model).toBe(local);
    expect((await service.forRole('default', undefined, local))?.model).toBe(local);
  });
  await withEnvironment(nothingSet, async () => {
    await using booted = await bootKernel([modelsPlugin, authPlugin, anthropicPlugin]);
    const service = booted.view.service(models);
    expect(await service.forRole('small')).toBeUndefined();
    expect(await service.forRole('default')).toBeUndefined();
  });
});

test('enabledModels narrows down what is chosen from, and not what has a whole name', async () => {
  const enabledModels = ['anthropic/*', 'gpt-5-mini'];
  expect((await find('mini', { enabledModels })).id).toBe('openai/gpt-5-mini');
  expect((await find('openai/gpt-5-nano', { enabledModels })).id).toBe('openai/gpt-5-nano');
  await expect(find('flash', { enabledModels })).rejects.toMatchObject({
    code: 'model_unknown',
    message: expect.stringContaining('enabledModels'),
  });
  expect((await find('anthropic/sonnet', { enabledModels: ['*sonnet-4*'] })).id).toBe('anthropic/claude-sonnet-4-6');
  await withEnvironment(keys, async () => {
    await using booted = await bootKernel([modelsPlugin, ...vendors], {
      settings: { enabledModels: [...enabledModels, 'gpt-17'] },
    });
    const choices = await booted.view.service(models).choices();
    expect(choices.at(-1)?.id).toBe('openai/gpt-5-mini');
    const said = booted.kernel.journal.all().filter(({ message }) => message.includes('enabledModels'));
    expect(said.map(({ message }) => message)).toEqual([expect.stringContaining('no model is called gpt-17')]);
    expect(choices.slice(0, -1).every(({ provider }) => provider === 'anthropic')).toBe(true);
  });
});

test('the next one of those to choose from, round and round', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((name) => aModel({ id: `p/${name}`, model: name })) as [Model, Model, Model];
  const all = [a, b, c];
  expect(nextModel(all, a)).toBe(b);
  expect(nextModel(all, c)).toBe(a);
  expect(nextModel(all, a, 'backward')).toBe(c);
  expect(nextModel(all, aModel({ id: 'x/y' }))).toBe(a);
  expect(nextModel(all, undefined, 'backward')).toBe(c);
  expect(nextModel([a], a)).toBeUndefined();
  expect(nextModel([], a)).toBeUndefined();
});
