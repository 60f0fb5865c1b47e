import { discoverer, type Format } from 'kern/contracts';

const servers: Format<'mcp-server'> = {
  shape: '`servers` with `inputs`, or `mcp.servers`',
  read: async (at) => (await import('./servers.ts')).codeServers(at),
};

export default discoverer({
  id: 'vscode',
  displayName: 'VS Code',
  description: 'MCP servers of VS Code.',
  priority: 20,
  places: [
    { kind: 'mcp-server', path: '.vscode/mcp.json', format: servers },
    { kind: 'mcp-server', path: '.vscode/settings.json', format: servers },
    {
      kind: 'mcp-server',
      path: [
        '~/.config/Code/User/mcp.json',
        '~/Library/Application Support/Code/User/mcp.json',
        '~/AppData/Roaming/Code/User/mcp.json',
      ],
      format: servers,
    },
  ],
});
