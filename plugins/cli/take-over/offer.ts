import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type CommandHost, type Workbench, workbench } from 'kern/contracts';
import { makeFolder, messageOf } from 'kern/plugin';
import { type Found, foundSettings } from './found.ts';

/**
 * At the first start, when kern has no config yet and another program's settings lie on the machine: one question to the
 * person, or one line where nobody can be asked. Never again after that.
 */
export async function offerTakeOver(host: CommandHost): Promise<void> {
  const bench = host.view.service(workbench);
  if (isBegun(bench)) return;
  const found = foundSettings(host.env);
  if (found.length === 0 || !(await begin(bench))) return;
  const { ui } = host.view;
  if (!ui.available) {
    const [first] = found;
    host.say(`kern: there are settings of ${names(found)}; \`kern config import ${first?.origin}\` takes them over`);
    return;
  }
  const chosen = await choose(found, host);
  if (chosen === undefined) {
    host.say(`kern: nothing was taken over; \`kern config import ${found[0]?.origin}\` does so at any time`);
    return;
  }
  try {
    const { takeOver } = await import('./take-over.ts');
    const { takenLines } = await import('./words.ts');
    // Keys come along only when they are asked for by name.
    const result = await takeOver(chosen, bench, { keys: false, dryRun: false });
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

const markOf = ({ home }: Workbench): string => path.join(home, 'cache', 'take-over-offered');

/** A config is there, or it was offered before. */
function isBegun(bench: Workbench): boolean {
  return bench.config.files().some(({ layer, exists }) => layer === 'user' && exists) || existsSync(markOf(bench));
}

/** Notes that it was offered. Where that cannot be noted it is not offered either: it would be at every start. */
async function begin(bench: Workbench): Promise<boolean> {
  try {
    await makeFolder(path.dirname(markOf(bench)), 0o700);
    writeFileSync(markOf(bench), '', { flag: 'wx' });
    return true;
  } catch {
    return false;
  }
}
