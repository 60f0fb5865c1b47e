import { discoverer, type Format } from 'kern/contracts';

const rules: Format<'rule'> = {
  shape: '`*.mdc`, `*.md` and `<name>/RULE.md`, also in folders below',
  read: async (at) => (await import('./rules.ts')).cursorRules(at),
};
const servers: Format<'mcp-server'> = {
  shape: '`mcpServers`',
  read: async (at) => (await import('./servers.ts')).cursorServers(at),
};

export default discoverer({
  id: 'cursor',
  displayName: 'Cursor',
  description: 'What lies in .cursor, and the .cursorrules of before.',
  priority: 50,
  places: [
    { kind: 'rule', path: '.cursor/rules', up: 'root', format: rules },
    { kind: 'rule', path: '.cursorrules', format: 'text', rule: 'always', name: 'cursorrules' },
    { kind: 'rule', path: '~/.cursor/rules', format: rules },
    { kind: 'skill', path: '.cursor/skills', up: 'root', format: 'skills', deep: 4 },
    { kind: 'skill', path: '~/.cursor/skills', format: 'skills', deep: 4 },
    { kind: 'slash-command', path: '.cursor/commands', up: 'root', format: 'texts', deep: 4 },
    { kind: 'slash-command', path: '~/.cursor/commands', format: 'texts', deep: 4 },
    { kind: 'agent-definition', path: '.cursor/agents', up: 'root', format: 'texts' },
    { kind: 'agent-definition', path: '~/.cursor/agents', format: 'texts' },
    { kind: 'mcp-server', path: '.cursor/mcp.json', format: servers },
    { kind: 'mcp-server', path: '~/.cursor/mcp.json', format: servers },
    { kind: 'hook', path: '.cursor/hooks.json', format: 'data', hooks: 'cursor' },
    { kind: 'hook', path: '~/.cursor/hooks.json', format: 'data', hooks: 'cursor' },
    { kind: 'settings-file', path: '.cursor/settings.json', format: 'data' },
    { kind: 'settings-file', path: '~/.cursor/settings.json', format: 'data' },
  ],
});
