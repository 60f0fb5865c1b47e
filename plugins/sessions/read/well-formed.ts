/**
 * The same value with no half of a character in it: servers refuse a lone surrogate. Answers with the very same object
 * where nothing has to change. Signatures go back as they came and hold none.
 */
export function wellFormed<T>(value: T): T {
  return mended(value) as T;
}

function mended(value: unknown): unknown {
  if (typeof value === 'string') return value.isWellFormed() ? value : value.toWellFormed();
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    const changed = items.map(mended);
    return changed.some((item, nth) => item !== items[nth]) ? changed : value;
  }
  const changed = Object.entries(value).flatMap(([key, item]) => {
    const [newKey, newItem] = [mended(key) as string, mended(item)];
    return newKey === key && newItem === item ? [] : [[key, newKey, newItem] as const];
  });
  if (changed.length === 0) return value;
  const byKey = new Map(changed.map(([key, newKey, item]) => [key, [newKey, item] as const]));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => byKey.get(key) ?? [key, item]));
}
