import { discoverer, type Format } from 'kern/contracts';

const hooksInSettings: Format<'hook'> = {
  shape: '`hooks`',
  read: async (at) => (await import('./hooks.ts')).claudeHooks(at),
};
const hookFiles: Format<'hook'> = {
  shape: '`pre/<tool>.*` and `post/<tool>.*`',
  read: async (at) => (await import('./hooks.ts')).claudeHookFiles(at),
};
const ownServers: Format<'mcp-server'> = {
  shape: '`mcpServers` of this project, and of all',
  read: async (at) => (await import('./own-servers.ts')).ownServers(at),
};

export default discoverer({
  id: 'claude',
  displayName: 'Claude Code',
  description: 'What lies in .claude and in the folder of Claude Code, and CLAUDE.local.md.',
  priority: 80,
  folders: { CLAUDE_CONFIG_DIR: '~/.claude' },
  places: [
    { kind: 'context-file', path: '.claude/CLAUDE.md', up: 'root', format: 'text', includes: true },
    { kind: 'context-file', path: 'CLAUDE.local.md', up: 'beyond', format: 'text', includes: true, part: 'local' },
    { kind: 'context-file', path: '~/.claude/CLAUDE.md', format: 'text', includes: true },
    { kind: 'system-prompt', path: '.claude/SYSTEM.md', up: 'nearest', format: 'text' },
    { kind: 'system-prompt', path: '~/.claude/SYSTEM.md', format: 'text' },
    { kind: 'rule', path: '.claude/rules', up: 'root', format: 'texts', deep: 4, endings: ['.md'], rule: 'always' },
    { kind: 'rule', path: '~/.claude/rules', format: 'texts', deep: 4, endings: ['.md'], rule: 'always' },
    { kind: 'skill', path: '.claude/skills', up: 'root', format: 'skills', deep: 4, description: 'none' },
    { kind: 'skill', path: '~/.claude/skills', format: 'skills', deep: 4, description: 'none' },
    { kind: 'slash-command', path: '.claude/commands', up: 'root', format: 'texts', deep: 4, dialect: 'claude' },
    { kind: 'slash-command', path: '~/.claude/commands', format: 'texts', deep: 4, dialect: 'claude' },
    { kind: 'agent-definition', path: '.claude/agents', up: 'root', format: 'texts', deep: 4 },
    { kind: 'agent-definition', path: '~/.claude/agents', format: 'texts', deep: 4 },
    { kind: 'hook', path: '.claude/settings.json', format: hooksInSettings },
    { kind: 'hook', path: '.claude/settings.local.json', format: hooksInSettings },
    { kind: 'hook', path: '.claude/hooks', format: hookFiles, hooks: 'claude' },
    { kind: 'hook', path: '~/.claude/settings.json', format: hooksInSettings },
    { kind: 'hook', path: '~/.claude/hooks', format: hookFiles, hooks: 'claude' },
    { kind: 'mcp-server', path: ['.claude/.mcp.json', '.claude/mcp.json'], format: 'data' },
    // With CLAUDE_CONFIG_DIR it lies in that folder.
    { kind: 'mcp-server', path: ['~/.claude/.claude.json', '~/.claude.json'], format: ownServers },
    { kind: 'mcp-server', path: '~/.claude/mcp.json', format: 'data' },
    { kind: 'custom-tool', path: '.claude/tools', format: 'tool-files' },
    { kind: 'custom-tool', path: '~/.claude/tools', format: 'tool-files' },
    { kind: 'extension-module', path: '.claude/extensions', format: 'modules', extensions: 'claude' },
    { kind: 'extension-module', path: '~/.claude/extensions', format: 'modules', extensions: 'claude' },
    { kind: 'settings-file', path: '.claude/settings.json', format: 'data' },
    { kind: 'settings-file', path: '.claude/settings.local.json', format: 'data' },
    { kind: 'settings-file', path: '~/.claude/settings.json', format: 'data' },
  ],
});
