import { type CommandArgs, type CommandHost, workbench } from 'kern/contracts';
import { didYouMean, KernError, nearNames } from 'kern/plugin';
import { foundSettings, type Origin, whereOf } from './found.ts';
import { takeOver } from './take-over.ts';
import { takenLines } from './words.ts';

const origins: readonly Origin[] = ['pi', 'oh-my-pi'];

/** `kern config import pi`. */
export async function importFrom({ options, positionals, shared }: CommandArgs, host: CommandHost): Promise<number> {
  const [name = ''] = positionals;
  const origin = origins.find((one) => one === name);
  if (origin === undefined) {
    throw new KernError('usage', `kern takes over settings of ${origins.join(' and ')}, not of ${name}`, {
      hint: didYouMean(nearNames(name, origins)) ?? 'kern config import pi, or kern config import oh-my-pi',
    });
  }
  const found = foundSettings(host.env).find((one) => one.origin === origin);
  if (found === undefined) {
    throw new KernError(
      'file_unreadable',
      `there are no settings of ${origin} here: ${whereOf(origin, host.env)} is not there`,
    );
  }
  await host.view.use(workbench).load();
  const dryRun = options.dryRun === true;
  const result = await takeOver(found, host.view.service(workbench), { keys: options.keys === true, dryRun });
  if (shared.json) host.json({ program: origin, file: found.file, dryRun, ...result });
  else for (const line of takenLines(found, result, dryRun)) host.print(line);
  return 0;
}
