import { discoverer, type Format } from 'kern/contracts';

const servers: Format<'mcp-server'> = {
  shape: '`mcpServers`',
  read: async (at) => (await import('./settings.ts')).geminiServers(at),
};
const hooks: Format<'hook'> = {
  shape: '`hooks`',
  read: async (at) => (await import('./settings.ts')).geminiHooks(at),
};
const commands: Format<'slash-command'> = {
  shape: '`*.toml`, also in folders below',
  read: async (at) => (await import('./commands.ts')).geminiCommands(at),
};
// What an extension holds.
const textsOfExtensions: Format<'context-file'> = {
  shape: '`<name>/GEMINI.md`, or its `contextFileName`',
  read: async (at) => (await import('./extensions.ts')).extensionTexts(at),
};
const serversOfExtensions: Format<'mcp-server'> = {
  shape: '`mcpServers` of `<name>/gemini-extension.json`',
  read: async (at) => (await import('./extensions.ts')).extensionServers(at),
};
const commandsOfExtensions: Format<'slash-command'> = {
  shape: '`<name>/commands/*.toml`',
  read: async (at) => (await import('./extensions.ts')).extensionCommands(at),
};
const skillsOfExtensions: Format<'skill'> = {
  shape: '`<name>/skills/<skill>/SKILL.md`',
  read: async (at) => (await import('./extensions.ts')).extensionSkills(at),
};
const agentsOfExtensions: Format<'agent-definition'> = {
  shape: '`<name>/agents/*.md`',
  read: async (at) => (await import('./extensions.ts')).extensionAgents(at),
};
const hooksOfExtensions: Format<'hook'> = {
  shape: '`<name>/hooks/hooks.json`',
  read: async (at) => (await import('./extensions.ts')).extensionHooks(at),
};

export default discoverer({
  id: 'gemini',
  displayName: 'Gemini CLI',
  description: 'GEMINI.md, and what lies in .gemini and in the folder of Gemini CLI, with its extensions.',
  priority: 60,
  places: [
    { kind: 'context-file', path: '.gemini/GEMINI.md', up: 'root', format: 'text', includes: true },
    { kind: 'context-file', path: 'GEMINI.md', up: 'beyond', format: 'text', includes: true },
    { kind: 'context-file', path: '~/.gemini/GEMINI.md', format: 'text', includes: true },
    { kind: 'context-file', path: '.gemini/extensions', format: textsOfExtensions, includes: true },
    { kind: 'context-file', path: '~/.gemini/extensions', format: textsOfExtensions, includes: true },
    { kind: 'system-prompt', path: '.gemini/system.md', up: 'nearest', format: 'text' },
    { kind: 'system-prompt', path: '~/.gemini/system.md', format: 'text' },
    { kind: 'skill', path: '.gemini/skills', up: 'root', format: 'skills', deep: 4 },
    { kind: 'skill', path: '.gemini/extensions', format: skillsOfExtensions },
    { kind: 'skill', path: '~/.gemini/skills', format: 'skills', deep: 4 },
    { kind: 'skill', path: '~/.gemini/extensions', format: skillsOfExtensions },
    { kind: 'slash-command', path: '.gemini/commands', up: 'root', format: commands, dialect: 'gemini' },
    { kind: 'slash-command', path: '.gemini/extensions', format: commandsOfExtensions, dialect: 'gemini' },
    { kind: 'slash-command', path: '~/.gemini/commands', format: commands, dialect: 'gemini' },
    { kind: 'slash-command', path: '~/.gemini/extensions', format: commandsOfExtensions, dialect: 'gemini' },
    { kind: 'agent-definition', path: '.gemini/agents', up: 'root', format: 'texts' },
    { kind: 'agent-definition', path: '.gemini/extensions', format: agentsOfExtensions },
    { kind: 'agent-definition', path: '~/.gemini/agents', format: 'texts' },
    { kind: 'agent-definition', path: '~/.gemini/extensions', format: agentsOfExtensions },
    { kind: 'mcp-server', path: '.gemini/settings.json', format: servers },
    { kind: 'mcp-server', path: '.gemini/extensions', format: serversOfExtensions },
    { kind: 'mcp-server', path: '~/.gemini/settings.json', format: servers },
    { kind: 'mcp-server', path: '~/.gemini/extensions', format: serversOfExtensions },
    { kind: 'hook', path: '.gemini/settings.json', format: hooks },
    { kind: 'hook', path: '.gemini/extensions', format: hooksOfExtensions },
    { kind: 'hook', path: '~/.gemini/settings.json', format: hooks },
    { kind: 'hook', path: '~/.gemini/extensions', format: hooksOfExtensions },
    { kind: 'extension-manifest', path: '.gemini/extensions', format: 'manifests' },
    { kind: 'extension-manifest', path: '~/.gemini/extensions', format: 'manifests' },
    { kind: 'extension-module', path: '.gemini/extensions', format: 'modules', extensions: 'gemini' },
    { kind: 'extension-module', path: '~/.gemini/extensions', format: 'modules', extensions: 'gemini' },
    { kind: 'settings-file', path: '.gemini/settings.json', format: 'data' },
    { kind: 'settings-file', path: '~/.gemini/settings.json', format: 'data' },
  ],
});
