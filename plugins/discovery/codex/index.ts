import { discoverer, type Format } from 'kern/contracts';

const servers: Format<'mcp-server'> = {
  shape: '`[mcp_servers.<name>]`',
  read: async (at) => (await import('./config.ts')).codexServers(at),
};
const hooksInConfig: Format<'hook'> = {
  shape: '`[[hooks.<event>]]`',
  read: async (at) => (await import('./config.ts')).codexHooks(at),
};
const hookFiles: Format<'hook'> = {
  shape: '`pre-<tool>.{ts,js}` and `post-<tool>.{ts,js}`',
  read: async (at) => (await import('./hook-files.ts')).codexHookFiles(at),
};
const agents: Format<'agent-definition'> = {
  shape: '`<name>.toml`',
  read: async (at) => (await import('./agents.ts')).codexAgents(at),
};

export default discoverer({
  id: 'codex',
  displayName: 'OpenAI Codex',
  description: 'What lies in .codex and in the folder of Codex.',
  priority: 70,
  folders: { CODEX_HOME: '~/.codex' },
  places: [
    { kind: 'context-file', path: ['~/.codex/AGENTS.override.md', '~/.codex/AGENTS.md'], format: 'text' },
    { kind: 'system-prompt', path: '.codex/SYSTEM.md', up: 'nearest', format: 'text' },
    { kind: 'system-prompt', path: '~/.codex/SYSTEM.md', format: 'text' },
    { kind: 'skill', path: '.codex/skills', up: 'root', format: 'skills', deep: 4 },
    { kind: 'skill', path: '~/.codex/skills', format: 'skills', deep: 4 },
    { kind: 'slash-command', path: '.codex/commands', format: 'texts', dialect: 'codex' },
    { kind: 'slash-command', path: '~/.codex/commands', format: 'texts', dialect: 'codex' },
    { kind: 'prompt', path: '.codex/prompts', format: 'texts', dialect: 'codex' },
    { kind: 'prompt', path: '~/.codex/prompts', format: 'texts', dialect: 'codex' },
    { kind: 'agent-definition', path: '.codex/agents', up: 'root', format: agents },
    { kind: 'agent-definition', path: '~/.codex/agents', format: agents },
    { kind: 'mcp-server', path: '.codex/config.toml', up: 'root', format: servers },
    { kind: 'mcp-server', path: '~/.codex/config.toml', format: servers },
    { kind: 'hook', path: '.codex/hooks.json', format: 'data', hooks: 'codex' },
    { kind: 'hook', path: '.codex/config.toml', format: hooksInConfig },
    { kind: 'hook', path: '.codex/hooks', format: hookFiles, hooks: 'codex' },
    { kind: 'hook', path: '~/.codex/hooks.json', format: 'data', hooks: 'codex' },
    { kind: 'hook', path: '~/.codex/config.toml', format: hooksInConfig },
    { kind: 'hook', path: '~/.codex/hooks', format: hookFiles, hooks: 'codex' },
    { kind: 'custom-tool', path: '.codex/tools', format: 'tool-files' },
    { kind: 'custom-tool', path: '~/.codex/tools', format: 'tool-files' },
    { kind: 'extension-module', path: '.codex/extensions', format: 'modules', extensions: 'codex' },
    { kind: 'extension-module', path: '~/.codex/extensions', format: 'modules', extensions: 'codex' },
    { kind: 'settings-file', path: '.codex/config.toml', format: 'data' },
    { kind: 'settings-file', path: '~/.codex/config.toml', format: 'data' },
  ],
});
