import { discoverer, type Format, type FoundKind, type Place } from 'kern/contracts';

const servers: Format<'mcp-server'> = {
  shape: '`mcp`, of all of these together',
  readsAll: true,
  read: async (at) => (await import('./servers.ts')).openCodeServers(at),
};
const commands: Format<'slash-command'> = {
  shape: '`command`, of all of these together',
  readsAll: true,
  read: async (at) => (await import('./texts.ts')).configuredCommands(at),
};
const configuredAgents: Format<'agent-definition'> = {
  shape: '`agent`, of all of these together',
  readsAll: true,
  read: async (at) => (await import('./texts.ts')).configuredAgents(at),
};
const agents: Format<'agent-definition'> = {
  shape: '`*.md`, also in folders below',
  read: async (at) => (await import('./texts.ts')).openCodeAgents(at),
};
const instructions: Format<'instruction'> = {
  shape: '`instructions`, of all of these together',
  readsAll: true,
  read: async (at) => (await import('./instructions.ts')).openCodeInstructions(at),
};

/** A folder has up to four files of settings, which are read as one. The first that is there stands for all of them. */
const ofProject = ['opencode.json', 'opencode.jsonc', '.opencode/opencode.json', '.opencode/opencode.jsonc'];
const ofPerson = ['config.json', 'opencode.json', 'opencode.jsonc'].map((name) => `~/.config/opencode/${name}`);

/** Files of settings, each as it is. */
const settings = (paths: readonly string[]): readonly Place[] =>
  paths.map((path) => ({ kind: 'settings-file' satisfies FoundKind, path, format: 'data' }));

export default discoverer({
  id: 'opencode',
  displayName: 'OpenCode',
  description: 'opencode.json, and what lies in .opencode and in the folder of OpenCode.',
  priority: 55,
  folders: { OPENCODE_CONFIG_DIR: '~/.config/opencode', XDG_CONFIG_HOME: '~/.config' },
  places: [
    { kind: 'context-file', path: '~/.config/opencode/AGENTS.md', format: 'text' },
    { kind: 'instruction', path: ofProject, up: 'root', format: instructions },
    { kind: 'instruction', path: ofPerson, format: instructions },
    { kind: 'skill', path: '.opencode/skills', up: 'root', format: 'skills', deep: 4 },
    { kind: 'skill', path: '.opencode/skill', up: 'root', format: 'skills', deep: 4 },
    { kind: 'skill', path: '~/.config/opencode/skills', format: 'skills', deep: 4 },
    { kind: 'skill', path: '~/.config/opencode/skill', format: 'skills', deep: 4 },
    { kind: 'slash-command', path: '.opencode/commands', up: 'root', format: 'texts', deep: 4, dialect: 'opencode' },
    { kind: 'slash-command', path: '.opencode/command', up: 'root', format: 'texts', deep: 4, dialect: 'opencode' },
    { kind: 'slash-command', path: ofProject, up: 'root', format: commands, dialect: 'opencode' },
    { kind: 'slash-command', path: '~/.config/opencode/commands', format: 'texts', deep: 4, dialect: 'opencode' },
    { kind: 'slash-command', path: '~/.config/opencode/command', format: 'texts', deep: 4, dialect: 'opencode' },
    { kind: 'slash-command', path: ofPerson, format: commands, dialect: 'opencode' },
    { kind: 'agent-definition', path: '.opencode/agents', up: 'root', format: agents },
    { kind: 'agent-definition', path: '.opencode/agent', up: 'root', format: agents },
    { kind: 'agent-definition', path: ofProject, up: 'root', format: configuredAgents },
    { kind: 'agent-definition', path: '~/.config/opencode/agents', format: agents },
    { kind: 'agent-definition', path: '~/.config/opencode/agent', format: agents },
    { kind: 'agent-definition', path: ofPerson, format: configuredAgents },
    { kind: 'mcp-server', path: ofProject, up: 'root', format: servers },
    { kind: 'mcp-server', path: ofPerson, format: servers },
    { kind: 'custom-tool', path: '.opencode/tools', format: 'tool-files' },
    { kind: 'custom-tool', path: '.opencode/tool', format: 'tool-files' },
    { kind: 'custom-tool', path: '~/.config/opencode/tools', format: 'tool-files' },
    { kind: 'custom-tool', path: '~/.config/opencode/tool', format: 'tool-files' },
    { kind: 'extension-module', path: '.opencode/plugins', format: 'modules', extensions: 'opencode' },
    { kind: 'extension-module', path: '.opencode/plugin', format: 'modules', extensions: 'opencode' },
    { kind: 'extension-module', path: '~/.config/opencode/plugins', format: 'modules', extensions: 'opencode' },
    { kind: 'extension-module', path: '~/.config/opencode/plugin', format: 'modules', extensions: 'opencode' },
    ...settings(ofProject),
    ...settings(ofPerson),
  ],
});
