import { isAbsolute, join } from 'node:path';
import type { McpServer, SshHost } from '../contract.ts';
import type { Make } from '../places.ts';
import { type Fields, flagOf, isFields, numberOf, present, textMapOf, textOf, textsOf } from './scalars.ts';

type ServerOptions = Parameters<Make['mcpServers']>[2];
type Warn = (path: string, why: string) => void;

/** How what is wrong is told: beside the rest, or as what makes the file no use. */
export interface Wrong {
  readonly warn: Warn;
  readonly broken: Warn;
}

/** MCP servers in all the spellings there are. What lacks a command or a URL is handed on: it is listed as invalid, with why. */
export function readMcpServers(
  servers: unknown,
  path: string,
  { warn, broken }: Wrong,
  options: ServerOptions = {},
): readonly McpServer[] {
  if (servers === undefined || servers === null) return [];
  if (!isFields(servers)) {
    broken(path, 'MCP servers are a map from names to servers');
    return [];
  }
  return Object.entries(servers).flatMap(([name, fields]) => {
    if (isFields(fields)) return [serverOf(name, fields, path, warn, options)];
    broken(path, `the MCP server ${name} is no map of settings`);
    return [];
  });
}

function serverOf(
  name: string,
  fields: Fields,
  path: string,
  warn: Warn,
  options: NonNullable<ServerOptions>,
): McpServer {
  const put = (text: string): string => withVariables(text, options.variables ?? {});
  const [command, ...first] = commandOf(fields.command).map(put);
  const args = [...first, ...textsOfList(fields.args).map(put)];
  const url = textOf(fields.httpUrl ?? fields.url ?? fields.serverUrl);
  const cwd = textOf(fields.cwd);
  const timeout = numberOf(fields.timeout ?? fields.timeoutMs);
  if (fields.timeout !== undefined && timeout === undefined)
    warn(path, `the timeout of the MCP server ${name} is no number`);
  const env = putInto(textMapOf(fields.env ?? fields.environment), put);
  const headers = putInto(textMapOf(fields.headers ?? fields.http_headers), put);
  return {
    name: `${options.prefix ?? ''}${name}`,
    path,
    transport: transportOf(fields, command, url),
    enabled: flagOf(fields.enabled) ?? flagOf(fields.disabled) !== true,
    ...present({
      command: command === undefined ? undefined : rooted(command, options.root),
      args: args.length === 0 ? undefined : args,
      env,
      cwd: cwd === undefined ? options.root : rootedFolder(put(cwd), options.root),
      url: url === undefined ? undefined : put(url),
      headers,
      timeoutMs: timeout === undefined ? undefined : timeout * (options.seconds === true ? 1000 : 1),
      oauth: isFields(fields.oauth) ? fields.oauth : undefined,
      includeTools: toolsOf(fields.includeTools ?? fields.enabledTools ?? fields.enabled_tools ?? fields.tools),
      excludeTools: toolsOf(fields.excludeTools ?? fields.disabledTools ?? fields.disabled_tools),
    }),
  };
}

const transports: Readonly<Record<string, McpServer['transport']>> = {
  stdio: 'stdio',
  local: 'stdio',
  http: 'http',
  remote: 'http',
  'streamable-http': 'http',
  streamablehttp: 'http',
  sse: 'sse',
};

function transportOf(fields: Fields, command: string | undefined, url: string | undefined): McpServer['transport'] {
  const said = textOf(fields.type ?? fields.transport)?.toLowerCase();
  const known = said === undefined ? undefined : transports[said];
  // A word that nobody knows is judged where it is validated, with the words that are known.
  if (said !== undefined) return known ?? (said as McpServer['transport']);
  return command === undefined && url !== undefined ? 'http' : 'stdio';
}

const commandOf = (value: unknown): readonly string[] => {
  if (Array.isArray(value)) return textsOfList(value);
  const text = textOf(value);
  return text === undefined ? [] : [text];
};

/** Empty texts are arguments, too. */
const textsOfList = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.flatMap((one) => (typeof one === 'string' ? [one] : (textOf(one) ?? []))) : [];

const toolsOf = (value: unknown): readonly string[] | undefined =>
  Array.isArray(value) && value.length > 0 ? textsOf(value) : undefined;

const withVariables = (text: string, variables: Readonly<Record<string, string>>): string =>
  text.replace(/\$\{([A-Za-z_/]\w*)\}/g, (written, name: string) =>
    Object.hasOwn(variables, name) ? (variables[name] ?? written) : written,
  );

const putInto = (
  map: Readonly<Record<string, string>> | undefined,
  put: (text: string) => string,
): Readonly<Record<string, string>> | undefined =>
  map && Object.fromEntries(Object.entries(map).map(([name, text]) => [name, put(text)]));

/** `./server` is a file beside the others; `npx` is a program. */
const rooted = (command: string, root: string | undefined): string =>
  root !== undefined && /^\.{1,2}[\\/]/.test(command) ? join(root, command) : command;

const rootedFolder = (folder: string, root: string | undefined): string =>
  root === undefined || isAbsolute(folder) || /^[$~]/.test(folder) ? folder : join(root, folder);

/** `{hosts: {name: {host, username, port, key, description, compat}}}`, without the outer map. */
export function readSshHosts(hosts: unknown, path: string, user: string, warn: Warn): readonly SshHost[] {
  if (hosts === undefined || hosts === null) return [];
  if (!isFields(hosts)) {
    warn(path, 'hosts are a map from names to hosts');
    return [];
  }
  return Object.entries(hosts).flatMap(([name, fields]) => {
    if (!isFields(fields)) {
      warn(path, `the host ${name} is no map of settings`);
      return [];
    }
    const port = numberOf(fields.port);
    const isPort = port !== undefined && Number.isInteger(port) && port > 0 && port < 65_536;
    if (fields.port !== undefined && !isPort) warn(path, `the port of the host ${name} is none`);
    const key = textOf(fields.keyPath ?? fields.key);
    return [
      {
        name,
        path,
        // A host that is missing is told as such where it is validated.
        host: textOf(fields.host) ?? '',
        ...present({
          username: textOf(fields.username ?? fields.user),
          port: isPort ? port : undefined,
          keyPath: key?.startsWith('~/') ? join(user, key.slice(2)) : key,
          description: textOf(fields.description),
          compat: flagOf(fields.compat),
        }),
      },
    ];
  });
}
