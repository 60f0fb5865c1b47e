import { parse, TomlDate, TomlError } from 'smol-toml';
import type { Read } from './json.ts';

/** TOML 1.0. Dates are texts (ISO 8601): nothing here reckons with them. */
export function readToml(text: string): Read {
  try {
    return { ok: true, value: plain(parse(text.replace(/^\uFEFF/, ''))) };
  } catch (error) {
    if (error instanceof TomlError)
      return {
        ok: false,
        why: `line ${error.line}: ${error.message.split('\n')[0]?.replace(/^Invalid TOML document: /, '')}`,
      };
    throw error;
  }
}

function plain(value: unknown): unknown {
  if (value instanceof TomlDate) return value.toISOString().replace(/Z$/, '');
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
}
