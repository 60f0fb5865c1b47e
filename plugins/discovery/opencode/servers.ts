import { join } from 'node:path';
import type { At, McpServer } from 'kern/contracts';
import { isFields } from 'kern/contracts';
import { type Said, section, substituted } from './config.ts';

/** `mcp`: a local one has its arguments in `command`, and its variables in `environment`. */
export async function openCodeServers(at: At): Promise<readonly McpServer[]> {
  const said = await wholeOnes(await section('mcp', at), at);
  const found = await Promise.all(
    said.map(async ({ name, path, fields }) => {
      const server = await substituted(fields, path, at);
      return isFields(server) ? at.make.mcpServers({ [name]: server }, path) : [];
    }),
  );
  return found.flat();
}

/** A project may say a part of a server that the person has: `{"enabled": false}`. */
async function wholeOnes(said: readonly Said[], at: At): Promise<readonly Said[]> {
  const isWhole = ({ fields }: Said): boolean => fields.command !== undefined || fields.url !== undefined;
  if (at.level === 'user' || !at.levels.includes('user') || said.every(isWhole)) return said;
  const personal = await section('mcp', { ...at, level: 'user', path: join(folderOf(at), 'opencode.json') });
  return said.map((one) => {
    const below = isWhole(one) ? undefined : personal.find(({ name }) => name === one.name);
    return below === undefined ? one : { ...one, fields: { ...below.fields, ...one.fields } };
  });
}

function folderOf({ env, user }: At): string {
  const { OPENCODE_CONFIG_DIR: own = '', XDG_CONFIG_HOME: shared = '' } = env;
  if (own !== '') return own;
  return join(shared === '' ? join(user, '.config') : shared, 'opencode');
}
