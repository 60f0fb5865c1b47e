import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { openPlace } from './program.ts';

vi.setConfig({ testTimeout: 120_000 });

const script = (...turns: readonly object[]): string => JSON.stringify({ version: 1, turns });
const common = ['--yolo', '--no-session'];

test('a run that is recorded can be played: the same calls and the same answer', async () => {
  using place = openPlace({
    's.json': script(
      { reasoning: 'hm', text: 'First I look.', calls: [{ name: 'ls', args: {} }] },
      {
        expect: { toolResult: [{ tool: 'ls', contains: 's.json' }] },
        text: 'There is a script, and it is long enough.',
      },
    ),
  });
  const first = await place.run(
    '-p',
    'go',
    '--record',
    'out.yml',
    '--record-expect',
    '--model',
    'script/s.json',
    ...common,
  );
  expect(first).toMatchObject({ code: 0, out: 'There is a script, and it is long enough.\n' });
  const second = await place.run('-p', 'go', '--model', 'script/out.yml', ...common);
  expect({ code: second.code, out: second.out, err: second.err }).toEqual(first);
  expect(readFileSync(path.join(place.project, 'out.yml'), 'utf8')).toContain('tool: ls, isError: false');
});

test('killed without warning, it leaves what came so far', async () => {
  using place = openPlace({
    's.json': script({ calls: [{ name: 'ls', args: {} }] }, { text: 'Half of', error: { stall: true } }),
  });
  const running = place.start(['-p', 'go', '--record=out.yml', '--model', 'script/s.json', ...common]);
  await place.appeared('out.yml');
  const text = (): string => readFileSync(path.join(place.project, 'out.yml'), 'utf8');
  await expect.poll(text, { timeout: 60_000 }).toContain('Half of');
  running.child.kill('SIGKILL');
  await running.ended;
  const played = await place.run('-p', 'go', '--model', 'script/out.yml', '--mode', 'json', ...common);
  expect(played.out).toContain('"type":"tool_execution_end"');
  expect(played.out).toContain('Half of');
});
