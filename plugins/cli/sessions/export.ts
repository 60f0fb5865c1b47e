import { once } from 'node:events';
import { open } from 'node:fs/promises';
import path from 'node:path';
import type { CommandArgs, CommandHost, SessionStore } from 'kern/contracts';
import { codeOf, KernError, visible } from 'kern/plugin';
import { opened } from './opened.ts';

type Format = 'html' | 'md' | 'jsonl';

/** So much is gathered before it is written. */
const chunkSize = 256 * 1024;

export async function exportSession(args: CommandArgs, host: CommandHost): Promise<number> {
  const [wanted = ''] = args.positionals;
  const { cwd, json } = args.shared;
  const format = formatOf(args.options);
  const { output, force } = args.options;
  if (json && output === '-') throw new KernError('usage', '--json and -o - both print on stdout');
  const { store } = await opened(wanted, args, host);
  try {
    if (output === '-') {
      await print(await partsOf(format, store), host);
      return 0;
    }
    const file = path.resolve(cwd, typeof output === 'string' ? output : `${nameOf(store.header.id)}.${format}`);
    await write(file, await partsOf(format, store), force === true);
    if (json) host.json({ file, format, session: store.header.id });
    else host.print(visible(file));
    return 0;
  } finally {
    await store.close();
  }
}

function formatOf(options: CommandArgs['options']): Format {
  const { output } = options;
  const said = (['html', 'md', 'jsonl'] as const).filter((format) => options[format] === true);
  if (said.length > 1) throw new KernError('usage', `--${said.join(' and --')} say different things`);
  if (said[0] !== undefined) return said[0];
  const ending = typeof output === 'string' ? path.extname(output) : '';
  if (ending === '.md' || ending === '.markdown') return 'md';
  return ending === '.jsonl' ? 'jsonl' : 'html';
}

async function partsOf(format: Format, store: SessionStore): Promise<Iterable<string>> {
  if (format === 'html') return (await import('./html.ts')).html(store);
  if (format === 'md') return shown((await import('./markdown.ts')).markdown(store));
  return (await import('./jsonl.ts')).jsonl(store);
}

const nameOf = (id: string): string => id.replace(/[^\w.-]/g, '_').slice(0, 100) || 'session';

/** A page of text may be printed: what a terminal would obey, or hide, is spelled out. What joins two signs to one stays. */
function* shown(parts: Iterable<string>): Generator<string> {
  for (const part of parts) yield part.replace(/(?![\n\t\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, visible);
}

function* gathered(parts: Iterable<string>): Generator<string> {
  let text = '';
  for (const part of parts) {
    text += part;
    if (text.length < chunkSize) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

/** Private, as the session is. */
async function write(file: string, parts: Iterable<string>, force: boolean): Promise<void> {
  try {
    const handle = await open(file, force ? 'w' : 'wx', 0o600);
    try {
      for (const text of gathered(parts)) await handle.write(text);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof KernError) throw error;
    const isThere = codeOf(error) === 'EEXIST';
    throw new KernError('export_failed', isThere ? `${file} is there already` : `${file} cannot be written`, {
      hint: isThere ? 'Give another name, or --force.' : 'Give a file in a folder that is there: -o <file>',
      ...(isThere ? {} : { cause: error }),
    });
  }
}

async function print(parts: Iterable<string>, { stdout, signal }: CommandHost): Promise<void> {
  for (const text of gathered(parts)) {
    signal.throwIfAborted();
    if (!stdout.write(text)) await once(stdout, 'drain', { signal });
  }
}
