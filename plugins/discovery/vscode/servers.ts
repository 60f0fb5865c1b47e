import { basename } from 'node:path';
import { type At, isFields, type McpServer, textOf } from 'kern/contracts';

/**
 * `{servers, inputs}` as VS Code writes an mcp.json, `{mcp: {servers}}` as it writes its settings, and `{mcpServers}` as many
 * write it by mistake.
 */
export async function codeServers({ path, files, make, where, user }: At): Promise<readonly McpServer[]> {
  const data = await files.json(path);
  if (data === undefined) return [];
  if (!isFields(data)) {
    files.warn(path, 'holds no map');
    return [];
  }
  const inMcp = isFields(data.mcp) ? data.mcp : {};
  const isSettings = basename(path) === 'settings.json';
  const servers = inMcp.servers ?? (isSettings ? data['mcp.servers'] : (data.servers ?? data.mcpServers));
  const variables = {
    workspaceFolder: where.root,
    workspaceFolderBasename: basename(where.root),
    userHome: user,
    cwd: where.root,
    '/': '/',
  };
  const found = make.mcpServers(servers, path, { variables });
  for (const { name, input } of found.flatMap(inputsOf))
    files.warn(
      path,
      `the MCP server ${name} wants the input ${input}${told(input, inMcp.inputs ?? data.inputs)}, which only VS Code asks for; \${env:NAME} in its place takes a variable of the environment`,
    );
  return found;
}

const inputsOf = (server: McpServer): readonly { readonly name: string; readonly input: string }[] => {
  const inputs = [...JSON.stringify(server).matchAll(/\$\{input:([^}"]+)\}/g)].map(([, input = '']) => input);
  return [...new Set(inputs)].map((input) => ({ name: server.name, input }));
};

function told(id: string, inputs: unknown): string {
  const list: readonly unknown[] = Array.isArray(inputs) ? inputs : [];
  const input = list.find((one) => isFields(one) && one.id === id);
  const description = isFields(input) ? textOf(input.description) : undefined;
  return description === undefined ? '' : ` (${description})`;
}
