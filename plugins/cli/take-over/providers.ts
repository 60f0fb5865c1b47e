import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import path from 'node:path';
import { KernError } from 'kern/plugin';
import type { Found } from './found.ts';
import { readBeside } from './read.ts';
import type { Left } from './translate.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Servers of models that a person described, for `models.yml`, and what is said of keys. */
export interface Providers {
  readonly providers: Readonly<Record<string, Fields>>;
  readonly left: readonly Left[];
}

const wires: Readonly<Record<string, string>> = {
  'openai-completions': 'openai-chat',
  'openai-responses': 'openai-responses',
  'anthropic-messages': 'anthropic',
  'google-generative-ai': 'google',
};
/** Where kern itself looks for a key. */
const variables: Readonly<Record<string, string>> = { anthropic: 'ANTHROPIC_API_KEY', openai: 'OPENAI_API_KEY' };

/** `models.json` and `auth.json` beside the settings. A key that stands there in clear comes along only with `keys`. */
export async function foreignProviders(found: Found, keys: boolean): Promise<Providers> {
  const left: Left[] = [];
  const providers: Record<string, Fields> = {};
  const described = (await readBeside(found, 'models.json')) ?? (await readBeside(found, 'models.yml'));
  for (const [id, value] of entriesOf(described?.providers)) {
    const wire = wires[String(value.api ?? entriesOf(value.models)[0]?.[1].api)];
    if (wire === undefined || typeof value.baseUrl !== 'string') {
      if (typeof value.baseUrl === 'string' || value.models !== undefined)
        left.push({
          from: `models: ${id}`,
          why: `kern does not speak ${JSON.stringify(value.api ?? 'what it leaves open')}`,
        });
      continue;
    }
    const { apiKey, isClear } = keyOf(value.apiKey);
    if (isClear && !keys) left.push({ from: `models: ${id}.apiKey`, why: 'a key in clear: --keys takes it along' });
    const headers = entriesOfTexts(value.headers);
    if (headers.length > 0 && !keys)
      left.push({ from: `models: ${id}.headers`, why: 'they may hold keys: --keys takes them along' });
    providers[id] = {
      wire,
      baseUrl: value.baseUrl,
      ...(apiKey === undefined || (isClear && !keys) ? {} : { apiKey }),
      ...(headers.length === 0 || !keys ? {} : { headers: Object.fromEntries(headers) }),
      models: entriesOf(value.models).map(([, model]) => modelOf(model)),
    };
  }
  for (const [id, value] of entriesOf(await readBeside(found, 'auth.json'))) {
    const variable = variables[id];
    const why =
      value.type !== 'api_key'
        ? 'sign-ins are not taken over'
        : variable === undefined
          ? 'kern does not know where that key belongs'
          : `kern reads the key from ${variable}`;
    left.push({ from: `auth: ${id}`, why });
  }
  return { providers, left };
}

/** Adds the providers that `models.yml` does not have, and leaves everything else in it as it is. Answers with those that were added. */
export async function addProviders(home: string, providers: Providers['providers']): Promise<readonly string[]> {
  const yaml = await import('yaml');
  const file = path.join(home, 'models.yml');
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const document = yaml.parseDocument(text);
  const [error] = document.errors;
  if (error !== undefined)
    throw new KernError('file_unreadable', `${file} cannot be parsed: ${error.message.split('\n', 1)[0]}`);
  const added = Object.keys(providers).filter((id) => !document.hasIn(['providers', id]));
  if (added.length === 0) return [];
  for (const id of added) document.setIn(['providers', id], document.createNode(providers[id]));
  await writeWhole(file, document.toString({ lineWidth: 0 }));
  return added;
}

/** Keys may be in it: for the owner's eyes only. */
async function writeWhole(file: string, text: string): Promise<void> {
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  const handle = await open(temporary, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, file);
}

/** pi takes the name of a variable for its value, `!` for a command, and anything else for the key itself. */
function keyOf(value: unknown): { readonly apiKey?: string; readonly isClear: boolean } {
  if (typeof value !== 'string' || value === '') return { isClear: false };
  if (value.startsWith('!') || value.startsWith('$')) return { apiKey: value, isClear: false };
  if (/^[A-Z][A-Z0-9_]*$/.test(value)) return { apiKey: `$${value}`, isClear: false };
  return { apiKey: value, isClear: true };
}

function modelOf({ id, name, contextWindow, maxTokens, reasoning, input, cost }: Fields): Fields {
  const fields = { id, name, contextWindow, maxOutput: maxTokens, reasoning, input, cost };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function entriesOf(value: unknown): readonly (readonly [string, Fields])[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).filter(
    (entry): entry is [string, Fields] => typeof entry[1] === 'object' && entry[1] !== null && !Array.isArray(entry[1]),
  );
}

function entriesOfTexts(value: unknown): readonly (readonly [string, string])[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
}
