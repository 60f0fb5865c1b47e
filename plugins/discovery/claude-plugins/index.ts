import { discoverer, type Format } from 'kern/contracts';

// What the plugins hold that were installed with Claude Code, or as it does it.
const skills: Format<'skill'> = {
  shape: '`skills/<name>/SKILL.md` of each plugin',
  read: async (at) => (await import('./texts.ts')).pluginSkills(at),
};
const commands: Format<'slash-command'> = {
  shape: '`commands/*.md` of each plugin',
  read: async (at) => (await import('./texts.ts')).pluginCommands(at),
};
const agents: Format<'agent-definition'> = {
  shape: '`agents/*.md` of each plugin',
  read: async (at) => (await import('./texts.ts')).pluginAgents(at),
};
const rules: Format<'rule'> = {
  shape: '`rules/*.{md,mdc}` of each plugin',
  read: async (at) => (await import('./texts.ts')).pluginRules(at),
};
const hooks: Format<'hook'> = {
  shape: '`hooks/hooks.json` and `hooks/{pre,post}/*` of each plugin',
  read: async (at) => (await import('./code.ts')).pluginHooks(at),
};
const tools: Format<'custom-tool'> = {
  shape: '`tools/*.{ts,js}` of each plugin',
  read: async (at) => (await import('./code.ts')).pluginTools(at),
};
const servers: Format<'mcp-server'> = {
  shape: '`.mcp.json` of each plugin',
  read: async (at) => (await import('./code.ts')).pluginServers(at),
};
const manifests: Format<'extension-manifest'> = {
  shape: '`.claude-plugin/plugin.json` of each plugin',
  read: async (at) => (await import('./installed.ts')).pluginManifests(at),
};

// Agent Plugins 1.0.0.
const agentPluginSkills: Format<'skill'> = {
  shape: '`<plugin>/skills/<name>/SKILL.md`',
  read: async (at) => (await import('./agent-plugin-parts.ts')).agentPluginSkills(at),
};
const agentPluginServers: Format<'mcp-server'> = {
  shape: '`<plugin>/mcp.json`',
  read: async (at) => (await import('./agent-plugin-parts.ts')).agentPluginServers(at),
};
const agentPluginManifests: Format<'extension-manifest'> = {
  shape: '`<plugin>/plugin.json`',
  read: async (at) => (await import('./agent-plugin-parts.ts')).agentPluginManifests(at),
};

const installed = '~/.claude/plugins/installed_plugins.json';
/** oh-my-pi keeps its own list of them, in the same words. What stands in both is taken from it. */
const installedByOhMyPi = '~/.omp/plugins/installed_plugins.json';

export default discoverer({
  id: 'claude-plugins',
  displayName: 'Plugins',
  description: 'Plugins that were installed with Claude Code or oh-my-pi, and Agent Plugins in .agents/plugins.',
  priority: 70,
  folders: { CLAUDE_CONFIG_DIR: '~/.claude' },
  places: [
    { kind: 'skill', path: '.agents/plugins', up: 'root', format: agentPluginSkills },
    { kind: 'skill', path: '~/.agents/plugins', format: agentPluginSkills },
    { kind: 'skill', path: installedByOhMyPi, format: skills, description: 'none' },
    { kind: 'skill', path: installed, format: skills, description: 'none' },
    { kind: 'mcp-server', path: '.agents/plugins', up: 'root', format: agentPluginServers },
    { kind: 'mcp-server', path: '~/.agents/plugins', format: agentPluginServers },
    { kind: 'mcp-server', path: installedByOhMyPi, format: servers },
    { kind: 'mcp-server', path: installed, format: servers },
    { kind: 'extension-manifest', path: '.agents/plugins', up: 'root', format: agentPluginManifests },
    { kind: 'extension-manifest', path: '~/.agents/plugins', format: agentPluginManifests },
    { kind: 'extension-manifest', path: installedByOhMyPi, format: manifests },
    { kind: 'extension-manifest', path: installed, format: manifests },
    { kind: 'slash-command', path: installedByOhMyPi, format: commands, dialect: 'claude' },
    { kind: 'slash-command', path: installed, format: commands, dialect: 'claude' },
    { kind: 'agent-definition', path: installedByOhMyPi, format: agents },
    { kind: 'agent-definition', path: installed, format: agents },
    { kind: 'rule', path: installedByOhMyPi, format: rules, rule: 'always' },
    { kind: 'rule', path: installed, format: rules, rule: 'always' },
    { kind: 'hook', path: installedByOhMyPi, format: hooks, hooks: 'claude' },
    { kind: 'hook', path: installed, format: hooks, hooks: 'claude' },
    { kind: 'custom-tool', path: installedByOhMyPi, format: tools },
    { kind: 'custom-tool', path: installed, format: tools },
  ],
});
