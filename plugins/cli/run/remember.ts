import { type AgentSession, type CommandArgs, type CommandHost, promptHistory } from 'kern/contracts';
import { messagesOf } from './prompts.ts';

/**
 * Notes what a person typed, for recall, once the first request has left: the start pays nothing for it. What scripts and
 * pipes say is not typed by anybody.
 */
export function rememberWhenSent(
  session: AgentSession,
  { positionals, options }: CommandArgs,
  host: CommandHost,
): void {
  if (host.stderr.isTTY !== true || options.noSession === true || options.mode === 'json') return;
  const prompts = typed(positionals);
  if (prompts.length === 0) return;
  const subscription = session.subscribe((event) => {
    if (event.type !== 'message_start' || event.message.role !== 'assistant') return;
    subscription.dispose();
    // A history that cannot be is told by itself; the run has nothing to do with it.
    remember(prompts, session.cwd, host).catch(() => undefined);
  });
}

/** Files belong to the first message, as they do in the run. */
function typed(words: readonly string[]): readonly string[] {
  const files = words.filter((word) => word.startsWith('@'));
  const [first, ...others] = messagesOf(words.filter((word) => !word.startsWith('@')));
  const opening = [...files, ...(first === undefined ? [] : [first])].join(' ');
  return opening === '' ? others : [opening, ...others];
}

async function remember(prompts: readonly string[], cwd: string, { view }: CommandHost): Promise<void> {
  await view.use(promptHistory).load();
  // Switched off, there is nobody to remember.
  const history = view.use(promptHistory).items()[0];
  for (const prompt of prompts) history?.add(prompt, cwd);
}
