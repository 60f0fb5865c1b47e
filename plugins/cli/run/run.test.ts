import type { CommandArgs, CommandHost } from 'kern/contracts';
import { expect, test } from 'vitest';
import { run } from './run.ts';

test('a run that is ended before it began says in json that it was aborted, and with which code', async () => {
  const controller = new AbortController();
  const reason = Object.assign(new DOMException('ended by SIGINT', 'AbortError'), { exitCode: 130 });
  controller.abort(reason);
  let out = '';
  const host = {
    signal: controller.signal,
    stdout: { write: (text: string) => (out += text) },
    view: {
      use: () => {
        throw reason;
      },
    },
  } as unknown as CommandHost;
  const args = { options: { mode: 'json' }, positionals: ['hi'], shared: { cwd: '/', json: false } };
  await expect(run(args as unknown as CommandArgs, host)).rejects.toBe(reason);
  expect(JSON.parse(out)).toMatchObject({ type: 'result', status: 'aborted', error: null, exitCode: 130 });
});
