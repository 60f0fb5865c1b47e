import { join } from 'node:path';
import type { Ground, Ran } from './ground.ts';
import { interleaved } from './median.ts';
import { benchModel, placeForResponses } from './request.ts';
import { modelServer } from './server.ts';
import type { Table } from './table.ts';

const count = 20_000;

/** A long reply in many pieces, as fast as it is read: from the request's arrival to the exit of the reader. */
export async function deltas(ground: Ground): Promise<Table> {
  const place = ground.place();
  const pieces = Array.from({ length: count }, (_, nth) => `word ${nth} `);
  const reading = async (text: readonly string[], go: (url: string) => Promise<Ran>): Promise<number> => {
    await using server = await modelServer([{ pieces: text }]);
    const { at, ms } = await go(server.url);
    return at + ms - (server.arrivals[0]?.at ?? Number.NaN);
  };
  const bare = (url: string): Promise<Ran> => ground.node([join(ground.root, 'plugins/bench/bare-loop.mjs'), url]);
  const other = placeForResponses(ground);
  const kern =
    (model: string, where = place) =>
    (url: string) =>
      ground.kern(where, ['-p', 'write', '--no-session', '--model', model], { model: url });
  const short = pieces.slice(0, 1);
  const samples = await interleaved(ground.runs, {
    bareShort: () => reading(short, bare),
    kernShort: () => reading(short, kern(benchModel['openai-chat'])),
    bare: () => reading(pieces, bare),
    chat: () => reading(pieces, kern(benchModel['openai-chat'])),
    anthropic: () => reading(pieces, kern(benchModel.anthropic)),
    responses: () => reading(pieces, kern(benchModel['openai-responses'], other)),
    google: () => reading(pieces, kern(benchModel.google)),
  });
  const against = 'bare Node loop';
  return {
    name: 'deltas',
    title: `a reply of ${count} deltas, from the request's arrival to the reader's exit`,
    rows: [
      { label: 'bare Node loop, 1 delta', unit: 'ms', samples: samples.bareShort },
      { label: 'kern -p, 1 delta', unit: 'ms', samples: samples.kernShort, against: 'bare Node loop, 1 delta' },
      { label: against, unit: 'ms', samples: samples.bare },
      { label: 'kern -p, OpenAI-compatible', unit: 'ms', samples: samples.chat, against },
      { label: 'kern -p, Anthropic', unit: 'ms', samples: samples.anthropic, against },
      { label: 'kern -p, OpenAI Responses', unit: 'ms', samples: samples.responses, against },
      { label: 'kern -p, Gemini', unit: 'ms', samples: samples.google, against },
    ],
  };
}
