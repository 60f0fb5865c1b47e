import { join } from 'node:path';
import { resultText } from 'kern/contracts';
import { processes } from 'kern/plugin';
import { expect, test } from 'vitest';
import { counts } from '../../cli/test/soak.ts';
import { bootTools } from '../test/kernel.ts';
import { ownHome } from './test/home.ts';

ownHome();

interface Flooded {
  readonly grewMB: number;
  readonly end: string;
  readonly length: number;
  readonly artifact: number;
}

/** Runs a command through the tool in a program of its own. */
async function flood(command: string): Promise<Flooded> {
  await using t = await bootTools([]);
  const program = join(import.meta.dirname, 'test/flood.ts');
  const { stdout, stderr } = await t.view
    .service(processes)
    .spawn(process.execPath, ['--conditions=kern-source', program, command]).result;
  expect(stdout, stderr).not.toBe('');
  return JSON.parse(stdout) as Flooded;
}

const bytes = counts({ test: 100_000_000, soak: 1_000_000_000 });

test('of an enormous output of short lines the memory stays small and the artifact is whole', {
  timeout: 120_000,
}, async () => {
  const { grewMB, end, artifact } = await flood(`head -c ${bytes} /dev/zero | tr '\\0' '\\n'; echo end`);
  expect(grewMB).toBeLessThan(40);
  expect(end).toContain(`end\n\n[Showing lines ${bytes + 1 - 1999}-${bytes + 1} of ${bytes + 1}`);
  expect(artifact).toBe(bytes + 4);
});

test('of a single line of 200 MB as well', { timeout: 120_000 }, async () => {
  const { grewMB, end, length, artifact } = await flood("head -c 200000000 /dev/zero | tr '\\0' x; echo end");
  expect(grewMB).toBeLessThan(40);
  expect(end).toContain('xxend\n\n[Showing the end of line 1');
  expect(length).toBeLessThan(52_000);
  expect(artifact).toBe(200_000_004);
});

test('bytes that are no text do no harm', { timeout: 120_000 }, async () => {
  const { grewMB, length, artifact } = await flood('head -c 30000000 /dev/urandom');
  expect(grewMB).toBeLessThan(40);
  expect(length).toBeLessThan(52_000);
  expect(artifact).toBe(30_000_000);
});

test('calls aborted at random moments leave no process and no lock on the shell', { timeout: 300_000 }, async () => {
  await using t = await bootTools(['tools.bash']);
  const rounds = counts({ test: 20, soak: 500 });
  const command = 'sleep 600 & (setsid sleep 600 &); (trap "" TERM; sleep 0.3) ; echo x | cat; sleep 600 | cat';
  for (let round = 0; round < rounds; round += 4) {
    await Promise.all(
      [0, 1, 2, 3].map(async (at) => {
        const abort = AbortSignal.timeout(1 + Math.floor(Math.random() * 150));
        const result = await t.callTool('bash', { command }, { signal: abort, sessionId: `s${at}` });
        expect(result.isError).toBe(true);
      }),
    );
  }
  expect(t.view.service(processes).list()).toEqual([]);
  expect(resultText(await t.callTool('bash', { command: 'echo here' }))).toBe('here');
});
