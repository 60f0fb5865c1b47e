import { discoverer } from 'kern/contracts';

const contextNames = ['AGENTS.override.md', 'AGENTS.md', 'AGENTS.MD', 'CLAUDE.md', 'CLAUDE.MD'];

export default discoverer({
  id: 'pi',
  displayName: 'pi',
  description: 'What lies in .pi and in the folder of pi.',
  priority: 85,
  folders: { PI_CODING_AGENT_DIR: '~/.pi/agent' },
  places: [
    { kind: 'context-file', path: contextNames.map((name) => `.pi/${name}`), up: 'nearest', format: 'text' },
    { kind: 'context-file', path: contextNames.map((name) => `~/.pi/agent/${name}`), format: 'text' },
    { kind: 'system-prompt', path: '.pi/SYSTEM.md', format: 'text' },
    { kind: 'system-prompt', path: '.pi/APPEND_SYSTEM.md', format: 'text', append: true },
    { kind: 'system-prompt', path: '~/.pi/agent/SYSTEM.md', format: 'text' },
    { kind: 'system-prompt', path: '~/.pi/agent/APPEND_SYSTEM.md', format: 'text', append: true },
    { kind: 'skill', path: '.pi/skills', format: 'skills', deep: 4 },
    { kind: 'skill', path: '~/.pi/agent/skills', format: 'skills', deep: 4 },
    { kind: 'prompt', path: '.pi/prompts', format: 'texts', dialect: 'pi' },
    { kind: 'prompt', path: '~/.pi/agent/prompts', format: 'texts', dialect: 'pi' },
    { kind: 'mcp-server', path: '.pi/mcp.json', format: 'data' },
    { kind: 'mcp-server', path: '~/.pi/agent/mcp.json', format: 'data' },
    { kind: 'extension-module', path: '.pi/extensions', format: 'modules', extensions: 'pi' },
    { kind: 'extension-module', path: '.pi/settings.json', format: 'module-list', extensions: 'pi' },
    { kind: 'extension-module', path: '~/.pi/agent/extensions', format: 'modules', extensions: 'pi' },
    { kind: 'extension-module', path: '~/.pi/agent/settings.json', format: 'module-list', extensions: 'pi' },
    { kind: 'settings-file', path: '.pi/settings.json', format: 'data' },
    { kind: 'settings-file', path: '~/.pi/agent/settings.json', format: 'data' },
  ],
});
