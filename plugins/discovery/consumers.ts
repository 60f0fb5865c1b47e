import type { FoundKind } from './places.ts';

/** Who does something with what was found: the plugin, and what it does. */
export interface Consumer {
  readonly plugin: string;
  readonly does: string;
}

/** Of each discovered kind who uses it. A kind whose consumer is not there is listed as unused. */
export const foundConsumers: Readonly<Record<FoundKind, Consumer>> = {
  'context-file': { plugin: 'prompt', does: 'stands in the system prompt' },
  skill: { plugin: 'skills', does: 'is told to the model by name, and read when it is used' },
  rule: {
    plugin: 'prompt',
    does: 'is told always, for files of its globs, when the model asks, or when the stream matches',
  },
  prompt: { plugin: 'slash', does: 'is sent as /name' },
  'slash-command': { plugin: 'slash', does: 'is sent as /name' },
  instruction: { plugin: 'prompt', does: 'is told with files that it applies to' },
  hook: { plugin: 'hooks', does: 'runs at its event, once it is trusted' },
  'mcp-server': { plugin: 'mcp', does: 'is connected, once it is trusted' },
  'ssh-host': { plugin: 'tools.ssh', does: 'can be reached by the tool ssh' },
  'extension-module': {
    plugin: 'compat',
    does: 'is loaded once its provider is switched on for code, and it is trusted',
  },
  'extension-manifest': { plugin: 'packages', does: 'is a package that can be taken' },
  'custom-tool': { plugin: 'custom-tools', does: 'is a tool of the model, once it is trusted' },
  'system-prompt': { plugin: 'prompt', does: 'takes the place of the system prompt, or follows it' },
  'settings-file': { plugin: 'cli.take-over', does: 'is offered to be taken over' },
  'agent-definition': { plugin: 'task', does: 'is given tasks' },
};
