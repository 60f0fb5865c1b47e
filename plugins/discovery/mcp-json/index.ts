import { discoverer } from 'kern/contracts';

export default discoverer({
  id: 'mcp-json',
  displayName: '.mcp.json',
  description: 'MCP servers that a project names for all agents.',
  priority: 5,
  places: [
    { kind: 'mcp-server', path: 'mcp.json', format: 'data' },
    { kind: 'mcp-server', path: '.mcp.json', format: 'data' },
  ],
});
