import { modelProviders } from 'kern/contracts';
import { definePlugin, processes } from 'kern/plugin';
import { bootKernel } from 'kern/testing';
import { afterEach, expect, test } from 'vitest';
import processesPlugin from './index.ts';

const names = ['KERN_TEST_ACME', 'KERN_TEST_TEAM', 'GROQ_API_KEY', 'OPENAI_API_KEY', 'KERN_TEST_OTHER'];
afterEach(() => {
  for (const name of names) delete process.env[name];
});

const vendor = definePlugin({
  id: 'vendor',
  setup: (ctx) =>
    ctx.contribute(modelProviders, {
      id: 'acme',
      displayName: 'Acme',
      keys: () => ['$KERN_TEST_ACME', '!pass show acme', 'literal'],
      secrets: () => ['$KERN_TEST_TEAM'],
      models: () => [],
      model: () => undefined,
      stream: async function* () {},
    }),
});
const models = definePlugin({ id: 'models', declares: [modelProviders], setup: () => {} });

test.skipIf(process.platform === 'win32')(
  'a child has no key, whoever named its variable, but those that the settings let through',
  async () => {
    for (const name of names) process.env[name] = `value of ${name}`;
    await using t = await bootKernel([models, vendor, processesPlugin], {
      config: { processes: { passKeys: ['OPENAI_API_KEY'] } },
    });
    const { stdout } = await t.view.service(processes).spawn('env', []).result;
    expect(names.filter((name) => stdout.includes(`value of ${name}`))).toEqual(['OPENAI_API_KEY', 'KERN_TEST_OTHER']);
  },
);
