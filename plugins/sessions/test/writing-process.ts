// A process that writes a session until it is told to stop, or is killed. What it says is a line each: `open <file>`,
// `ack <n> <id>`, `report <type> <text>`, `error <code>`.
import { existsSync, writeSync } from 'node:fs';
import { plainService } from './plain-service.ts';

const [home = '', name = '', file = '', gate = ''] = process.argv.slice(2);
const say = (line: string): void => void writeSync(1, `${line}\n`);

let isStopped = false;
process.stdin.on('end', () => {
  isStopped = true;
});
process.stdin.resume();

const service = plainService(home);
const report = (told: { readonly type: string; readonly error?: string }): void =>
  say(`report ${told.type} ${told.error ?? ''}`);
say('ready');
while (gate !== '' && !existsSync(gate)) await new Promise((resolve) => setTimeout(resolve, 1));

try {
  const store =
    file === ''
      ? await service.create({ cwd: '/repo', persist: true, report })
      : await service.open(file, { whenBusy: gate === '' ? 'fork' : 'fail', report });
  if (file === '') {
    await store.append({
      type: 'message',
      message: { role: 'user', content: [{ type: 'text', text: 'go' }], timestamp: 1 },
    });
  }
  say(`open ${store.file}`);
  let n = 0;
  const one = async (): Promise<void> => {
    while (!isStopped) {
      n += 1;
      const nth = n;
      // Sometimes a long one, that takes the disk a while.
      const pad = 'x'.repeat(nth % 10 === 0 ? 300_000 * Math.random() : 300 * Math.random());
      const { id } = await store.append({ type: 'custom', customType: 'note', data: `${name} ${nth} ${pad}` });
      say(`ack ${name} ${nth} ${id}`);
      // So that a file does not grow without end while nobody is in a hurry.
      await new Promise((resolve) => setTimeout(resolve, nth % 5 === 0 ? 1 : 0));
    }
  };
  await Promise.all([one(), one(), one()]);
  await store.close();
  say(`closed ${store.file}`);
} catch (error) {
  say(`error ${(error as { readonly code?: string }).code ?? String(error)}`);
}
process.exit(0);
