import { basename } from 'node:path';
import { type At, isFields, type McpServer } from 'kern/contracts';

/** The servers of an mcp.json, with the folders that Cursor knows by name. */
export async function cursorServers({ path, files, make, where, user }: At): Promise<readonly McpServer[]> {
  const data = await files.json(path);
  if (data === undefined) return [];
  if (isFields(data)) {
    const variables = {
      workspaceFolder: where.root,
      workspaceFolderBasename: basename(where.root),
      userHome: user,
    };
    return make.mcpServers(data.mcpServers, path, { variables });
  }
  files.warn(path, 'holds no map');
  return [];
}
