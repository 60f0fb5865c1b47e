import { type At, isFields, type McpServer } from 'kern/contracts';

/** The servers of the Copilot CLI: `tools: ["*"]` is all of them, and no name. */
export async function copilotServers({ path, files, make }: At): Promise<readonly McpServer[]> {
  const data = await files.json(path);
  const servers = isFields(data) ? make.mcpServers(data.mcpServers, path) : [];
  return servers.map(({ includeTools, ...server }) =>
    includeTools === undefined || includeTools.includes('*') ? server : { ...server, includeTools },
  );
}
