import { type At, isFields, type McpServer } from 'kern/contracts';

/** Cline counts the time limit of a server in seconds. */
export async function clineServers({ path, files, make }: At): Promise<readonly McpServer[]> {
  const data = await files.json(path);
  return isFields(data) ? make.mcpServers(data.mcpServers, path, { seconds: true }) : [];
}
