import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const script = fileURLToPath(new URL('./test/stray-errors.ts', import.meta.url));

interface Run {
  readonly code: number | null;
  /** What was printed, line by line. */
  readonly printed: readonly unknown[];
  readonly stderr: string;
}

/** Runs a case in a plain Node, without a test runner that catches what nobody caught. */
function run(name: string): Promise<Run> {
  const child = spawn(process.execPath, [script, name], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) =>
      resolve({
        code,
        stderr,
        printed: stdout
          .split('\n')
          .filter(Boolean)
          .map((line): unknown => JSON.parse(line)),
      }),
    );
  });
}

test('rejections, timers, late throws and emitters are each owned by the right plugin, and the process lives', async () => {
  const { code, printed, stderr } = await run('owned');
  const own = ['async', 'disposer', 'emitter', 'interval', 'late', 'rejection', 'setup', 'signal'].map((id) => [
    id,
    id,
  ]);
  expect({ code, printed, stderr }).toEqual({
    code: 0,
    printed: [
      [
        ...own,
        ['socket', expect.stringContaining('ECONNREFUSED')],
        ['start', 'start'],
        ['tick', 'tick'],
        ['timer', 'timer'],
      ],
      'alive',
    ],
    stderr: '',
  });
});

test('of two kernels each answers for its own, and what is neither’s is the host’s', async () => {
  const { code, printed } = await run('two');
  expect(code).toBe(0);
  expect(printed).toEqual([
    {
      kernels: [[['one', 'one']], [['two', 'two']]],
      hosts: expect.arrayContaining(['nobody', 'a rejection of nobody']),
    },
    1,
  ]);
});

test('who asks for what is unowned does not get what another kernel owns', async () => {
  const { code, printed } = await run('one of two, with a say');
  expect(code).toBe(0);
  expect(printed).toEqual([{ two: [['two', 'two']], unowned: ['rejection: nobody, rejected', 'exception: nobody'] }]);
});

test.each(['nobody, thrown', 'nobody, rejected', 'not installed'])(
  'an error that no kernel answers for ends the process as it would without one: %s',
  async (name) => {
    const { code, printed, stderr } = await run(name);
    expect({ code, printed }).toEqual({ code: 1, printed: [] });
    expect(stderr).toMatch(/Error: (of nobody|timer)/);
  },
);
