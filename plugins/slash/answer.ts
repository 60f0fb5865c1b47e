import type { InvokedTexts } from 'kern/contracts';
import type { Context } from 'kern/plugin';
import type { Meant } from './find.ts';
import { readText } from './text.ts';

/** What comes of a command or a template: what is sent to the model, or what a command that did it itself has to say. */
export async function answerTo(
  ctx: Pick<Context, 'run'>,
  found: Extract<Meant, { kind: 'command' | 'template' }>,
  args: string,
  texts: InvokedTexts,
  signal: AbortSignal,
): Promise<{ readonly send: string } | { readonly say: string | undefined }> {
  const { origin } = found.entry;
  // Its plugin answers for reading alone: lines that run are not its own.
  if (found.kind === 'template') {
    const { item, read } = await ctx.run(found.entry, async (item) => ({
      item,
      read: await readText(item, args, signal),
    }));
    if ('made' in read) return { send: read.made };
    return { send: await texts.textFor({ kind: 'prompt', item, origin, args, text: read.text }, signal) };
  }
  const { item, read } = await ctx.run(found.entry, async (item) => {
    if (item.run !== undefined) return { item, read: { say: await item.run(args, signal) } };
    return { item, read: await readText(item, args, signal) };
  });
  if ('say' in read) return read;
  if ('made' in read) return { send: read.made };
  return { send: await texts.textFor({ kind: 'slash-command', item, origin, args, text: read.text }, signal) };
}
