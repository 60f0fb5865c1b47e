// Reads the files of an agent that kern does not know: `.workshop.json` of a project. What is found stands beside the finds
// of kern's own providers in `kern providers`, is watched, switched and trusted like them, and goes to the same plugins.
import path from 'node:path';
import {
  agentDefinitions,
  customTools,
  discoveryFiles,
  extensionManifests,
  extensionModules,
  hookItems,
  mcpServers,
  placesTables,
  settingsFiles,
  sshHosts,
} from 'kern/contracts';
import { type Capability, definePlugin } from 'kern/plugin';
import { z } from 'zod';

const workshop = { id: 'workshop', displayName: 'Workshop', description: 'The file .workshop.json', priority: 20 };
const http = { transport: 'http', enabled: true } as const;
const program = { kind: 'program' } as const;
const forPi = { dialect: 'pi' } as const;
const hook = { event: 'PostToolUse', kind: 'command', timeoutMs: 10_000, failClosed: false, level: 'project' } as const;
const file = z.record(z.string(), z.record(z.string(), z.string()).default({}));

export default definePlugin({
  id: 'another-agent',
  requires: ['discovery'],
  setup(ctx) {
    /** An item for each name under `key`: `{ "servers": { "<name>": "<text>" } }`. */
    const find = <T>(
      kind: Capability<T>,
      key: string,
      make: (found: { readonly name: string; readonly path: string }, text: string) => NoInfer<T>,
    ) =>
      ctx.provide(kind, {
        ...workshop,
        async load(where, signal, levels) {
          if (!levels.includes('project')) return { items: [] };
          await ctx.use(discoveryFiles).load(signal);
          // Whatever is wrong with the file becomes a warning: it may be a pipe, or 100 MB.
          const files = ctx.service(discoveryFiles).open(where, signal);
          const place = path.join(where.root, '.workshop.json');
          const { success, data } = file.safeParse((await files.json(place)) ?? {});
          if (!success) files.warn(place, 'it is not {"<kind>": {"<name>": "<text>"}}');
          const items = Object.entries(data?.[key] ?? {}).map(([name, text]) => ({
            item: make({ name, path: place }, text),
            level: 'project' as const,
            path: place,
          }));
          return { items, warnings: files.warnings, watch: files.watch };
        },
      });

    const inProject = (name: string): string => path.resolve(ctx.where.root, name);
    find(mcpServers, 'servers', (found, url) => ({ ...found, ...http, url }));
    find(sshHosts, 'hosts', (found, host) => ({ ...found, host }));
    find(agentDefinitions, 'agents', (found, role) => ({ ...found, description: role, read: async () => role }));
    find(hookItems, 'hooks', (found, command) => ({ ...found, ...hook, matcher: found.name, command }));
    find(customTools, 'tools', ({ name }, path) => ({ name, path: inProject(path), ...program }));
    find(extensionModules, 'code', ({ name }, path) => ({ name, path: inProject(path), ...forPi }));
    find(extensionManifests, 'packages', (found, version) => ({ ...found, manifest: { name: found.name, version } }));
    find(settingsFiles, 'settings', (found, value) => ({ ...found, data: { [found.name]: value } }));
    // So that `kern docs discovery` and people know where it looks.
    ctx.contribute(placesTables, {
      ...workshop,
      places: [{ kind: 'mcp-server', path: '.workshop.json', format: 'json', key: 'servers' }],
    });
  },
});
