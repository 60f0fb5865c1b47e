import {
  type AgentSession,
  agentSessions,
  type CommandArgs,
  type CommandHost,
  type CompactionResult,
} from 'kern/contracts';
import { KernError, visible } from 'kern/plugin';
import { dirOf, fileOf } from './opened.ts';
import { plain } from './words.ts';

/** `kern sessions compact`: looks at a compaction, makes one, or takes the latest back. */
export async function compact(args: CommandArgs, host: CommandHost): Promise<number> {
  const [wanted = ''] = args.positionals;
  const { preview, undo, instructions, strategy, model } = args.options;
  const told = [instructions, strategy, model].some((option) => option !== undefined);
  if (undo === true && (preview === true || told))
    throw new KernError('usage', '--undo takes a compaction back, and nothing else', { hint: 'Leave the others out.' });
  const file = await fileOf(wanted, args, host);
  await using session = await opened(file, preview === true, args, host);
  const onAbort = (): void => void session.abort();
  host.signal.addEventListener('abort', onAbort, { once: true });
  try {
    if (undo === true) {
      await session.undoCompaction();
      await saved(session);
      if (args.shared.json) host.json({ session: session.id, file: session.file ?? null, undone: true });
      else host.print('The latest compaction is taken back: the model reads again what was said.');
      return 0;
    }
    const result = await session.compactWith({
      preview: preview === true,
      ...(typeof instructions === 'string' ? { instructions } : {}),
      ...(typeof strategy === 'string' ? { strategy } : {}),
      ...(typeof model === 'string' ? { model } : {}),
    });
    if (preview !== true) await saved(session);
    if (args.shared.json) host.json({ file, preview: preview === true, ...result, entryId: result.entryId ?? null });
    else tell(result, preview === true, host);
    return 0;
  } finally {
    host.signal.removeEventListener('abort', onAbort);
  }
}

/** To look at it, the session is read into memory: whoever has it open goes on. */
async function opened(
  file: string,
  isPreview: boolean,
  args: CommandArgs,
  { view }: CommandHost,
): Promise<AgentSession> {
  const { model } = args.options;
  const dir = dirOf(args);
  await view.use(agentSessions).load();
  return view.service(agentSessions).create({
    view,
    cwd: args.shared.cwd,
    resume: file,
    oneShot: true,
    persist: !isPreview,
    whenBusy: 'fail',
    ...(dir === undefined ? {} : { sessionDir: dir }),
    ...(typeof model === 'string' ? { model } : {}),
  });
}

async function saved(session: AgentSession): Promise<void> {
  const unsaved = await session.save();
  if (unsaved !== undefined)
    throw new KernError('session_write_failed', `it could not be written: ${unsaved.why}`, {
      hint: 'The session itself is as it was.',
    });
}

function tell(result: CompactionResult, isPreview: boolean, host: CommandHost): void {
  const { summary, summarized, kept, tokensBefore, tokensAfter, pins } = result;
  host.print(plain(summary));
  const pinned = pins.length === 0 ? '' : `; told again word for word: ${pins.map(({ id }) => visible(id)).join(', ')}`;
  host.say(
    `${isPreview ? 'Would sum up' : 'Summed up'} ${summarized} messages and ${isPreview ? 'keep' : 'kept'} ${kept}: about ${tokensBefore} tokens ${isPreview ? 'would become' : 'became'} ${tokensAfter}${pinned}`,
  );
  if (isPreview) host.say('Nothing was changed.');
}
