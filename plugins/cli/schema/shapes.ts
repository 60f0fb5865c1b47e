import { z } from 'zod';
import { fromZod, type JsonSchema, titled } from './draft.ts';

/** Paths in a package; one may stand by itself. */
const paths = (what: string) =>
  z
    .union([z.string(), z.array(z.string())])
    .optional()
    .describe(what);

const manifest = z.strictObject({
  extensions: z
    .array(z.string())
    .optional()
    .describe('The entry files, relative to this package, or folders of them. Default index.ts or index.js'),
  skills: paths('Folders of skills. Default skills/'),
  commands: paths('Folders of slash commands. Default commands/'),
  prompts: paths('Folders of prompt templates. Default prompts/'),
  rules: paths('Folders of rules. Default rules/'),
  instructions: paths('Folders of instructions. Default instructions/'),
  agents: paths('Folders of agents. Default agents/'),
  hooks: paths('JSON files of hooks, or folders with pre/ and post/'),
  tools: paths('Folders of tools that are files'),
  mcpServers: z
    .union([z.string(), z.array(z.string()), z.record(z.string(), z.looseObject({}))])
    .optional()
    .describe('JSON files of MCP servers, or the servers by name'),
  id: z.string().optional().describe('The id of its plugin, so that it is known before it is loaded'),
  contributes: z
    .record(z.string(), z.union([z.literal('*'), z.array(z.string())]))
    .optional()
    .describe(
      'Keys of the items it supplies, by capability; * where only running it can tell. With an id, it sleeps until one is used',
    ),
  declares: z.array(z.string()).optional().describe('Ids of the capabilities and hooks that are its own'),
  taps: z.array(z.string()).optional().describe('Ids of the hooks it taps; such a plugin never sleeps'),
  stubs: z
    .record(z.string(), z.array(z.looseObject({})))
    .optional()
    .describe(
      'What its items look like before it runs, by capability: {"tool": [{"name", "description", "inputSchema"}]}',
    ),
  looksFor: z
    .record(z.string(), z.array(z.string()))
    .optional()
    .describe(
      'The files without which it has nothing of a capability, as in {"skill": ["~/.x/skills", ".x/skills"]}: where none is there, it goes on sleeping. ~/ is the personal folder, $KERN_HOME/ that of kern, $NAME a variable that is set; everything else lies in the working directory or above it',
    ),
  provider: z
    .string()
    .optional()
    .describe('The id of the provider that looks for them: where it is switched off, nothing is looked for'),
  config: z.record(z.string(), z.unknown()).optional().describe("In a project's own package.json: its config"),
});

export const manifestSchema = (): JsonSchema =>
  titled('kern in package.json', 'What a package says about its extensions', fromZod(manifest));

const code = (what: string) => z.any().describe(what);

const tool = z.looseObject({
  name: z
    .string()
    .regex(/^[a-zA-Z0-9_-]{1,64}$/)
    .describe('What the model calls it'),
  description: z.string().min(1).describe('What the model is told about it'),
  parameters: code('A zod object, or any schema with `~standard`: validates, and types what execute gets').optional(),
  inputSchema: z.record(z.string(), z.unknown()).optional().describe('JSON Schema, where parameters is not zod'),
  annotations: z
    .strictObject({
      readOnly: z.boolean().optional(),
      destructive: z.boolean().optional(),
      title: z.string().optional(),
    })
    .optional(),
  effects: code(
    'A function (args, where) => Effect[]: what a call will do, for permissions. Default: everything',
  ).optional(),
  executionMode: z
    .enum(['parallel', 'sequential'])
    .optional()
    .describe('One sequential tool in a batch makes the batch sequential'),
  deferrable: z.boolean().optional(),
  hidden: z.boolean().optional().describe('Not offered to the model unless asked for by name'),
  defaultActive: z.boolean().optional().describe('false: offered only when people choose it'),
  prepareArguments: code('A function (args) => args: bends what models send into shape, before validation').optional(),
  execute: code('A function (id, args, signal, onUpdate, ctx) => Promise<{content, details?, isError?, terminate?}>'),
});

export const toolSchema = (): JsonSchema =>
  titled('A tool', 'ctx.contribute(tools, …), from kern/contracts', fromZod(tool));
