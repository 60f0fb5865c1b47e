import { createHash } from 'node:crypto';

/** SHA-256, in hex. */
export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/**
 * The same text for the same meaning: keys in order, nothing lost. What has no such text (a function, a class of
 * a library, a loop) throws: a part of a definition that the hash does not see could be changed unseen.
 */
export function canonical(value: unknown, above: ReadonlySet<object> = new Set()): string {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return JSON.stringify(value);
  if (typeof value === 'number') return Number.isFinite(value) ? JSON.stringify(value) : `number:${value}`;
  if (typeof value === 'bigint') return `bigint:${value}`;
  if (typeof value !== 'object') throw new TypeError(`a ${typeof value} cannot be part of what is trusted`);
  if (above.has(value)) throw new TypeError('a definition that holds itself cannot be trusted');
  const inside = new Set(above).add(value);
  // A hole or `undefined` in a list has a place; in a map it is as good as absent.
  if (Array.isArray(value))
    return `[${Array.from(value, (one) => (one === undefined ? 'undefined' : canonical(one, inside))).join(',')}]`;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    if (value instanceof URL || value instanceof Date) return `text:${JSON.stringify(value)}`;
    throw new TypeError(`a ${value.constructor?.name ?? 'strange object'} cannot be part of what is trusted`);
  }
  const entries = Object.entries(value).filter(([, one]) => one !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${entries.map(([name, one]) => `${JSON.stringify(name)}:${canonical(one, inside)}`).join(',')}}`;
}
