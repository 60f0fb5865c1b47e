// Writes a session on a disk that is full in the middle of it, and says what came of it.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StoreReport } from 'kern/contracts';
import { notesOfFile } from './notes-of-file.ts';
import { plainService } from './plain-service.ts';

const [home = ''] = process.argv.slice(2);
const filler = join(home, 'filler');
writeFileSync(filler, Buffer.alloc(600 * 1024));

const reports: StoreReport[] = [];
const service = plainService(home);
const store = await service.create({ cwd: '/repo', persist: true, report: (report) => reports.push(report) });
await store.append({
  type: 'message',
  message: { role: 'user', content: [{ type: 'text', text: 'go' }], timestamp: 1 },
});
const file = store.file ?? '';

const acknowledged: string[] = [];
const all: Promise<unknown>[] = [];
for (let n = 1; n <= 80; n += 1) {
  const kept = store.append({ type: 'custom', customType: 'note', data: `n ${n} ${'x'.repeat(10_000)}` });
  all.push(kept.then(({ id }) => acknowledged.push(`n ${n} ${id}`)));
  await new Promise((resolve) => setTimeout(resolve, 1));
}
await store.flush().catch(() => {});
const full = notesOfFile(file);
const atThatTime = [...acknowledged];

// The session is written again by itself; nobody else keeps this process.
const alive = setInterval(() => {}, 1_000);
rmSync(filler);
await Promise.all(all);
clearInterval(alive);
await store.close();
const { notes, broken } = notesOfFile(file);
const again = await service.open(file, { whenBusy: 'fail' });
const [failed] = reports;

process.stdout.write(
  JSON.stringify({
    failed: failed?.type === 'write-failed' ? failed.error : '',
    whileFull: { broken: full.broken, lost: atThatTime.filter((note) => !full.notes.includes(note)).length },
    restored: reports.at(-1)?.type === 'write-restored',
    inOrder: notes.join() === acknowledged.join() && notes.length === 80,
    broken,
    opensAgain: again.entries().length === 81,
  }),
);
await again.close();
