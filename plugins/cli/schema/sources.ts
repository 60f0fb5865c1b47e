import { type SchemaSource, scriptSchema } from 'kern/contracts';

/** Made when they are asked for: zod's translation costs more than the start may. */
export const sources: readonly SchemaSource[] = [
  {
    name: 'config',
    summary: 'config.yml, .kern/config.yml and .kernrc',
    make: async (view) => (await import('./config-schema.ts')).configSchema(view),
  },
  {
    name: 'plugin-manifest',
    summary: '`kern` in the package.json of an extension',
    make: async () => (await import('./shapes.ts')).manifestSchema(),
  },
  { name: 'script', summary: "The scripted model's file", make: async () => scriptSchema() },
  {
    name: 'session-entry',
    summary: 'A line of a session file',
    make: async () => (await import('./session-schema.ts')).sessionSchema(),
  },
  {
    name: 'tool',
    summary: 'What a plugin contributes as a tool',
    make: async () => (await import('./shapes.ts')).toolSchema(),
  },
];
