import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { bootKern } from 'kern/testing';
import { expect, test } from 'vitest';
import { nothingSet, withEnvironment } from './test/environment.ts';
import { modelServer } from './test/server.ts';
import { complaints } from './test/strict.ts';
import { type TestWire, testWires } from './test/wires.ts';

/** What a person sets to be led to a server of their own, and the model they name. */
const ways: Readonly<Record<TestWire['wire'], { readonly model: string; readonly env: (url: string) => object }>> = {
  anthropic: { model: 'anthropic/m', env: (url) => ({ ANTHROPIC_API_KEY: 'key-123456', ANTHROPIC_BASE_URL: url }) },
  'openai-chat': { model: 'openai/m', env: (url) => ({ OPENAI_API_KEY: 'key-123456', OPENAI_BASE_URL: `${url}/v1` }) },
  'openai-responses': {
    model: 'openai/m',
    env: (url) => ({ OPENAI_API_KEY: 'key-123456', OPENAI_BASE_URL: `${url}/v1` }),
  },
  google: { model: 'google/m', env: (url) => ({ GEMINI_API_KEY: 'key-123456', GOOGLE_GEMINI_BASE_URL: url }) },
};

test.each(testWires.map((wire) => [wire.wire, wire] as const))(
  '%s: a run with a tool, by a base URL and the name of a model',
  async (name, wire) => {
    await using server = await modelServer(
      {
        pieces: wire.events({
          thinking: ['hm'],
          signature: 'sig',
          text: ['I write.'],
          calls: [{ id: 'call_1', name: 'write', pieces: ['{"path":"a.txt",', '"content":"hello"}'] }],
        }),
      },
      { pieces: wire.events({ text: ['Done', '.'] }) },
    );
    const { model, env } = ways[name];
    await withEnvironment({ ...nothingSet, ...env(server.url) }, async () => {
      const config = name === 'openai-responses' ? { 'models.openai-chat': { wire: name } } : {};
      await using kern = await bootKern([], { config });
      const result = await kern.run('go', { model, oneShot: true });
      expect(result).toMatchObject({ status: 'ok', text: 'Done.' });
      expect(await readFile(path.join(kern.view.where.cwd, 'a.txt'), 'utf8')).toBe('hello');
    });
    expect(server.heard.map(({ url }) => url)).toEqual([wire.path, wire.path]);
    for (const { body, url, headers } of server.heard) {
      expect(complaints(wire.wire, body, url)).toEqual([]);
      expect(wire.keyOf(headers)).toBe('key-123456');
    }
    expect(server.heard[1]?.text).toContain('hm');
  },
  60_000,
);
