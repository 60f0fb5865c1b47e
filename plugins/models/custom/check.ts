import { type ModelProblem, modelWires, thinkingLevels } from 'kern/contracts';
import { isMap, isScalar, LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import type { CustomOverride, CustomProvider, ModelsFile } from './described.ts';

const nothing = { providers: [], overrides: [] };
const price = z.number().nonnegative();

const prices = { input: price, output: price, cacheRead: price.default(0), cacheWrite: price.default(0) };
const count = z.number().int().positive();

const model = z.strictObject({
  id: z.string().min(1),
  name: z.string().optional(),
  contextWindow: count.optional(),
  maxOutput: count.optional(),
  reasoning: z.boolean().optional(),
  thinking: z.array(z.enum(thinkingLevels)).min(1).optional(),
  thinkingBudgets: z.partialRecord(z.enum(thinkingLevels), z.number().int().nonnegative()).optional(),
  input: z
    .array(z.enum(['text', 'image']))
    .min(1)
    .optional(),
  cost: z
    .strictObject({
      ...prices,
      validFrom: z.string().optional(),
      tiers: z.array(z.strictObject({ above: count, ...prices })).optional(),
    })
    .nullable()
    .optional(),
  vendor: z.string().min(1).optional(),
  aliases: z.array(z.string().min(1)).optional(),
  generation: z.number().nonnegative().optional(),
  wire: z.enum(modelWires).optional(),
});

/** Text, or a variable that holds all of it. */
const header = z
  .string()
  .refine((text) => !text.startsWith('!'), 'a command is for apiKey alone; a header takes text, or a variable: $NAME')
  .refine(
    (text) => !/.\$(\{\w+\}|[A-Z][A-Z0-9_]{2,})/.test(text),
    'a variable stands alone: put all of the header into it, and write $NAME',
  )
  .refine(
    (text) => !text.startsWith('$') || /^\$(\w+|\{\w+\})$/.test(text),
    'a variable stands alone: put all of the header into it, and write $NAME',
  );

const provider = z.strictObject({
  wire: z.enum(modelWires),
  baseUrl: z.url({ protocol: /^https?$/, error: 'expected an http or https address' }),
  apiKey: z.string().min(1).optional(),
  headers: z.record(z.string(), header).default({}),
  models: z.array(model).default([]),
});

/** Without a wire and an address it says more of the models of a provider that is there already. */
const known = z.strictObject({ models: z.array(model).default([]) });

/** What is not there has no key, whatever the types of zod say. */
type CustomModels = CustomProvider['models'];

const providerName = /^[a-zA-Z0-9][a-zA-Z0-9._-]*$/;
/** Names that mean something else. */
const reserved = new Set(['script']);

/** Checks each provider for itself: a mistake costs the one it is in. */
export function checkModels(text: string, file: string): ModelsFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [error] = document.errors;
  if (error !== undefined)
    return {
      ...nothing,
      problems: [{ text: `${file}:${error.linePos?.[0].line ?? 1}: ${error.message.split(/ at line |\n/)[0]}` }],
    };
  const lineOf = (place: readonly PropertyKey[]): number => lines.linePos(offsetOf(document.contents, place)).line;
  const problems: ModelProblem[] = [];
  const complain = (place: readonly PropertyKey[], what: string, provider?: string): void =>
    void problems.push({ provider, text: `${file}:${lineOf(place)}: ${what}` });
  const whole: unknown = document.toJS() ?? {};
  if (!isFields(whole)) return { ...nothing, problems: [{ text: `${file}:1: expected a map with \`providers\`` }] };
  for (const key of Object.keys(whole))
    if (key !== 'providers') complain([key], `${key} is not known here; models.yml has \`providers\``);
  const described = whole.providers ?? {};
  if (!isFields(described))
    return {
      ...nothing,
      problems: [
        ...problems,
        { text: `${file}:${lineOf(['providers'])}: providers: expected a map of providers by name` },
      ],
    };
  const providers: CustomProvider[] = [];
  const overrides: CustomOverride[] = [];
  for (const [id, value] of Object.entries(described)) {
    const place = ['providers', id];
    if (!providerName.test(id) || reserved.has(id)) {
      complain(place, `${id} cannot be the name of a provider: letters, digits, dots, _ and -, and not script`, id);
      continue;
    }
    const isOwn = !isFields(value) || 'wire' in value || 'baseUrl' in value;
    const at = `${file}:${lineOf(place)}`;
    const own = isOwn ? provider.safeParse(value) : undefined;
    if (own?.success === true) {
      providers.push({ id, place: at, ...own.data, models: own.data.models as CustomModels });
      continue;
    }
    const other = own === undefined ? known.safeParse(value) : undefined;
    if (other?.success === true) {
      overrides.push({ id, place: at, models: other.data.models as CustomModels });
      continue;
    }
    for (const issue of (own ?? other)?.error?.issues ?? []) {
      const [unknown] = issue.code === 'unrecognized_keys' ? issue.keys : [];
      const name = [id, ...issue.path].map(String).join('.');
      const why =
        !isOwn && issue.path.length === 0 && unknown !== undefined && ['apiKey', 'headers'].includes(unknown)
          ? `${unknown} needs wire and baseUrl beside it; the key of a provider that kern has is set in the environment or by \`kern auth login\``
          : issue.message.replace(/^Invalid (input|option): /, '');
      complain([...place, ...issue.path, ...(unknown === undefined ? [] : [unknown])], `${name}: ${why}`, id);
    }
  }
  return { providers, overrides, problems };
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Where a place begins in the text; what is around it where it is missing. */
function offsetOf(contents: unknown, place: readonly PropertyKey[]): number {
  let node = contents;
  let offset = 0;
  for (const part of place) {
    const pair = isMap(node) ? node.items.find(({ key }) => isScalar(key) && String(key.value) === part) : undefined;
    const items: unknown = typeof node === 'object' && node !== null && 'items' in node ? node.items : undefined;
    const at: unknown = pair?.key ?? (Array.isArray(items) && typeof part === 'number' ? items[part] : undefined);
    if (at === undefined) break;
    const range: unknown = typeof at === 'object' && at !== null && 'range' in at ? at.range : undefined;
    if (Array.isArray(range) && typeof range[0] === 'number') offset = range[0];
    node = pair === undefined ? at : pair.value;
  }
  return offset;
}
