import path from 'node:path';
import { type CommandArgs, type CommandHost, columns } from 'kern/contracts';
import { visible } from 'kern/plugin';
import { fileOf, sessionsOf } from './opened.ts';

/** So many problems are told one by one. */
const shownRepairs = 200;

export async function doctor(args: CommandArgs, host: CommandHost): Promise<number> {
  const [wanted = ''] = args.positionals;
  const { cwd, json } = args.shared;
  const { repair } = args.options;
  const file = await fileOf(wanted, args, host);
  const known = await sessionsOf(host);
  const found = await known.diagnose(file);
  const copy = typeof repair === 'string' ? path.resolve(cwd, repair) : undefined;
  const mended = copy === undefined ? undefined : await known.repair(file, copy);
  if (json) {
    host.json({ ...found, version: found.version ?? null, ...(mended === undefined ? {} : { copy: mended }) });
    return found.sound ? 0 : 1;
  }
  host.print(visible(file));
  host.print(
    `${found.dialect === 'unknown' ? 'nothing tells whose it is' : `as ${found.dialect === 'pi' ? 'pi and kern write' : `${found.dialect} writes`} it`}, version ${found.version ?? 'unknown'}, ${found.entries} entries, ${found.branches} ${found.branches === 1 ? 'branch' : 'branches'}`,
  );
  const rows = found.repairs
    .slice(0, shownRepairs)
    .map(({ line, kind, message }) => [`line ${line}`, kind, visible(message)]);
  for (const line of columns(rows)) host.print(line);
  const more = found.repairs.length - rows.length;
  if (more > 0) host.print(`… and ${more} more; --json tells all`);
  host.print(found.sound ? 'It is sound.' : 'It is not sound. kern opens it all the same, and loses nothing of it.');
  if (copy !== undefined) host.say(`A sound copy: ${visible(copy)}`);
  else if (!found.sound) host.say(`\`kern sessions doctor ${visible(wanted)} --repair <copy>\` writes a sound copy.`);
  return found.sound ? 0 : 1;
}
