import {
  type CommandArgs,
  type CommandHost,
  type Cost,
  columns,
  type Model,
  modelProviders,
  models,
  pickModel,
  type ResolvedModel,
} from 'kern/contracts';
import { codeOf, visible } from 'kern/plugin';
import { shown, sizeText } from './words.ts';

/** `kern models info [model]`. */
export async function info(args: CommandArgs, host: CommandHost): Promise<number> {
  const wanted = args.positionals.join(' ').trim();
  const { model, thinking, notice } = await found(wanted, host);
  const reader = host.view.use(modelProviders);
  await reader.load(host.signal, model.provider);
  const provider = reader.get(model.provider)?.item;
  const missing = model.available ? undefined : provider?.missing?.();
  if (args.shared.json) {
    const { provider: id, vendor, aliases, generation, wire, thinkingBudgets } = model;
    host.json({
      ...shown(model),
      provider: id,
      vendor: vendor ?? null,
      aliases: aliases ?? [],
      generation: generation ?? null,
      wire: wire ?? null,
      thinkingBudgets: thinkingBudgets ?? null,
      thinkingChosen: thinking ?? null,
      missing: missing ?? null,
      notice: notice ?? null,
    });
    return 0;
  }
  const rows: (readonly [string, string | undefined])[] = [
    ['model', model.id],
    ['name', model.name],
    ['provider', provider?.displayName ?? model.provider],
    ['made by', model.vendor],
    ['also called', model.aliases?.join(', ')],
    ['usable', model.available ? 'yes' : `no: ${missing ?? 'its provider cannot be used now'}`],
    ['context', `${sizeText(model.contextWindow)} tokens`],
    ['output', `${sizeText(model.maxOutput)} tokens at most`],
    ['takes', model.input.join(', ')],
    ['thinks', thinkingText(model)],
    ['chosen', thinking],
    ['price', model.cost === null ? 'unknown' : `$ ${model.cost.input}/${model.cost.output} a million tokens in/out`],
    [
      'cache',
      model.cost === null
        ? undefined
        : `$ ${model.cost.cacheRead}/${model.cost.cacheWrite} a million tokens read/written`,
    ],
    ...tiersOf(model.cost),
    ['prices of', model.cost?.validFrom],
    ['wire', model.wire],
    ['because', notice],
  ];
  const said = rows.flatMap(([label, value]) => (value === undefined ? [] : [[label, visible(value)]]));
  for (const line of columns(said)) host.print(line);
  return 0;
}

/** As a run would find it; one that cannot be used now is told of all the same. */
async function found(wanted: string, host: CommandHost): Promise<ResolvedModel> {
  await host.view.use(models).load();
  const service = host.view.service(models);
  try {
    return await service.find(wanted === '' ? undefined : wanted, host.signal);
  } catch (error) {
    if (codeOf(error) !== 'no_model' || wanted === '') throw error;
    const picked = pickModel(wanted, await service.list(host.signal));
    if (picked.found !== 'one') throw error;
    return { model: picked.model, thinking: undefined, notice: undefined };
  }
}

function thinkingText({ thinking, thinkingBudgets = {} }: Model): string {
  if (thinking.every((level) => level === 'off')) return 'no';
  const levels = thinking.map((level) => {
    const budget = thinkingBudgets[level];
    return budget === undefined || budget === 0 ? level : `${level} (${sizeText(budget)})`;
  });
  return levels.join(', ');
}

function tiersOf(cost: Cost | null): (readonly [string, string])[] {
  return (cost?.tiers ?? []).map(({ above, input, output, cacheRead, cacheWrite }) => [
    `above ${sizeText(above)}`,
    `$ ${input}/${output} in/out, ${cacheRead}/${cacheWrite} read/written`,
  ]);
}
