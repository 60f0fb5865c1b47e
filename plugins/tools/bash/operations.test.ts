import { bashOperations, resultText } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { expect, test } from 'vitest';
import { bootTools } from '../test/kernel.ts';
import { ownHome } from './test/home.ts';

ownHome();

test("a stranger's plugin runs the commands elsewhere", async () => {
  const asked: unknown[] = [];
  const elsewhere = definePlugin({
    id: 'elsewhere',
    setup: (ctx) =>
      ctx.contribute(bashOperations, {
        async exec(command, cwd, { env, timeoutMs, onData }) {
          asked.push({ command, cwd, env, timeoutMs });
          onData(Buffer.from('from afar\n'));
          return { exitCode: 5 };
        },
      }),
  });
  await using t = await bootTools(['tools.bash'], [elsewhere]);
  const result = await t.callTool('bash', { command: 'uname', env: { A: '1' }, timeout: 9 });
  expect(resultText(result)).toBe('from afar\n\nCommand exited with code 5');
  expect(asked).toEqual([{ command: 'uname', cwd: t.dir, env: { A: '1' }, timeoutMs: 9000 }]);
});
