import type { McpServer } from '../contract.ts';

/** What became of a text, and which variables it wanted that are not set. */
export interface Expansion<T> {
  readonly value: T;
  readonly missing: readonly string[];
}

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * `${NAME}`, `${env:NAME}` and `${NAME:-default}`; the default counts where the variable is missing or empty. What is not set
 * and has no default stays as it is written.
 */
export function expandText(text: string, variables: Variables): Expansion<string> {
  const missing: string[] = [];
  const value = text.replace(
    /\$\{(?:env:)?([A-Za-z_]\w*)(?::-([^}]*))?\}/g,
    (written, name: string, otherwise: string | undefined) => {
      const found = Object.hasOwn(variables, name) ? variables[name] : undefined;
      if (found !== undefined && (found !== '' || otherwise === undefined)) return found;
      if (otherwise !== undefined) return otherwise;
      missing.push(name);
      return written;
    },
  );
  return { value, missing };
}

/** A server with the values of its variables, for the moment at which it is started: never before it is trusted. */
export function expanded(server: McpServer, variables: Variables): Expansion<McpServer> {
  if (server.verbatim === true) return { value: server, missing: [] };
  const missing = new Set<string>();
  const text = (written: string): string => {
    const { value, missing: lacking } = expandText(written, variables);
    for (const name of lacking) missing.add(name);
    return value;
  };
  const values = (map: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(map).map(([name, written]) => [name, text(written)]));
  const { command, args, env, cwd, url, headers } = server;
  const value: McpServer = {
    ...server,
    ...(command === undefined ? {} : { command: text(command) }),
    ...(args === undefined ? {} : { args: args.map(text) }),
    ...(env === undefined ? {} : { env: values(env) }),
    ...(cwd === undefined ? {} : { cwd: text(cwd) }),
    ...(url === undefined ? {} : { url: text(url) }),
    ...(headers === undefined ? {} : { headers: values(headers) }),
  };
  return { value, missing: [...missing] };
}
