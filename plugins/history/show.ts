import { type CommandArgs, type CommandHost, promptHistory } from 'kern/contracts';
import { KernError, visible } from 'kern/plugin';

/** `kern history [query]`. */
export async function show({ options, positionals, shared }: CommandArgs, host: CommandHost): Promise<number> {
  const limit = limitOf(options.limit);
  const query = positionals.join(' ');
  await host.view.use(promptHistory).load();
  const history = host.view.service(promptHistory);
  if (options.clear === true) {
    if (query !== '') throw new KernError('usage', '--clear forgets everything, and takes no words');
    await history.clear();
    if (shared.json) host.json({ prompts: [] });
    else host.print('all prompts are forgotten');
    return 0;
  }
  const where = options.here === true ? { cwd: shared.cwd } : {};
  const prompts = await history.search(query, limit, where);
  if (shared.json) {
    host.json({
      prompts: prompts.map(({ prompt, cwd, createdAt }) => ({ prompt, cwd: cwd ?? null, createdAt })),
    });
    return 0;
  }
  for (const { prompt, createdAt } of prompts) {
    const [first = '', ...more] = prompt.trim().split('\n');
    const rest = more.length === 0 ? '' : ` … (${more.length} more ${more.length === 1 ? 'line' : 'lines'})`;
    host.print(`${localTime(createdAt)}  ${visible(first)}${rest}`);
  }
  if (prompts.length === 0)
    host.say(query === '' ? 'kern: nothing was typed yet' : 'kern: nothing like that was typed');
  return 0;
}

function limitOf(text: unknown): number {
  if (typeof text !== 'string') return 20;
  const limit = Number(text);
  if (Number.isInteger(limit) && limit > 0) return limit;
  throw new KernError('usage', `--limit ${text}: it takes a whole number above 0`);
}

/** `2026-11-30 14:05`, as the clock on the wall shows it. */
function localTime(iso: string): string {
  const at = new Date(iso);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`;
}
