import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { makeFolder } from 'kern/plugin';
import { z } from 'zod';
import type { SessionTally } from './tally.ts';

const version = 2;

const count = z.number();
const replies = z.object({
  day: z.string(),
  model: z.string(),
  replies: count,
  input: count,
  output: count,
  cacheRead: count,
  cacheWrite: count,
  reasoning: count,
  cost: count,
  unknownCosts: count,
});
const tools = z.object({ day: z.string(), tool: z.string(), calls: count, errors: count, ms: count, timed: count });
const counted = z.object({
  size: z.number(),
  modified: z.string(),
  tally: z.object({
    cwd: z.string(),
    replies: z.array(replies),
    tools: z.array(tools),
    questions: z.record(z.string(), count),
  }),
});
const cacheFile = z.object({ version: z.literal(version), zone: z.string(), files: z.record(z.string(), counted) });

/** What a file came to when it had that size and was changed then. */
export interface Counted {
  readonly size: number;
  readonly modified: string;
  readonly tally: SessionTally;
}

const fileIn = (home: string): string => path.join(home, 'cache', 'session-stats.json');

/** Days are those of a time zone: in another one all is counted anew. */
const zone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** What is known from before; nothing where that cannot be read. */
export async function readCache(home: string): Promise<Map<string, Counted>> {
  try {
    const read = cacheFile.parse(JSON.parse(await readFile(fileIn(home), 'utf8')));
    return read.zone === zone() ? new Map(Object.entries(read.files)) : new Map();
  } catch {
    return new Map();
  }
}

/** Whole or not at all; without it the next time takes longer. */
export async function writeCache(home: string, files: ReadonlyMap<string, Counted>): Promise<void> {
  const file = fileIn(home);
  const draft = `${file}.${process.pid}.tmp`;
  try {
    await makeFolder(path.dirname(file), 0o700);
    await writeFile(draft, JSON.stringify({ version, zone: zone(), files: Object.fromEntries(files) }), {
      mode: 0o600,
    });
    await rename(draft, file);
  } catch {
    await rm(draft, { force: true }).catch(() => {});
  }
}
