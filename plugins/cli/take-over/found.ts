import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

/** Programs whose settings kern can take over. */
export type Origin = 'pi' | 'oh-my-pi';

/** Settings of another program on this machine. */
export interface Found {
  readonly origin: Origin;
  readonly folder: string;
  /** The file that counts for that program. */
  readonly file: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** In each folder the first file that is there counts: the newer format comes first. */
const places: readonly {
  readonly origin: Origin;
  readonly folder: (env: Env) => string;
  readonly files: readonly string[];
}[] = [
  {
    origin: 'pi',
    folder: (env) => env.PI_CODING_AGENT_DIR || path.join(env.HOME || homedir(), '.pi', 'agent'),
    files: ['settings.json'],
  },
  {
    origin: 'oh-my-pi',
    folder: (env) => path.join(env.HOME || homedir(), '.omp', 'agent'),
    files: ['config.yml', 'config.yaml', 'settings.json', 'agent.db'],
  },
];

/** What is there to take over. Only looks which files exist. */
export function foundSettings(env: Env): readonly Found[] {
  return places.flatMap(({ origin, folder: folderOf, files }) => {
    const folder = folderOf(env);
    const name = files.find((one) => existsSync(path.join(folder, one)));
    return name === undefined ? [] : [{ origin, folder, file: path.join(folder, name) }];
  });
}

/** Where settings of a program would lie. */
export function whereOf(wanted: Origin, env: Env): string {
  const place = places.find(({ origin }) => origin === wanted);
  return place === undefined ? '' : path.join(place.folder(env), place.files[0] ?? '');
}
