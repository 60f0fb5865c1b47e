import { createReadStream } from 'node:fs';
import path from 'node:path';
import {
  type CommandArgs,
  type CommandHost,
  type SessionStorage,
  type SessionSummary,
  sessionStorages,
  sessions,
} from 'kern/contracts';
import { KernError } from 'kern/plugin';
import { type Counted, readCache, writeCache } from './cache.ts';
import { countSession } from './count.ts';
import { statsLines } from './lines.ts';
import { summed } from './sum.ts';
import { dayOf } from './tally.ts';

export async function stats(args: CommandArgs, host: CommandHost): Promise<number> {
  const { cwd, json } = args.shared;
  const { by, here, sessionDir } = args.options;
  const since = sinceOf(args.options.days);
  const { view, signal } = host;
  await Promise.all([view.use(sessions).load(), view.use(sessionStorages).load()]);
  const dir = typeof sessionDir === 'string' ? path.resolve(cwd, sessionDir) : undefined;
  const found = await view.service(sessions).list({ ...(here === true ? { cwd } : {}), dir, signal });
  const counted = await countAll(found, host);
  const sum = summed(
    counted.map(({ tally }) => tally),
    since,
  );
  if (json) {
    const tables = {
      total: sum.total,
      byDay: sum.byDay,
      byModel: sum.byModel,
      byProject: sum.byProject,
      byTool: sum.byTool,
    };
    host.json(
      typeof by === 'string' ? { by, since: since ?? null, rows: sum.rows(by) } : { since: since ?? null, ...tables },
    );
    return 0;
  }
  for (const line of statsLines(sum, typeof by === 'string' ? by : undefined)) host.print(line);
  return 0;
}

function sinceOf(days: unknown): string | undefined {
  if (typeof days !== 'string') return undefined;
  const count = Number(days);
  if (!Number.isInteger(count) || count < 1)
    throw new KernError('usage', `--days ${days}: it takes a number of days, 1 is today`);
  const first = new Date();
  first.setDate(first.getDate() - (count - 1));
  return dayOf(first.getTime());
}

/** Only what has changed since the last time is read. */
async function countAll(found: readonly SessionSummary[], host: CommandHost): Promise<readonly Counted[]> {
  const { home } = host.view.where;
  const cache = await readCache(home);
  const storage = storageOf(host);
  const counted: Counted[] = [];
  let isChanged = false;
  for (const { file, size, modified } of found) {
    host.signal.throwIfAborted();
    const known = cache.get(file);
    if (known !== undefined && known.size === size && known.modified === modified) {
      counted.push(known);
      continue;
    }
    const fresh = await countFile(file, { size, modified }, storage, host.signal);
    if (fresh === undefined) continue;
    counted.push(fresh);
    cache.set(file, fresh);
    isChanged = true;
  }
  if (isChanged) await writeCache(home, cache);
  return counted;
}

async function countFile(
  file: string,
  about: { readonly size: number; readonly modified: string },
  storage: SessionStorage | undefined,
  signal: AbortSignal,
): Promise<Counted | undefined> {
  try {
    const chunks = storage?.read(file, signal) ?? createReadStream(file, { signal });
    return { ...about, tally: await countSession(chunks) };
  } catch (error) {
    signal.throwIfAborted();
    // It was deleted meanwhile, or is another user's.
    if (error instanceof KernError) throw error;
    return undefined;
  }
}

function storageOf({ view }: CommandHost): SessionStorage | undefined {
  const id = view.setting('plugins.sessions.storage');
  return view.use(sessionStorages).get(typeof id === 'string' ? id : 'file')?.item;
}
