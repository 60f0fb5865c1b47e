import { posix } from 'node:path';
import { attribute, xmlParts } from './xml.ts';
import type { Zip } from './zip.ts';

/** What a part of an Office document refers to, by id: the names of other parts. */
export function relationsOf(
  zip: Zip,
  part: string,
): ReadonlyMap<string, { readonly type: string; readonly part: string }> {
  const folder = posix.dirname(part);
  const found = new Map<string, { type: string; part: string }>();
  for (const item of xmlParts(zip.text(`${folder}/_rels/${posix.basename(part)}.rels`) ?? '')) {
    if (item.kind !== 'open' || item.name !== 'Relationship') continue;
    const id = attribute(item.attributes, 'Id');
    const target = attribute(item.attributes, 'Target');
    if (id === undefined || target === undefined) continue;
    const name = target.startsWith('/') ? target.slice(1) : posix.normalize(`${folder}/${target}`);
    found.set(id, { type: attribute(item.attributes, 'Type')?.replace(/^.*\//, '') ?? '', part: name });
  }
  return found;
}
