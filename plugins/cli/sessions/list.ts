import { type CommandArgs, type CommandHost, columns, type SessionSummary } from 'kern/contracts';
import { dirOf, sessionsOf } from './opened.ts';
import { clockText, short } from './words.ts';

export async function list(args: CommandArgs, host: CommandHost): Promise<number> {
  const { cwd, json } = args.shared;
  const isAll = args.options.all === true;
  const known = await sessionsOf(host);
  const found = await known.list({ ...(isAll ? {} : { cwd }), dir: dirOf(args), signal: host.signal });
  if (json) {
    host.json({ sessions: found.map(shown) });
    return 0;
  }
  if (found.length === 0) {
    host.say(isAll ? 'There is no session yet.' : 'There is no session of this folder; --all lists those of others.');
    return 0;
  }
  const rows = found.map((one) => [
    clockText(one.modified),
    idText(one.id),
    String(one.messages),
    ...(isAll ? [short(one.cwd, 40)] : []),
    short(one.name ?? one.firstMessage, 80),
  ]);
  const head = ['last', 'id', 'messages', ...(isAll ? ['folder'] : []), 'about'];
  for (const line of columns([head, ...rows])) host.print(line);
  return 0;
}

/** As much of an id as tells sessions apart: its time. */
const idText = (id: string): string => short(/^[0-9a-f]{8}-[0-9a-f]{4}-/.test(id) ? id.slice(0, 13) : id, 36);

function shown(summary: SessionSummary): object {
  const { id, file, name, cwd, created, modified, messages, firstMessage, parentSession, size } = summary;
  return {
    id,
    file,
    name: name ?? null,
    cwd,
    created,
    modified,
    messages,
    firstMessage,
    size,
    ...(parentSession === undefined ? {} : { parentSession }),
  };
}
