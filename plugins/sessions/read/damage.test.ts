import fc from 'fast-check';
import type { ContextMessage, SessionStorage } from 'kern/contracts';
import { expect, test } from 'vitest';
import { counts, seed } from '../../cli/test/soak.ts';
import { diagnoseFile } from '../diagnose/diagnose.ts';
import type { SessionTree } from './session-tree.ts';
import { answered, bytesStorage, entry, header, openBytes, result, said } from './test/bytes.ts';

/** What is done to the lines of a file. */
type Damage = (lines: readonly string[], at: number, by: number) => readonly string[];

const put = (lines: readonly string[], at: number, ...instead: readonly string[]): readonly string[] => [
  ...lines.slice(0, at),
  ...instead,
  ...lines.slice(at + 1),
];

const damages: readonly Damage[] = [
  (lines, at) => put(lines, at),
  (lines, at, by) => put(lines, at, (lines[at] ?? '').slice(0, by % (lines[at] ?? ' ').length)),
  (lines, at) => put(lines, at, lines[at] ?? '', lines[at] ?? ''),
  (lines, at) => put(put(lines, at, lines[at + 1] ?? ''), at + 1, lines[at] ?? ''),
  (lines, at) => put(lines, at, 'no JSON', lines[at] ?? ''),
  (lines, at, by) => put(lines, at, `${'\0'.repeat(by)}${lines[at] ?? ''}`),
  (lines, at) => put(lines, at, `${lines[at] ?? ''}${lines[at + 1] ?? ''}`).toSpliced(at + 1, 1),
  (lines, at, by) => put(lines, at, `${(lines[at] ?? '').slice(0, by)}${lines[at + 1] ?? ''}`).toSpliced(at + 1, 1),
  (lines, at) => put(lines, at, (lines[at] ?? '').replace(/"parentId":"[^"]*"/, '"parentId":"nowhere"')),
  (lines, at) => put(lines, at, (lines[at] ?? '').replace(/"parentId":"[^"]*"/, '"parentId":"e3"')),
  (lines, at) => put(lines, at, (lines[at] ?? '').replace(/"id":"e[^"]*",/, '')),
  (lines, at) => put(lines, at, (lines[at] ?? '').replace(/"id":"e[^"]*"/, '"id":"e2"')),
  (lines, at) => put(lines, at, (lines[at] ?? '').replace(/said (\d+)/, 'said $1 \\ud83d')),
  (lines, at) => put(lines, at, `${lines[at] ?? ''}\r`),
  (lines, at, by) =>
    put(
      lines,
      at,
      (lines[at] ?? '').replace(/./g, (char, nth) => (nth === by ? '"' : char)),
    ),
];

/** A session of any shape: branches, calls with results or without, compactions, edits, marks of the leaf. */
const session = fc
  .array(fc.record({ kind: fc.nat(9), back: fc.nat(3), text: fc.nat(2) }), { minLength: 1, maxLength: 40 })
  .map((steps) => {
    const lines = [JSON.stringify(header)];
    for (const [nth, { kind, back, text }] of steps.entries()) {
      const id = `e${nth}`;
      const parent = nth === 0 ? null : `e${Math.max(0, nth - 1 - (back === 3 ? text + 1 : 0))}`;
      lines.push(JSON.stringify(step(id, parent, kind, nth)));
    }
    return lines;
  });

function step(id: string, parent: string | null, kind: number, nth: number): object {
  const earlier = `e${Math.max(0, nth - 4)}`;
  if (kind <= 2) return entry(id, parent, 'message', said(`said ${nth}`));
  if (kind === 3) return entry(id, parent, 'message', answered(`said ${nth}`, [`c${nth}`, `d${nth}`]));
  if (kind === 4) return entry(id, parent, 'message', result(`c${nth - 1}`, `said ${nth}`));
  if (kind === 5) return entry(id, parent, 'message', answered(`said ${nth}`));
  if (kind === 6)
    return entry(id, parent, 'compaction', { summary: `said ${nth}`, firstKeptEntryId: earlier, tokensBefore: 1 });
  if (kind === 7) return entry(id, parent, 'context_edit', { targetId: earlier, replacement: null });
  if (kind === 8) return entry(id, earlier === id ? null : earlier, 'custom', { customType: 'kern.leaf', data: {} });
  return entry(id, parent, 'custom_message', { customType: 'note', content: `said ${nth}`, display: true });
}

const hurt = fc.array(fc.tuple(fc.nat(damages.length - 1), fc.nat(60), fc.nat(120)), { maxLength: 6 });

function isValid(messages: readonly ContextMessage[]): boolean {
  return messages.every(({ message }, at) => {
    if (message.role === 'toolResult') {
      const before = messages.slice(0, at).findLast((one) => one.message.role !== 'toolResult')?.message;
      return before?.role === 'assistant' && JSON.stringify(before.content).includes(`"id":"${message.toolCallId}"`);
    }
    if (message.role !== 'assistant') return true;
    const calls = message.content.flatMap((part) => (part.type === 'toolCall' ? [part.id] : []));
    const results = messages.slice(at + 1, at + 1 + calls.length).map((one) => one.message);
    return calls.every((id, nth) => {
      const answer = results[nth];
      return answer?.role === 'toolResult' && answer.toolCallId === id;
    });
  });
}

/** What each entry says, as it stands in the file. */
const saidIn = (tree: SessionTree): readonly string[] =>
  tree.nodes().flatMap(({ id }) => /"(said \d+)"/.exec(JSON.stringify(tree.entry(id)))?.[1] ?? []);

/** Objects of lines that are whole and alone. */
const wholeIn = (lines: readonly string[]): readonly string[] =>
  lines.flatMap((line) => {
    try {
      JSON.parse(line);
      return /"(said \d+)"/.exec(line)?.[1] ?? [];
    } catch {
      return [];
    }
  });

test('whatever happens to a file, it opens: all that is whole is there, leads to a root, and makes a valid context', async () => {
  await fc.assert(
    fc.asyncProperty(
      session,
      hurt,
      fc.boolean(),
      fc.integer({ min: 1, max: 300 }),
      async (sound, harm, ends, chunk) => {
        let lines: readonly string[] = sound;
        for (const [which, at, by] of harm) {
          // The header has tests of its own: without it and all entries nothing says that this is a session.
          const place = 1 + (at % Math.max(1, lines.length - 1));
          if (place < lines.length) lines = (damages[which] as Damage)(lines, place, by);
        }
        const text = lines.join('\n') + (ends ? '\n' : '');
        const tree = await openBytes(text, { chunk });
        const again = await openBytes(text);
        expect(tree.nodes()).toEqual(again.nodes());
        const ids = new Set(tree.nodes().map(({ id }) => id));
        expect(ids.size).toBe(tree.nodes().length);
        for (const { id, parentId } of tree.nodes()) {
          expect(parentId === null || ids.has(parentId)).toBe(true);
          expect(tree.entries(id).length).toBeLessThanOrEqual(ids.size);
          expect(isValid(tree.context(id).messages)).toBe(true);
        }
        expect(saidIn(tree)).toEqual(expect.arrayContaining([...wholeIn(lines)]));
        const copy = [...(await openBytes(text, { isThorough: true })).mended()].join('');
        expect((await diagnoseFile(bytesStorage(copy) as SessionStorage, 'x.jsonl')).repairs).toEqual([]);
        const mended = await openBytes(copy);
        expect(saidIn(mended)).toEqual(
          expect.arrayContaining([...wholeIn(lines).filter((one) => !one.includes('\ud83d'))]),
        );
      },
    ),
    { numRuns: counts({ test: 150, soak: 10_000 }), seed: seed() },
  );
});

test('a sound file has nothing to be told of', async () => {
  await fc.assert(
    fc.asyncProperty(session, async (lines) => {
      const text = `${lines.join('\n')}\n`;
      const tree = await openBytes(text, { isThorough: true });
      expect(tree.repairs).toEqual([]);
      expect((await openBytes(text)).nodes()).toEqual(tree.nodes());
      expect(
        tree
          .entries()
          .map(({ id }) => id)
          .at(-1) ?? null,
      ).toBe(tree.leaf);
    }),
    { numRuns: counts({ test: 50, soak: 2_000 }), seed: seed() },
  );
});

test('a file that is cut off anywhere opens with every line that is whole, and loses the torn one only', async () => {
  const long = 'größer '.repeat(130);
  const lines = [JSON.stringify(header)];
  for (let nth = 0; nth < 60; nth += 1)
    lines.push(JSON.stringify(entry(`e${nth}`, nth === 0 ? null : `e${nth - 1}`, 'message', said(`${long}${nth}`))));
  const bytes = Buffer.from(`${lines.join('\n')}\n`);
  // A whole line is its bytes, with its newline or without.
  const ends: number[] = [];
  for (const line of lines) ends.push((ends.at(-1) ?? -1) + Buffer.byteLength(line) + 1);
  const last = 64 * 1024;
  const cuts = new Set<number>();
  for (let cut = Math.max(0, bytes.length - last); cut <= bytes.length; cut += counts({ test: 613, soak: 1 }))
    cuts.add(cut);
  // Where a line ends, and within the first lines, each byte counts.
  for (const end of ends.slice(-2)) for (let cut = end - 2; cut <= end + 2; cut += 1) cuts.add(cut);
  for (let cut = 0; cut < 200; cut += counts({ test: 7, soak: 1 })) cuts.add(cut);
  for (const cut of cuts) {
    if (cut > bytes.length) continue;
    const text = bytes.subarray(0, cut);
    const tree = await openBytes(text, { chunk: 1 << 20 });
    const whole = ends.filter((end) => end <= cut).length;
    expect(tree.nodes(), `cut at ${cut}`).toHaveLength(Math.max(0, whole - 1));
    expect(tree.leaf).toBe(whole > 1 ? `e${whole - 2}` : null);
    expect(tree.repairs.length).toBeLessThanOrEqual(2);
    const before = ends[whole - 1] ?? -1;
    expect(tree.end.isTorn).toBe(cut > before + 1);
    if (tree.end.isTorn) expect(tree.end.size).toBe(whole === 0 ? 0 : before + 1);
    // It goes on.
    expect(tree.place({ type: 'session_info', name: 'on' }).parentId).toBe(whole > 1 ? `e${whole - 2}` : null);
  }
});
