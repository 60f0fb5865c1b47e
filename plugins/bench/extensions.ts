import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, sep } from 'node:path';
import { copies, type ExtensionFile } from './copies.ts';
import type { Ground, Place } from './ground.ts';
import { interleaved } from './median.ts';
import { benchModel, firstRequest } from './request.ts';
import type { Table } from './table.ts';

const count = 10;

/** The start again, with extensions of a user: compiled before (warm), or for the first time (cold). */
export async function extensions(ground: Ground): Promise<Table> {
  const files = copies(examples(ground.root), count);
  const withExtensions = (): Place => {
    const place = ground.place();
    for (const { path, text } of files) place.write(`home:extensions/${path}`, text);
    return place;
  };
  const [none, warm, cold] = [ground.place(), withExtensions(), withExtensions()];
  const arrives = (place: Place): Promise<number> => firstRequest(ground, place, benchModel['openai-chat']);
  const samples = await interleaved(ground.runs, {
    node: async () => (await ground.node(['-e', '0'])).ms,
    none: () => arrives(none),
    warm: () => arrives(warm),
    cold: () => {
      rmSync(join(cold.home, 'cache', 'modules'), { recursive: true, force: true });
      return arrives(cold);
    },
  });
  const more = (other: readonly number[]): readonly number[] =>
    other.map((ms, round) => ms - (samples.none[round] ?? 0));
  const against = 'node -e 0';
  return {
    name: 'extensions',
    title: `from exec to the first model request, with ${count} extensions`,
    rows: [
      { label: against, unit: 'ms', samples: samples.node, note: 'from exec to exit' },
      { label: 'none', unit: 'ms', samples: samples.none, against },
      { label: `${count}, warm`, unit: 'ms', samples: samples.warm, against },
      { label: `${count}, cold`, unit: 'ms', samples: samples.cold, against },
      { label: 'more than none, warm', unit: 'ms', samples: more(samples.warm), against },
      { label: 'more than none, cold', unit: 'ms', samples: more(samples.cold), against },
    ],
  };
}

function examples(root: string): readonly ExtensionFile[] {
  const folder = join(root, 'extensions-examples');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(ts|mts|js|mjs|cjs|json)$/.test(path) && !/\.test\.ts$|node_modules/.test(path))
    .sort()
    .map((path) => ({ path: path.split(sep).join('/'), text: readFileSync(join(folder, path), 'utf8') }));
}
