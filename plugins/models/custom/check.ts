import { modelWires } from 'kern/contracts';
import { isMap, isScalar, LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import type { CustomProvider, ModelsFile } from './described.ts';

const price = z.number().nonnegative();

const model = z.strictObject({
  id: z.string().min(1),
  name: z.string().optional(),
  contextWindow: z.number().int().positive().optional(),
  maxOutput: z.number().int().positive().optional(),
  reasoning: z.boolean().optional(),
  input: z.array(z.enum(['text', 'image'])).optional(),
  cost: z
    .strictObject({ input: price, output: price, cacheRead: price.default(0), cacheWrite: price.default(0) })
    .optional(),
});

const provider = z.strictObject({
  wire: z.enum(modelWires),
  baseUrl: z.url({ protocol: /^https?$/, error: 'expected an http or https address' }),
  apiKey: z.string().min(1).optional(),
  headers: z.record(z.string(), z.string()).default({}),
  models: z.array(model).default([]),
});

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
      providers: [],
      problems: [`${file}:${error.linePos?.[0].line ?? 1}: ${error.message.split(/ at line |\n/)[0]}`],
    };
  const lineOf = (place: readonly PropertyKey[]): number => lines.linePos(offsetOf(document.contents, place)).line;
  const problems: string[] = [];
  const complain = (place: readonly PropertyKey[], what: string): void =>
    void problems.push(`${file}:${lineOf(place)}: ${what}`);
  const whole: unknown = document.toJS() ?? {};
  if (!isFields(whole)) return { providers: [], problems: [`${file}:1: expected a map with \`providers\``] };
  for (const key of Object.keys(whole))
    if (key !== 'providers') complain([key], `${key} is not known here; models.yml has \`providers\``);
  const described = whole.providers ?? {};
  if (!isFields(described))
    return {
      providers: [],
      problems: [...problems, `${file}:${lineOf(['providers'])}: providers: expected a map of providers by name`],
    };
  const providers = Object.entries(described).flatMap(([id, value]): CustomProvider[] => {
    const place = ['providers', id];
    if (!providerName.test(id) || reserved.has(id)) {
      complain(place, `${id} cannot be the name of a provider: letters, digits, dots, _ and -, and not script`);
      return [];
    }
    const parsed = provider.safeParse(value);
    if (parsed.success) {
      const { apiKey, ...rest } = parsed.data;
      return [{ id, place: `${file}:${lineOf(place)}`, apiKey, ...rest }];
    }
    for (const issue of parsed.error.issues) {
      const unknown = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
      const name = [id, ...issue.path].map(String).join('.');
      complain(
        [...place, ...issue.path, ...unknown],
        `${name}: ${issue.message.replace(/^Invalid (input|option): /, '')}`,
      );
    }
    return [];
  });
  return { providers, problems };
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
