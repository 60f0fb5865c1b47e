import { discoverer, type Format } from 'kern/contracts';

const prompts: Format<'prompt'> = {
  shape: '`*.prompt.md`',
  read: async (at) => (await import('./texts.ts')).copilotPrompts(at),
};
const agents: Format<'agent-definition'> = {
  shape: '`*.agent.md`, `*.chatmode.md` and `*.md`',
  read: async (at) => (await import('./texts.ts')).copilotAgents(at),
};
const servers: Format<'mcp-server'> = {
  shape: '`mcpServers`',
  read: async (at) => (await import('./servers.ts')).copilotServers(at),
};
const instructions = ['.instructions.md'];

export default discoverer({
  id: 'github',
  displayName: 'GitHub Copilot',
  description: 'What lies in .github for Copilot, and in the folder of Copilot.',
  priority: 30,
  folders: { COPILOT_HOME: '~/.copilot' },
  places: [
    { kind: 'context-file', path: '.github/copilot-instructions.md', up: 'root', format: 'text' },
    { kind: 'context-file', path: '~/.copilot/copilot-instructions.md', format: 'text' },
    { kind: 'instruction', path: '.github/instructions', format: 'texts', endings: instructions, deep: 4 },
    { kind: 'instruction', path: '~/.copilot/instructions', format: 'texts', endings: instructions, deep: 4 },
    { kind: 'prompt', path: '.github/prompts', format: prompts },
    { kind: 'skill', path: '.github/skills', up: 'root', format: 'skills', deep: 4 },
    { kind: 'skill', path: '~/.copilot/skills', format: 'skills', deep: 4 },
    { kind: 'agent-definition', path: '.github/agents', format: agents },
    { kind: 'agent-definition', path: '.github/chatmodes', format: agents },
    { kind: 'agent-definition', path: '~/.copilot/agents', format: agents },
    { kind: 'mcp-server', path: '~/.copilot/mcp-config.json', format: servers },
  ],
});
