import { type CommandHost, workbench } from 'kern/contracts';
import { messageOf } from 'kern/plugin';
import { type Found, foundSettings } from './found.ts';
import { takeOver } from './take-over.ts';
import { takenLines } from './words.ts';

/** One question to the person, or one line where nobody can be asked. */
export async function offer(host: CommandHost): Promise<void> {
  const found = foundSettings(host.env);
  const [first] = found;
  if (first === undefined) return;
  if (!host.view.ui.available) {
    host.say(`kern: there are settings of ${names(found)}; \`kern config import ${first.origin}\` takes them over`);
    return;
  }
  const chosen = await choose(found, host);
  if (chosen === undefined) {
    host.say(`kern: nothing was taken over; \`kern config import ${first.origin}\` does so at any time`);
    return;
  }
  try {
    await host.view.use(workbench).load();
    // Keys come along only when they are asked for by name.
    const result = await takeOver(chosen, host.view.service(workbench), { keys: false, dryRun: false });
    for (const line of takenLines(chosen, result, false)) host.say(line);
  } catch (error) {
    host.say(`kern: ${messageOf(error)}`);
  }
}

async function choose(found: readonly Found[], { view }: CommandHost): Promise<Found | undefined> {
  const [first, second] = found;
  if (first === undefined) return undefined;
  if (second === undefined) {
    const yes = await view.ui.confirm(`Take over your settings of ${first.origin}?`, `${first.file} (keys are left)`);
    return yes === true ? first : undefined;
  }
  const options = found.map(({ origin, file }) => `${origin} (${file})`);
  const answer = await view.ui.select('Take over your settings of another program (keys are left)?', [
    ...options,
    'no',
  ]);
  return found[options.indexOf(answer ?? '')];
}

const names = (found: readonly Found[]): string => found.map(({ origin }) => origin).join(' and ');
