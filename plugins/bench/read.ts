import { join } from 'node:path';
import type { Ground } from './ground.ts';
import { interleaved, median } from './median.ts';
import { benchModel, placeForResponses } from './request.ts';
import { type Arrival, modelServer, type Scripted } from './server.ts';
import type { Table } from './table.ts';

const count = 30;

/** What a turn costs beside the model: from the end of its stream to the arrival of the next request. */
export async function read(ground: Ground): Promise<Table> {
  const place = ground.place();
  const path = place.write('note.txt', 'One line.\n');
  const asks: Scripted = { pieces: ['I look.'], call: { name: 'read', args: { path } } };
  const script = [...Array.from({ length: count }, () => asks), { pieces: ['Done.'] }];
  const first: number[] = [];
  /** The median turn of one run; the first turn, which loads things, stands apart. */
  const turnOf = async (go: (url: string) => Promise<unknown>): Promise<readonly number[]> => {
    await using server = await modelServer(script);
    await go(server.url);
    return gaps(server.arrivals);
  };
  const other = placeForResponses(ground);
  const kern =
    (model: string, where = place) =>
    (url: string) =>
      ground.kern(where, ['-p', 'read', '--no-session', '--model', model], { model: url });
  const samples = await interleaved(ground.runs, {
    bare: async () =>
      median((await turnOf((url) => ground.node([join(ground.root, 'plugins/bench/bare-loop.mjs'), url]))).slice(1)),
    chat: async () => {
      const [opening = Number.NaN, ...others] = await turnOf(kern(benchModel['openai-chat']));
      first.push(opening);
      return median(others);
    },
    anthropic: async () => median((await turnOf(kern(benchModel.anthropic))).slice(1)),
    responses: async () => median((await turnOf(kern(benchModel['openai-responses'], other))).slice(1)),
    google: async () => median((await turnOf(kern(benchModel.google))).slice(1)),
  });
  const against = 'bare Node loop';
  return {
    name: 'read',
    title: 'a turn with one file read, from the end of the stream to the next request',
    rows: [
      { label: against, unit: 'ms', samples: samples.bare },
      { label: 'kern -p, OpenAI-compatible', unit: 'ms', samples: samples.chat, against },
      { label: 'kern -p, Anthropic', unit: 'ms', samples: samples.anthropic, against },
      { label: 'kern -p, OpenAI Responses', unit: 'ms', samples: samples.responses, against },
      { label: 'kern -p, Gemini', unit: 'ms', samples: samples.google, against },
      { label: 'the first such turn', unit: 'ms', samples: first.slice(1), against },
    ],
  };
}

/** From each reply's end to the request after it. */
export function gaps(arrivals: readonly Arrival[]): readonly number[] {
  return arrivals.slice(1).map(({ at }, before) => at - (arrivals[before]?.repliedAt ?? Number.NaN));
}
