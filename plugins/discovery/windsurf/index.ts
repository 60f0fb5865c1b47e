import { discoverer } from 'kern/contracts';

export default discoverer({
  id: 'windsurf',
  displayName: 'Windsurf',
  description: 'What lies in .windsurf and in the folder of Windsurf, and the .windsurfrules of before.',
  priority: 50,
  places: [
    { kind: 'rule', path: '.windsurf/rules', up: 'root', format: 'texts', deep: 4, rule: 'always' },
    { kind: 'rule', path: '.windsurfrules', format: 'text', rule: 'always', name: 'windsurfrules' },
    {
      kind: 'rule',
      path: '~/.codeium/windsurf/memories/global_rules.md',
      format: 'text',
      rule: 'always',
      name: 'global_rules',
    },
    { kind: 'skill', path: '.windsurf/skills', up: 'root', format: 'skills', deep: 4 },
    { kind: 'skill', path: '~/.codeium/windsurf/skills', format: 'skills', deep: 4 },
    { kind: 'slash-command', path: '.windsurf/workflows', up: 'root', format: 'texts' },
    { kind: 'slash-command', path: '~/.codeium/windsurf/global_workflows', format: 'texts' },
    { kind: 'mcp-server', path: '.windsurf/mcp_config.json', format: 'data' },
    { kind: 'mcp-server', path: '~/.codeium/windsurf/mcp_config.json', format: 'data' },
  ],
});
