import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { prepareToolCall, resultText, type ToolResult, tools } from 'kern/contracts';
import { expect, test } from 'vitest';
import { described, noShell, writeTool } from './test/desk.ts';
import { type Live, openLive } from './test/live.ts';

const wait = { timeout: 20_000 };

async function call(h: Live, name: string, options: { signal?: AbortSignal; onUpdate?: (text: string) => void } = {}) {
  const { view } = h.session;
  const { signal = new AbortController().signal, onUpdate } = options;
  await view.use(tools).load();
  const prepared = await prepareToolCall(view, { name, args: {}, callId: 'c1', sessionId: 's', by: 'person', signal });
  const told = (partial: ToolResult): void => onUpdate?.(resultText(partial));
  return prepared.state === 'ready' ? prepared.execute(told) : prepared.result;
}

test('a module that is written while kern runs is a tool of the next turn; an edit takes over, a broken one keeps the last', async () => {
  const turn = { calls: [{ name: 'word', args: {} }] };
  await using h = await openLive([
    { text: 'nothing yet' },
    turn,
    { text: 'ok' },
    turn,
    { text: 'ok' },
    turn,
    { text: 'ok' },
  ]);
  const file = path.join(h.home, 'tools/word.js');
  const version = (word: string): string =>
    `export default { description: 'Says ${word}.', execute: async () => '${word}' };`;
  const said = async (): Promise<string> => {
    await h.session.prompt({ text: 'go' });
    const result = h.session.messages().findLast(({ role }) => role === 'toolResult');
    return result?.content.map((part) => ('text' in part ? part.text : '')).join('') ?? '';
  };
  // Not by its revision: a watcher may tell of one edit twice.
  const live = (): string | undefined => h.session.view.use(tools).get('word')?.item.description;
  await h.session.prompt({ text: 'go' });
  h.kern.watch();
  writeTool(file, version('one'));
  await expect.poll(live, wait).toBe('Says one.');
  expect(await said()).toBe('one');
  writeTool(file, version('two'));
  await expect.poll(live, wait).toBe('Says two.');
  expect(await said()).toBe('two');
  writeTool(file, 'export default { description: 3 ');
  await expect.poll(() => h.complaints().filter((text) => text.includes('kept the old')).length, wait).toBe(1);
  expect(h.complaints().find((text) => text.includes('kept the old'))).toContain('word.js');
  expect(await said()).toBe('two');
}, 60_000);

test.skipIf(noShell)(
  'a program whose description breaks keeps the last one, and one that is taken away is gone',
  async () => {
    await using h = await openLive([{ text: 'ok' }]);
    const file = path.join(h.home, 'tools/count.sh');
    const description = (): string | undefined => h.session.view.use(tools).get('count')?.item.description;
    h.kern.watch();
    writeTool(file, described('{"description": "One."}', 'echo 1'));
    await expect.poll(description, wait).toBe('One.');
    writeTool(file, described('{"description": "Two."}', 'echo 2'));
    await expect.poll(description, wait).toBe('Two.');
    writeTool(file, described('no description', 'echo 3'));
    await expect.poll(() => h.complaints().some((text) => text.includes('kept the old')), wait).toBe(true);
    expect(description()).toBe('Two.');
    rmSync(file);
    await expect.poll(description, wait).toBeUndefined();
  },
  60_000,
);

test.skipIf(noShell)(
  'progress comes as it is made, a limit of time and an abort end the whole tree',
  async () => {
    await using h = await openLive([{ text: 'ok' }]);
    const pids = path.join(h.home, 'pids');
    const tree = `(sleep 600 & echo $! >> ${pids}; wait) & echo $$ >> ${pids}; echo "step one" >&2; wait`;
    writeTool(path.join(h.home, 'tools/slow.sh'), described('{"description": "Slow.", "timeoutMs": 700}', tree));
    writeTool(path.join(h.home, 'tools/stuck.sh'), described('{"description": "Stuck."}', tree));
    h.kern.watch();
    await expect
      .poll(
        () =>
          h.session.view.use(tools).get('stuck') !== undefined && h.session.view.use(tools).get('slow') !== undefined,
        wait,
      )
      .toBe(true);
    const gone = (): boolean =>
      readFileSync(pids, 'utf8')
        .trim()
        .split('\n')
        .every((pid) => !isAlive(Number(pid)));
    const steps: string[] = [];
    const late = await call(h, 'slow', { onUpdate: (text) => steps.push(text) });
    expect(late.isError).toBe(true);
    expect(resultText(late)).toContain('slow did not end within 700 ms');
    expect(steps).toEqual(['step one']);
    await expect.poll(gone, wait).toBe(true);
    const abort = new AbortController();
    const stopped = await call(h, 'stuck', { signal: abort.signal, onUpdate: () => abort.abort() });
    expect(stopped.isError).toBe(true);
    await expect.poll(gone, wait).toBe(true);
  },
  60_000,
);

test('where no file is a tool, nothing is loaded for them', async () => {
  await using h = await openLive([{ text: 'ok' }]);
  await h.session.prompt({ text: 'go' });
  expect(h.kern.kernel.sleeping.map(({ id }) => id)).toContain('custom-tools');
  expect(existsSync(path.join(h.home, 'tools'))).toBe(false);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false; // gone
  }
}
