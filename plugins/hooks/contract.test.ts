import { type HookFactory, isResultOf, prepareToolCall, type ToolDetails, tools } from 'kern/contracts';
import { expect, test } from 'vitest';
import { openHouse } from '../cli/test/house.ts';

test('results are told apart by the name of the tool, and then their details are known', () => {
  const codes: (number | undefined)[] = [];
  const hooks: HookFactory = (api) => {
    api.on('tool_result', (event) => {
      if (isResultOf(event, 'bash')) codes.push(event.details?.exitCode);
      if (isResultOf(event, 'edit')) codes.push(event.details?.firstChangedLine);
      return undefined;
    });
  };
  const result = { type: 'tool_result', toolCallId: 'c', input: {}, content: [], isError: false };
  hooks({
    on: (_event: string, handler: (event: never, context: unknown) => unknown) => {
      handler({ ...result, toolName: 'bash', details: { exitCode: 3, cwd: '/', truncated: false } } as never, {});
      handler({ ...result, toolName: 'edit', details: { diff: '', patch: '', firstChangedLine: 7 } } as never, {});
      handler({ ...result, toolName: 'other', details: 'anything' } as never, {});
      return () => {};
    },
    registerCommand: () => {},
    registerMessageRenderer: () => {},
  } as never);
  expect(codes).toEqual([3, 7]);
});

test('the details that hooks are told of are those that the tools give', async () => {
  const told: Record<string, unknown> = {};
  await using house = await openHouse({ 'a.txt': 'one\n' });
  await house.view.use(tools).load();
  const calls: Readonly<Record<Exclude<keyof ToolDetails, 'powershell'>, object>> = {
    bash: { command: 'true' },
    read: { path: 'a.txt' },
    write: { path: 'b.txt', content: 'x' },
    edit: { path: 'a.txt', edits: [{ oldText: 'one', newText: 'two' }] },
    grep: { pattern: 'two' },
    find: { pattern: '*.txt' },
    ls: {},
  };
  for (const [name, args] of Object.entries(calls)) {
    const { signal } = new AbortController();
    const call = { name, args, callId: name, sessionId: '', by: 'person', signal } as const;
    const prepared = await prepareToolCall(house.view, call);
    const result = prepared.state === 'ready' ? await prepared.execute() : prepared.result;
    told[name] = Object.keys(result.details ?? {}).toSorted();
  }
  expect(told).toMatchObject({
    bash: ['cwd', 'exitCode', 'truncated'],
    write: ['bytes', 'encoding', 'path', 'state'],
    edit: expect.arrayContaining(['diff', 'firstChangedLine', 'patch']),
    grep: expect.arrayContaining(['files', 'matches', 'path', 'truncated']),
    find: expect.arrayContaining(['found', 'path', 'truncated']),
    ls: expect.arrayContaining(['entries', 'path', 'truncated']),
  });
}, 60_000);
