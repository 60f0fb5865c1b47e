import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { KernError, messageOf } from 'kern/plugin';
import type { Found } from './found.ts';

type Settings = Readonly<Record<string, unknown>>;

const largest = 1_048_576;

/** What the other program was told. */
export async function readSettings({ file, origin }: Found): Promise<Settings> {
  try {
    if (path.extname(file) === '.db') return await readDatabase(file);
    return asMap(await parsed(readText(file)));
  } catch (cause) {
    throw new KernError('file_unreadable', `the settings of ${origin} cannot be read: ${file}: ${messageOf(cause)}`, {
      cause,
    });
  }
}

/** A file beside the settings; undefined where there is none. */
export async function readBeside({ folder }: Found, name: string): Promise<Settings | undefined> {
  const file = path.join(folder, name);
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return undefined;
  try {
    return asMap(await parsed(readText(file)));
  } catch (cause) {
    throw new KernError('file_unreadable', `${file} cannot be read: ${messageOf(cause)}`, { cause });
  }
}

function readText(file: string): string {
  const found = statSync(file);
  if (!found.isFile()) throw new Error('it is not a plain file');
  if (found.size > largest) throw new Error('it is larger than 1 MB');
  return readFileSync(file, 'utf8');
}

/** JSON is YAML too. */
async function parsed(text: string): Promise<unknown> {
  const { parse } = await import('yaml');
  return parse(text, { maxAliasCount: 20 }) ?? {};
}

function asMap(value: unknown): Settings {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Settings;
  throw new Error('it does not hold a map of settings');
}

/** oh-my-pi kept its settings in SQLite once: a table of keys, their values as JSON. */
async function readDatabase(file: string): Promise<Settings> {
  const { DatabaseSync } = await import('node:sqlite');
  const db = new DatabaseSync(file, { readOnly: true, timeout: 500 });
  try {
    const rows = db.prepare('SELECT key, value FROM settings').all();
    return Object.fromEntries(rows.map(({ key, value }) => [String(key), parsedJson(value)]));
  } finally {
    db.close();
  }
}

function parsedJson(text: unknown): unknown {
  if (typeof text !== 'string') return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
