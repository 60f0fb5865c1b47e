import { discoverer, type Format } from 'kern/contracts';

const rules: Format<'rule'> = {
  shape: 'a file, or a folder of `*.md` and `*.txt`',
  read: async (at) => (await import('./rules.ts')).clineRules(at),
};
const hooks: Format<'hook'> = {
  shape: 'programs named after events: `PreToolUse`',
  read: async (at) => (await import('./hooks.ts')).clineHooks(at),
};
const servers: Format<'mcp-server'> = {
  shape: '`mcpServers`',
  read: async (at) => (await import('./servers.ts')).clineServers(at),
};

export default discoverer({
  id: 'cline',
  displayName: 'Cline',
  description: 'What lies in .clinerules and .cline.',
  priority: 40,
  folders: { CLINE_DIR: '~/.cline' },
  places: [
    { kind: 'rule', path: '.clinerules', up: 'nearest', format: rules, rule: 'always', name: 'clinerules' },
    { kind: 'rule', path: '.cline/rules', up: 'nearest', format: rules, rule: 'always' },
    { kind: 'rule', path: '~/Documents/Cline/Rules', format: rules, rule: 'always' },
    { kind: 'rule', path: '~/.cline/rules', format: rules, rule: 'always' },
    { kind: 'slash-command', path: '.clinerules/workflows', up: 'nearest', format: 'texts' },
    { kind: 'slash-command', path: '~/Documents/Cline/Workflows', format: 'texts' },
    { kind: 'skill', path: '.cline/skills', up: 'root', format: 'skills', deep: 4 },
    { kind: 'skill', path: '.clinerules/skills', up: 'root', format: 'skills', deep: 4 },
    { kind: 'skill', path: '~/.cline/skills', format: 'skills', deep: 4 },
    { kind: 'hook', path: '.clinerules/hooks', format: hooks, hooks: 'cline' },
    { kind: 'hook', path: '.cline/hooks', format: hooks, hooks: 'cline' },
    { kind: 'hook', path: '~/Documents/Cline/Hooks', format: hooks, hooks: 'cline' },
    { kind: 'mcp-server', path: '.cline/mcp.json', format: servers },
    { kind: 'mcp-server', path: '~/.cline/mcp.json', format: servers },
    { kind: 'mcp-server', path: '~/.cline/data/settings/cline_mcp_settings.json', format: servers },
  ],
});
