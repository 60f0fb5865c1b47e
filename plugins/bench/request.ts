import type { Ground, KernOptions, Place } from './ground.ts';
import { interleaved } from './median.ts';
import { modelServer } from './server.ts';
import type { Table } from './table.ts';

/** Models that the wires are asked for; the server answers for all. */
export const benchModel = {
  'openai-chat': 'openai/bench',
  anthropic: 'anthropic/bench',
  'openai-responses': 'openai/bench',
  google: 'google/gemini-bench',
} as const;

/** Where OpenAI is spoken to in Responses, also behind a base URL of one's own. */
export function placeForResponses(ground: Ground): Place {
  const place = ground.place();
  place.write('home:config.json', JSON.stringify({ plugins: { 'models.openai-chat': { wire: 'openai-responses' } } }));
  return place;
}

/** From exec to the moment the first request arrives at the model. */
export async function firstRequest(
  ground: Ground,
  place: Place,
  model: string,
  options: Omit<KernOptions, 'model'> = {},
): Promise<number> {
  await using server = await modelServer([{ pieces: ['Hello.'] }]);
  const args = ['-p', 'hello', '--no-session', '--model', model];
  const { at } = await ground.kern(place, args, { ...options, model: server.url });
  return (server.arrivals[0]?.at ?? Number.NaN) - at;
}

export async function request(ground: Ground): Promise<Table> {
  const place = ground.place();
  const other = placeForResponses(ground);
  const samples = await interleaved(ground.runs, {
    node: async () => (await ground.node(['-e', '0'])).ms,
    chat: () => firstRequest(ground, place, benchModel['openai-chat']),
    anthropic: () => firstRequest(ground, place, benchModel.anthropic),
    responses: () => firstRequest(ground, other, benchModel['openai-responses']),
    google: () => firstRequest(ground, place, benchModel.google),
  });
  const against = 'node -e 0';
  return {
    name: 'request',
    title: 'from exec to the first model request',
    rows: [
      { label: against, unit: 'ms', samples: samples.node, note: 'from exec to exit' },
      { label: 'kern -p, OpenAI-compatible', unit: 'ms', samples: samples.chat, against },
      { label: 'kern -p, Anthropic', unit: 'ms', samples: samples.anthropic, against },
      { label: 'kern -p, OpenAI Responses', unit: 'ms', samples: samples.responses, against, note: 'with a config' },
      { label: 'kern -p, Gemini', unit: 'ms', samples: samples.google, against },
    ],
  };
}
