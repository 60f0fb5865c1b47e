import { keyAtHand, keyCommandWords, keySource, ModelError } from 'kern/contracts';
import { type Context, messageOf, processes } from 'kern/plugin';
import { abortable } from './abortable.ts';

const limitMs = 30_000;

/** Gets keys from where they stand. What a command has printed is kept until somebody says that it is no good. */
export class KeyValues {
  readonly #ctx: Pick<Context, 'use' | 'spawn'>;
  readonly #printed = new Map<string, Promise<string>>();

  constructor(ctx: Pick<Context, 'use' | 'spawn'>) {
    this.#ctx = ctx;
  }

  /** Undefined where a variable is not set. `owner` is whose key it is, for messages. */
  async value(text: string, owner: string, signal: AbortSignal): Promise<string | undefined> {
    const source = keySource(text);
    if (source.kind !== 'command') return keyAtHand(text).key;
    const { command } = source;
    const known = this.#printed.get(command) ?? this.#run(command, owner);
    this.#printed.set(command, known);
    known.catch(() => {
      if (this.#printed.get(command) === known) this.#printed.delete(command);
    });
    return abortable(known, signal);
  }

  /** The next one who asks gets what the command prints then. Answers whether there was something to forget. */
  forget(text: string): boolean {
    const source = keySource(text);
    return source.kind === 'command' && this.#printed.delete(source.command);
  }

  async #run(command: string, owner: string): Promise<string> {
    const [program, ...args] = keyCommandWords(command);
    const failed = (why: string): ModelError =>
      new ModelError('model_unauthorized', `the command for the key of ${owner} ${why}`, {
        hint: `try it: ${command}`,
      });
    if (program === undefined) throw failed('is empty');
    const options = { timeoutMs: limitMs, label: `key of ${owner}` };
    await this.#ctx.use(processes).load(); // it may still sleep
    const result = await this.#ctx.spawn(program, args, options).result.catch((error: unknown) => {
      throw failed(`cannot be started: ${messageOf(error)}`);
    });
    if (result.timedOut) throw failed(`took longer than ${limitMs / 1000} s`);
    if (result.exitCode !== 0)
      throw failed(`ended with ${result.exitCode ?? result.signal}: ${result.stderr.trim().split('\n')[0]}`);
    const key = result.stdout.trim();
    if (key === '') throw failed('printed nothing');
    return key;
  }
}
