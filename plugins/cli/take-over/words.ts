import { columns } from 'kern/contracts';
import { visible } from 'kern/plugin';
import type { Found } from './found.ts';
import type { TakenOver } from './take-over.ts';

/** What was taken over and what was not, for a person. */
export function takenLines({ file, origin }: Found, result: TakenOver, dryRun: boolean): readonly string[] {
  const { taken, left, providers, files } = result;
  const nothing = taken.length === 0 && providers.length === 0;
  const did = dryRun ? 'would be taken over' : 'taken over';
  const head = nothing ? `nothing of ${file} (${origin}) ${did}` : `${did} from ${file} (${origin}):`;
  return [
    head,
    ...columns(taken.map(({ key, value }) => [`  ${key}`, visible(JSON.stringify(value))])),
    ...providers.map((id) => `  the provider ${visible(id)}, in models.yml`),
    ...(left.length === 0 ? [] : ['not taken over:']),
    ...columns(left.map(({ from, why }) => [`  ${visible(from)}`, visible(why)])),
    ...files.map((written) => `written: ${written}`),
  ];
}
