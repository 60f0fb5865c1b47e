import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sessions } from 'kern/contracts';
import { bootKern } from 'kern/testing';
import { expect, onTestFinished, test } from 'vitest';
import { writeSession } from './session-lines.ts';

test('what is measured are sound sessions, of the size that was asked for, with what is kept at their end', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kern-bench-lines-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  await using t = await bootKern([]);
  await t.view.use(sessions).load();
  const service = t.view.service(sessions);
  const shape = { id: 'bench', cwd: folder, entries: 2_400, bytes: 1_000, tokens: 7 };
  const whole = join(folder, 'whole.jsonl');
  const compacted = join(folder, 'compacted.jsonl');
  writeSession(whole, shape);
  writeSession(compacted, { ...shape, compactedBefore: 100 });
  for (const file of [whole, compacted])
    expect(await service.diagnose(file)).toMatchObject({ sound: true, entries: 2_400, branches: 1 });
  expect(statSync(whole).size / 2_400).toBeGreaterThan(800);
  expect(statSync(whole).size / 2_400).toBeLessThan(1_200);
  const contextOf = async (file: string) => {
    const store = await service.open(file, { whenBusy: 'fail', toRead: true });
    const { messages } = store.context();
    await store.close();
    return messages.map(({ message }) => message);
  };
  const all = await contextOf(whole);
  expect(all).toHaveLength(2_400);
  expect(all.filter((message) => message.role === 'assistant').every(({ usage }) => usage.totalTokens === 7)).toBe(
    true,
  );
  const kept = await contextOf(compacted);
  expect(kept[0]).toMatchObject({ role: 'custom', customType: 'kern.compaction' });
  expect(kept[1]?.role).toBe('user');
  expect(kept.length).toBeGreaterThan(100);
  expect(kept.length).toBeLessThan(130);
});
