import { expect, test } from 'vitest';
import { withEnvironment } from '../test/environment.ts';
import { aRequest, messageOfReply } from '../test/requests.ts';
import { modelServer } from '../test/server.ts';
import { testWires } from '../test/wires.ts';
import { vendorProvider } from './provider.ts';
import { type Vendor, vendors } from './vendors.ts';

const never = new AbortController().signal;
const settings = { idleTimeoutMs: 10_000 };

test('every vendor has an address for each wire of its models, over TLS, and names its key', async () => {
  for (const vendor of vendors) {
    const { id, baseUrls, env } = vendor;
    expect(Object.keys(baseUrls).length, id).toBeGreaterThan(0);
    for (const url of Object.values(baseUrls)) expect(new URL(url.replace(/[{}]/g, '')).protocol, id).toBe('https:');
    for (const name of env) expect(name, id).toMatch(/^[A-Z][A-Z0-9_]+$/);
    const models = await vendorProvider(vendor, settings).models();
    expect(models.length, id).toBeGreaterThan(0);
    for (const { wire, id: model } of models)
      if (wire !== undefined) expect(Object.keys(baseUrls), model).toContain(wire);
  }
  expect(new Set(vendors.map(({ id }) => id)).size).toBe(vendors.length);
});

test('a key makes its vendor usable, and no other', async () => {
  const groq = vendors.find(({ id }) => id === 'groq') as Vendor;
  const provider = vendorProvider(groq, settings);
  await withEnvironment({ GROQ_API_KEY: undefined, OPENAI_API_KEY: 'other' }, async () => {
    expect(provider.missing?.()).toContain('GROQ_API_KEY');
    expect((await provider.models()).every(({ available }) => !available)).toBe(true);
    expect(await provider.model('new')).toMatchObject({ available: false, cost: null });
  });
  await withEnvironment({ GROQ_API_KEY: 'k' }, async () => {
    expect(provider.missing?.()).toBeUndefined();
    expect(await provider.model('openai/gpt-oss-120b')).toMatchObject({ available: true, vendor: 'OpenAI' });
  });
});

test('an address with a part from the environment needs that too', async () => {
  const cloudflare = vendors.find(({ id }) => id === 'cloudflare-workers-ai') as Vendor;
  const provider = vendorProvider(cloudflare, settings);
  await withEnvironment({ CLOUDFLARE_API_KEY: 'k', CLOUDFLARE_ACCOUNT_ID: undefined }, () => {
    expect(provider.missing?.()).toBe('CLOUDFLARE_ACCOUNT_ID is not set');
  });
  await withEnvironment({ CLOUDFLARE_API_KEY: 'k', CLOUDFLARE_ACCOUNT_ID: 'a/b' }, () => {
    expect(provider.missing?.()).toBeUndefined();
    expect(provider.discovery?.()?.address).toBe('https://api.cloudflare.com/client/v4/accounts/a%2Fb/ai/v1');
  });
});

test.each(testWires.map((wire) => [wire.wire, wire] as const))(
  'a model that needs the wire %s gets it',
  async (wire, played) => {
    await using server = await modelServer({ pieces: played.events({ text: ['hi'] }) });
    const baseUrls = Object.fromEntries(testWires.map((one) => [one.wire, one.base(server.url)]));
    const vendor: Vendor = {
      id: 'groq',
      displayName: 'Acme',
      env: ['ACME_TEST_KEY'],
      baseUrls,
      headers: { 'x-team': 'blue' },
    };
    await withEnvironment({ ACME_TEST_KEY: 'key-of-acme' }, async () => {
      const provider = vendorProvider(vendor, settings);
      const described = await provider.model('m');
      if (described === undefined) throw new Error('no model');
      const request = aRequest({ model: { ...described, wire } });
      expect(await messageOfReply(provider.stream(request, never))).toMatchObject({ content: [{ text: 'hi' }] });
    });
    expect(server.heard[0]?.url).toBe(played.path);
    expect(server.heard[0]?.headers['x-team']).toBe('blue');
    expect(played.keyOf(server.heard[0]?.headers ?? {})).toBe('key-of-acme');
  },
);
