import { closeSync, existsSync, readFileSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import {
  artifactStore,
  defineTool,
  resultText,
  saveArtifact,
  toolResultBuilder,
  tools,
  truncateHead,
} from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { newArtifact } from './artifact.ts';
import { createArtifactStore } from './artifact-store.ts';
import { testFolder } from './test/context.ts';
import { bootTools } from './test/kernel.ts';

const modeOf = (path: string): number => statSync(path).mode & 0o777;

test('artifacts are numbered in the order in which they are made, and are private', () => {
  const folder = testFolder();
  const first = newArtifact(folder, 'bash.log');
  writeSync(first.fd, 'one');
  closeSync(first.fd);
  const second = saveArtifact(folder, 'fetch.html', 'two');
  expect([first.id, second]).toEqual(['1', { id: '2', path: join(folder, '2.fetch.html') }]);
  expect(readFileSync(second.path, 'utf8')).toBe('two');
  expect([modeOf(first.path), modeOf(second.path)]).toEqual([0o600, 0o600]);
});

test('beside a session they stay; without one they lie in a private folder, which goes', async () => {
  const folder = testFolder();
  const store = createArtifactStore(() => join(folder, 'cache'));
  const kept = await store.folder(join(folder, 'sessions', '2026_abc.jsonl'));
  expect(kept).toBe(join(folder, 'sessions', '2026_abc'));
  const own = await store.folder(undefined);
  expect(await store.folder(undefined)).toBe(own);
  expect([modeOf(kept), modeOf(own)]).toEqual([0o700, 0o700]);
  saveArtifact(own, 'x.log', 'x');
  store.clear();
  expect([existsSync(kept), existsSync(own)]).toEqual([true, false]);
});

test('what a tool cut and kept is told with the artifact, and gone after the run', async () => {
  const long = definePlugin({
    id: 'long',
    requires: ['tools'],
    setup: (ctx) =>
      ctx.contribute(
        tools,
        defineTool({
          name: 'long',
          description: 'A long text.',
          parameters: z.object({}),
          execute: async (_id, _args, _signal, _onUpdate, { artifacts }) => {
            const text = 'line\n'.repeat(3_000);
            const { id: artifactId } = saveArtifact(await artifacts(), 'long.txt', text);
            const cut = truncateHead(text);
            return toolResultBuilder().text(cut.text).truncation(cut, { artifactId }).done();
          },
        }),
      ),
  });
  let folder = '';
  {
    await using t = await bootTools([], [long]);
    const text = resultText(await t.callTool('long', {}));
    expect(text).toMatch(/\[Showing lines 1-2000 of 3000\. Whole output: artifact:\/\/1\]$/);
    folder = await t.view.service(artifactStore).folder(undefined);
    expect(readFileSync(join(folder, '1.long.txt'), 'utf8')).toHaveLength(15_000);
  }
  expect(existsSync(folder)).toBe(false);
});
