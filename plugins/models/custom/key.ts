import { ModelError } from 'kern/contracts';
import { type Context, messageOf } from 'kern/plugin';
import type { CustomProvider } from './described.ts';

/** Gets a key when it is needed: a literal, `$NAME` from the environment, or what `!command` prints. */
export interface KeyReader {
  read(signal: AbortSignal): Promise<string | undefined>;
  /** Why there is none, as far as can be told without running anything. */
  missing(): string | undefined;
}

export function keyReader(
  { id, apiKey, place }: Pick<CustomProvider, 'id' | 'apiKey' | 'place'>,
  spawn: Context['spawn'],
): KeyReader {
  if (apiKey === undefined) return { read: async () => undefined, missing: () => undefined };
  if (apiKey.startsWith('!')) return commandKey(id, apiKey.slice(1).trim(), place, spawn);
  if (!apiKey.startsWith('$')) return { read: async () => apiKey, missing: () => undefined };
  const name = apiKey.slice(1).replace(/^\{(.*)\}$/, '$1');
  const missing = (): string | undefined =>
    process.env[name] ? undefined : `${name} is not set; ${place} takes the key of ${id} from it`;
  return {
    missing,
    read: async () => {
      const why = missing();
      if (why !== undefined) throw new ModelError('model_unauthorized', why, { hint: `set ${name}` });
      return process.env[name]?.trim();
    },
  };
}

/** Runs the command once; a failure is tried again with the next request. */
function commandKey(id: string, command: string, place: string, spawn: Context['spawn']): KeyReader {
  let known: Promise<string> | undefined;
  const run = async (signal: AbortSignal): Promise<string> => {
    const [program, ...args] = wordsOf(command);
    const failed = (why: string): ModelError =>
      new ModelError('model_unauthorized', `the command for the key of ${id} (${place}) ${why}`, {
        hint: `try it: ${command}`,
      });
    if (program === undefined) throw failed('is empty');
    const result = await spawn(program, args, { timeoutMs: 30_000, signal, label: `key of ${id}` }).result.catch(
      (error: unknown) => {
        throw failed(`cannot be started: ${messageOf(error)}`);
      },
    );
    if (result.exitCode !== 0)
      throw failed(
        result.timedOut
          ? 'took longer than 30 s'
          : `ended with ${result.exitCode ?? result.signal}: ${result.stderr.trim().split('\n')[0]}`,
      );
    const key = result.stdout.trim();
    if (key === '') throw failed('printed nothing');
    return key;
  };
  return {
    missing: () => undefined,
    read(signal) {
      known ??= run(signal);
      known.catch(() => {
        known = undefined;
      });
      return known;
    },
  };
}

/** A line as words: quotes hold words together, and there is no shell to understand anything else. */
export function wordsOf(line: string): readonly string[] {
  const words = line.matchAll(/(?:[^\s"']|"(?:[^"\\]|\\.)*"|'[^']*')+/g);
  return [...words].map(([word]) =>
    word.replace(
      /"((?:[^"\\]|\\.)*)"|'([^']*)'/g,
      (_, double?: string, single?: string) => single ?? double?.replace(/\\(.)/g, '$1') ?? '',
    ),
  );
}
