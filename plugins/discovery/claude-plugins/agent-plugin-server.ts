import { join, resolve } from 'node:path';
import { type Fields, type Files, isFields, type McpServer, present } from 'kern/contracts';
import { isIn, isTextList } from './agent-plugin.ts';

export interface ServerGround {
  /** The folder of the plugin, without links. */
  readonly root: string;
  /** The folder that it keeps its own things in. */
  readonly data: string;
  readonly files: Files;
}

type Read = Omit<McpServer, 'name' | 'path'>;

/** A server of an Agent Plugin, or what is wrong with it. */
export async function readServer(fields: unknown, ground: ServerGround): Promise<Read | string> {
  if (!isFields(fields)) return 'is no map';
  if (fields.type === 'stdio') return stdioServer(fields, ground);
  if (fields.type === 'streamable-http' || fields.type === 'sse') return remoteServer(fields, fields.type);
  if (fields.type === undefined) return 'has no type';
  return `has the type ${JSON.stringify(fields.type)}, which is none of stdio, streamable-http and sse`;
}

const strangeField = (fields: Fields, known: readonly string[]): string | undefined => {
  const strange = Object.keys(fields).find((field) => !known.includes(field));
  return strange === undefined ? undefined : `has ${strange}, which is no field of its type`;
};

async function stdioServer(fields: Fields, ground: ServerGround): Promise<Read | string> {
  const { command, args = [], env = {}, cwd } = fields;
  const strange = strangeField(fields, ['type', 'command', 'args', 'env', 'cwd']);
  if (strange !== undefined) return strange;
  if (typeof command !== 'string' || command === '') return 'has no command';
  if (!isTextList(args)) return 'has args that are no list of texts';
  if (!isTextMap(env)) return 'has an env that is no map of texts';
  // Names of variables are the same to Windows however they are written.
  if (Object.keys(env).some((name) => /^PLUGIN_(?:ROOT|DATA)$/i.test(name)))
    return 'sets PLUGIN_ROOT or PLUGIN_DATA, which kern sets';
  const program = await programOf(command, ground);
  if (program === undefined) return `has the command ${command}, which is neither a name nor a ./path in the plugin`;
  if (cwd !== undefined && typeof cwd !== 'string') return 'has a cwd that is no text';
  const folder = cwd === undefined ? ground.root : await folderOf(cwd, ground);
  if (folder === undefined) return `has the cwd ${String(cwd)}, which is no place in the plugin or its data`;
  const own = { PLUGIN_ROOT: ground.root, PLUGIN_DATA: ground.data };
  return {
    transport: 'stdio',
    enabled: true,
    command: program,
    cwd: folder,
    env: { ...Object.fromEntries(Object.entries(env).map(([name, value]) => [name, put(value, ground)])), ...own },
    verbatim: true,
    ...present({ args: args.length === 0 ? undefined : args.map((arg) => put(arg, ground)) }),
  };
}

/** A bare name, or a file of the plugin. Nothing is put into it. */
async function programOf(command: string, { root, files }: ServerGround): Promise<string | undefined> {
  if (!command.startsWith('./')) return /^[^\s/\\]+$/.test(command) ? command : undefined;
  const path = resolve(root, command);
  if (path === root || !(await staysIn(path, root, files))) return undefined;
  return path;
}

async function folderOf(cwd: string, { root, data, files }: ServerGround): Promise<string | undefined> {
  const [, variable, rest = ''] = /^\$\{PLUGIN_(ROOT|DATA)\}(\/.*)?$/s.exec(cwd) ?? [];
  if (variable === undefined && !cwd.startsWith('./')) return undefined;
  const top = variable === 'DATA' ? data : root;
  const path = variable === undefined ? resolve(root, cwd) : resolve(join(top, rest));
  return (await staysIn(path, top, files)) ? path : undefined;
}

/** Also behind links. What is not there yet cannot lead anywhere. */
async function staysIn(path: string, top: string, files: Files): Promise<boolean> {
  if (!isIn(path, top)) return false;
  const [real, realTop] = await Promise.all([files.real(path), files.real(top)]);
  return real === undefined || realTop === undefined || isIn(real, realTop);
}

/** Once, and nothing else: a value that is put in is not looked through again. */
const put = (text: string, { root, data }: ServerGround): string =>
  text.replaceAll(/\$\{PLUGIN_(ROOT|DATA)\}/g, (_, which: string) => (which === 'ROOT' ? root : data));

function remoteServer(fields: Fields, type: 'streamable-http' | 'sse'): Read | string {
  const { url, headers = {} } = fields;
  const strange = strangeField(fields, ['type', 'url', 'headers']);
  if (strange !== undefined) return strange;
  const wrong = typeof url === 'string' ? urlProblem(url) : 'has no url';
  if (wrong !== undefined || typeof url !== 'string') return wrong ?? 'has no url';
  if (!isTextMap(headers)) return 'has headers that are no map of texts';
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  if (new Set(names).size < names.length) return 'has one header twice';
  const isHeader = ([name, value]: readonly [string, string]): boolean =>
    /^[!#$%&'*+.^_`|~\w-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
  if (!Object.entries(headers).every(isHeader)) return 'has a header that is none';
  return {
    transport: type === 'sse' ? 'sse' : 'http',
    enabled: true,
    url,
    verbatim: true,
    ...present({ headers: names.length === 0 ? undefined : headers }),
  };
}

function urlProblem(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:\/\//i.test(text)) return `has the url ${text}, which is none of http or https`;
  if (url.username !== '' || url.password !== '') return 'has a url with a user in it';
  if (text.includes('#')) return 'has a url with a part behind #';
  const isHere = url.hostname === 'localhost' || url.hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(url.hostname);
  return url.protocol === 'http:' && !isHere ? 'has a url without TLS that leads to another machine' : undefined;
}

const isTextMap = (value: unknown): value is Readonly<Record<string, string>> =>
  isFields(value) && Object.values(value).every((one) => typeof one === 'string');
