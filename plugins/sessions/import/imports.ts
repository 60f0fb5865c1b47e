import { createHash } from 'node:crypto';
import { cp, readdir, stat, utimes } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  type ImportReport,
  type SessionImports,
  type SessionSource,
  type SessionStorage,
  sessionSources,
} from 'kern/contracts';
import { type Context, didYouMean, type Entry, KernError, nearNames } from 'kern/plugin';
import { Blobs } from '../blobs.ts';
import { foldersFor, realCwd } from '../folders.ts';
import { artifactFolder, fileName } from '../names.ts';
import { type Count, importLines } from './import-lines.ts';
import { headOfFile } from './transcript-lines.ts';

export interface ImportsParts {
  readonly ctx: Context;
  /** The storage of sessions. */
  readonly storage: () => Promise<SessionStorage>;
}

/** What the `session-imports` service does. */
export class Imports implements SessionImports {
  readonly #parts: ImportsParts;

  constructor(parts: ImportsParts) {
    this.#parts = parts;
  }

  async sources(): Promise<readonly { readonly id: string; readonly displayName: string }[]> {
    const known = this.#parts.ctx.use(sessionSources);
    await known.load();
    return known.items().map(({ id, displayName }) => ({ id, displayName }));
  }

  async recognize(file: string, signal: AbortSignal): Promise<string | undefined> {
    const { ctx } = this.#parts;
    const head = await headOfFile(file, signal);
    const known = ctx.use(sessionSources);
    await known.load();
    for (const { verdict, item } of known.entries()) {
      const entry = verdict.state === 'won' ? known.get(item.id) : undefined;
      if (entry !== undefined && (await ctx.run(entry, (source) => source.recognizes(head)))) return item.id;
    }
    return undefined;
  }

  async find(sourceId: string, options: Parameters<SessionImports['find']>[1]): Promise<readonly string[]> {
    const { cwd, env, signal } = options;
    const entry = await this.#source(sourceId);
    const home = env.HOME ?? homedir();
    const folders = await this.#parts.ctx.run(entry, (source) => source.folders({ home, env }));
    const found: { readonly file: string; readonly modifiedMs: number }[] = [];
    for (const folder of new Set(folders)) {
      for (const file of await filesIn(folder)) {
        signal.throwIfAborted();
        const about = await stat(file).catch(() => undefined);
        if (about?.isFile() !== true || about.size === 0) continue;
        const head = await headOfFile(file, signal).catch(() => '');
        const isWanted = await this.#parts.ctx.run(
          entry,
          (source) => source.recognizes(head) && isOf(cwd, source.cwdOf?.(head)),
        );
        if (isWanted) found.push({ file, modifiedMs: about.mtimeMs });
      }
    }
    return found.sort((a, b) => b.modifiedMs - a.modifiedMs).map(({ file }) => file);
  }

  async take(sourceId: string, given: string, options: Parameters<SessionImports['take']>[2]): Promise<ImportReport> {
    const { signal, dir } = options;
    const { ctx } = this.#parts;
    const from = resolve(options.cwd, given);
    const entry = await this.#source(sourceId);
    const session = await ctx.run(entry, (source) => source.read(from, signal));
    const cwd = realCwd(session.cwd === '' ? options.cwd : session.cwd);
    const id = /^[0-9a-zA-Z][\w-]{7,63}$/.test(session.id) ? session.id : idOf(`${sourceId}:${from}`);
    const storage = await this.#parts.storage();
    const file = join(this.#folder(cwd, dir), fileName(session.timestamp, id));
    const { name, warnings } = session;
    const report = { source: sourceId, from, id, file, cwd, name, warnings };
    if (file === from || (await storage.size(file)) !== undefined) return { ...report, messages: 0, isNew: false };
    const count: Count = { messages: 0, latest: session.timestamp };
    const origin = { source: sourceId, id: session.id, file: from };
    const limit = ctx.setting('plugins.sessions.inlineLimit');
    const inlineLimit = typeof limit === 'number' ? limit : 500_000;
    const blobs = new Blobs(ctx.where.home);
    await storage.replace(file, importLines(session, { id, cwd, origin, blobs, inlineLimit }, count));
    if (count.messages === 0) {
      await storage.remove(file);
      throw new KernError('import_empty', `${from} holds no conversation that kern can take over`, {
        hint: warnings.length === 0 ? 'nobody has said anything in it' : warnings.slice(0, 5).join('\n'),
      });
    }
    if (storage.id === 'file') {
      // It was not said today: `--continue` goes on in what is newer.
      const latest = new Date(count.latest);
      await utimes(file, latest, latest);
      if (session.artifacts !== undefined) await cp(session.artifacts, artifactFolder(file), { recursive: true });
    }
    return { ...report, messages: count.messages, isNew: true };
  }

  #folder(cwd: string, dir: string | undefined): string {
    const { ctx } = this.#parts;
    const setting = ctx.setting('plugins.sessions.dir');
    return foldersFor(ctx.where.home, cwd, dir ?? (typeof setting === 'string' ? setting : undefined)).own;
  }

  async #source(id: string): Promise<Entry<SessionSource>> {
    const known = this.#parts.ctx.use(sessionSources);
    await known.load();
    const entry = known.get(id);
    if (entry !== undefined) return entry;
    const ids = known.items().map((source) => source.id);
    throw new KernError('import_unknown_source', `there is no importer ${id}`, {
      hint: didYouMean(nearNames(id, ids)) ?? `There is: ${ids.join(', ')}`,
    });
  }
}

const isOf = (wanted: string | undefined, cwd: string | undefined): boolean =>
  wanted === undefined || cwd === undefined || realCwd(cwd) === realCwd(wanted);

async function filesIn(folder: string): Promise<readonly string[]> {
  const found = await readdir(folder, { recursive: true }).catch(() => []);
  // What its subagents said lies beside a session of Claude Code.
  return found
    .filter((name) => name.endsWith('.jsonl') && !/(^|[/\\])agent-/.test(name))
    .map((name) => join(folder, name));
}

/** The same each time. */
function idOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}
