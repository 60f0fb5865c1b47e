import { discoverer } from 'kern/contracts';

export default discoverer({
  id: 'agents',
  displayName: 'AGENTS.md and .agents',
  description:
    'What all agents share: AGENTS.md on the way to the working directory, and the folders .agent and .agents.',
  priority: 70,
  places: [
    // Many projects have a CLAUDE.md and nothing else: where there is no AGENTS.md, it speaks to every agent.
    {
      kind: 'context-file',
      path: ['AGENTS.md', 'CLAUDE.md'],
      up: 'beyond',
      format: 'text',
      includes: ['CLAUDE.md'],
    },
    { kind: 'context-file', path: '.agents/AGENTS.md', up: 'root', format: 'text' },
    { kind: 'context-file', path: '.agent/AGENTS.md', up: 'root', format: 'text' },
    {
      kind: 'context-file',
      path: ['~/.agents/AGENTS.md', '~/.agent/AGENTS.md', '~/.config/agents/AGENTS.md', '~/.config/AGENTS.md'],
      format: 'text',
    },
    { kind: 'system-prompt', path: ['.agents/SYSTEM.md', '.agent/SYSTEM.md'], up: 'nearest', format: 'text' },
    { kind: 'system-prompt', path: ['~/.agents/SYSTEM.md', '~/.agent/SYSTEM.md'], format: 'text' },
    { kind: 'skill', path: '.agents/skills', up: 'root', format: 'skills', deep: 4 },
    { kind: 'skill', path: '.agent/skills', up: 'root', format: 'skills', deep: 4 },
    { kind: 'skill', path: '~/.agents/skills', format: 'skills', deep: 4 },
    { kind: 'skill', path: '~/.agent/skills', format: 'skills', deep: 4 },
    { kind: 'skill', path: '~/.config/agents/skills', format: 'skills', deep: 4 },
    { kind: 'rule', path: '.agents/rules', up: 'root', format: 'texts' },
    { kind: 'rule', path: '.agent/rules', up: 'root', format: 'texts' },
    { kind: 'rule', path: '~/.agents/rules', format: 'texts' },
    { kind: 'rule', path: '~/.agent/rules', format: 'texts' },
    { kind: 'prompt', path: '.agents/prompts', up: 'root', format: 'texts' },
    { kind: 'prompt', path: '.agent/prompts', up: 'root', format: 'texts' },
    { kind: 'prompt', path: '~/.agents/prompts', format: 'texts' },
    { kind: 'prompt', path: '~/.agent/prompts', format: 'texts' },
    { kind: 'slash-command', path: '.agents/commands', up: 'root', format: 'texts' },
    { kind: 'slash-command', path: '.agent/commands', up: 'root', format: 'texts' },
    { kind: 'slash-command', path: '~/.agents/commands', format: 'texts' },
    { kind: 'slash-command', path: '~/.agent/commands', format: 'texts' },
  ],
});
