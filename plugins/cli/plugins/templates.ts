import { editorConfig } from './editor.ts';

/** The files of a new extension, by name. */
export function extensionFiles(name: string, root: string, version: string): Readonly<Record<string, string>> {
  const tool = name.replaceAll('-', '_');
  return {
    'package.json': `${JSON.stringify(packageOf(name, version), undefined, 2)}\n`,
    'index.ts': extension(name, tool),
    [`${name}.test.ts`]: extensionTest(name, tool),
    'tsconfig.json': editorConfig(root),
  };
}

/** What `npm pack` needs to make a package of it. */
const packageOf = (name: string, version: string): object => ({
  name,
  version: '0.1.0',
  private: true,
  type: 'module',
  keywords: ['kern-package'],
  // The tsconfig.json leads to places on this machine.
  files: ['*', '!*.test.ts', '!*.tgz', '!tsconfig.json'],
  kern: { extensions: ['./index.ts'] },
  // Not among peerDependencies: npm would fetch whatever is called kern there.
  engines: { kern: `>=${version}` },
});

const extension = (name: string, tool: string): string => `import { tools } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { z } from 'zod';

const hour = 3_600_000;

export default definePlugin({
  id: '${name}',
  description: 'Says what it knows about a place, and how often it was asked.',
  // Settings: plugins: { ${name}: { greeting: "Hi" } } in config.yml, or kern config set plugins.${name}.greeting Hi
  config: z.object({ greeting: z.string().default('Hello') }),
  setup(ctx) {
    // Survives reloads: save this file while kern runs, and the count goes on.
    const asked = ctx.state('asked', z.number(), () => 0);

    ctx.contribute(tools, {
      name: '${tool}',
      description: 'Says what is known about a place.',
      parameters: z.object({ place: z.string().describe('Where: a town, a country') }),
      // It touches nothing, so nobody has to be asked: see Effect in kern/contracts for what a tool may do.
      effects: () => [],
      execute: async (_id, { place }) => {
        asked.value += 1;
        return { content: [{ type: 'text', text: \`\${ctx.config.greeting} from \${place}!\` }] };
      },
    });

    // Stops by itself when the plugin is reloaded or removed.
    ctx.interval(() => {
      if (asked.value > 0) ctx.ui.notify(\`${name} was asked \${asked.value === 1 ? 'once' : \`\${asked.value} times\`}\`);
      asked.value = 0;
    }, hour);
  },
});
`;

const extensionTest = (name: string, tool: string): string => `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bootKern, capturedUi, fakeClock, script } from 'kern/testing';
import extension from './index.ts';

test('a model that calls ${tool} reads its answer', async () => {
  await using kern = await bootKern([extension]);
  using replies = script([
    { calls: [{ name: '${tool}', args: { place: 'Oslo' } }] },
    { expect: { toolResult: [{ tool: '${tool}', contains: 'Hello from Oslo!' }] }, text: 'Oslo says hello.' },
  ]);
  const run = await kern.run('Say hello to Oslo', { model: replies.model });
  assert.equal(run.error, undefined);
  assert.equal(run.text, 'Oslo says hello.');
});

test('once an hour it says how often it was asked', async () => {
  const clock = fakeClock();
  const ui = capturedUi();
  await using kern = await bootKern([extension], { clock, ui });
  assert.equal(await kern.callTool('${tool}', { place: 'Oslo' }), 'Hello from Oslo!');
  await clock.advance(3_600_000);
  assert.deepEqual(ui.shown, ['info: ${name} was asked once']);
});

test('its greeting can be set', async () => {
  await using kern = await bootKern([extension], { config: { '${name}': { greeting: 'Hei' } } });
  assert.equal(await kern.callTool('${tool}', { place: 'Oslo' }), 'Hei from Oslo!');
});
`;
