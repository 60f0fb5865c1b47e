import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { NewEntry } from 'kern/contracts';
import { expect, test } from 'vitest';
import { bootSessions, linesOf, note } from './test/stores.ts';

const image = (data: string): NewEntry => ({
  type: 'message',
  message: { role: 'user', content: [{ type: 'image', data, mimeType: 'image/png' }], timestamp: 1 },
});
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const pixels = (bytes: number): Buffer => Buffer.from(Array.from({ length: bytes }, (_, n) => (n * 7) % 256));
const dataIn = (line: Record<string, unknown> | undefined): unknown =>
  JSON.stringify(line).match(/"data":"([^"]*)"/)?.[1];

test('a large image is kept once, as its bytes, in a private file; a small one stays where pi reads it', async () => {
  const { begun, sessions, home } = await bootSessions();
  const [small, large] = [pixels(2_000), pixels(400_000)];
  const store = await begun();
  await store.append(image(small.toString('base64')));
  await store.append(image(large.toString('base64')));
  await store.append(image(large.toString('base64')));
  const before = store.entries();
  await store.close();
  const lines = linesOf(store.file);
  expect([2, 3, 4].map((at) => dataIn(lines[at]))).toEqual([
    small.toString('base64'),
    `blob:sha256:${sha256(large)}`,
    `blob:sha256:${sha256(large)}`,
  ]);
  const blobs = join(home, 'blobs');
  expect(readdirSync(blobs)).toEqual([sha256(large)]);
  expect(readFileSync(join(blobs, sha256(large))).equals(large)).toBe(true);
  expect([statSync(blobs).mode & 0o777, statSync(join(blobs, sha256(large))).mode & 0o777]).toEqual([0o700, 0o600]);
  const again = await sessions.open(store.file, { whenBusy: 'fail' });
  expect(again.entries()).toEqual(before);
  await again.close();
});

test('a long text is kept beside, wherever it stands, and comes back to the letter', async () => {
  const { begun, sessions } = await bootSessions({ settings: { inlineLimit: 2_000 } });
  const long = `"${'ä\n'.repeat(2_000)}`;
  const store = await begun();
  await store.append(note({ deep: [{ text: long, short: 'x' }] }));
  const broken = `${long}\ud83d`;
  await store.append(note(broken));
  await store.close();
  const [, , first, second] = linesOf(store.file);
  expect(first?.data).toEqual({ deep: [{ text: expect.stringMatching(/^blob:sha256:[0-9a-f]{64}$/), short: 'x' }] });
  // UTF-8 has no word for half a character.
  expect(second?.data).toBe(broken);
  const again = await sessions.open(store.file, { whenBusy: 'fail' });
  expect(again.entries().slice(1)).toMatchObject([{ data: { deep: [{ text: long }] } }, { data: broken }]);
  await again.close();
});

test('a text that looks like a reference comes back as that text', async () => {
  const { begun, sessions, home } = await bootSessions();
  const large = pixels(400_000);
  const store = await begun();
  await store.append(image(large.toString('base64')));
  const texts = [`blob:sha256:${sha256(large)}`, `blob:sha256:${'0'.repeat(64)}`, 'blob:sha256:', 'see blob:sha256:x'];
  for (const text of texts) await store.append(note(text));
  await store.close();
  const again = await sessions.open(store.file, { whenBusy: 'fail' });
  expect(again.entries().slice(2)).toMatchObject(texts.map((data) => ({ data })));
  await again.close();
  expect(readdirSync(join(home, 'blobs'))).toHaveLength(2);
});

test('what is gone stays a reference, also in a fork, and is there again when it is back', async () => {
  const { begun, sessions, home } = await bootSessions();
  const large = pixels(400_000);
  const store = await begun();
  await store.append(image(large.toString('base64')));
  await store.close();
  const blob = join(home, 'blobs', sha256(large));
  rmSync(blob);
  const fork = await sessions.fork(store.file, { cwd: '/x', persist: true });
  await fork.close();
  const reference = `blob:sha256:${sha256(large)}`;
  expect(dataIn(linesOf(fork.file ?? '').at(-1))).toBe(reference);
  const again = await sessions.open(store.file, { whenBusy: 'fail' });
  expect(again.entries().at(-1)).toMatchObject({ message: { content: [{ data: reference }] } });
  expect(again.repairs.map(({ message }) => message).join()).toContain(sha256(large).slice(0, 8));
  await again.close();
});
