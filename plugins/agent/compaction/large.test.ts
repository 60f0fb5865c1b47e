import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type AgentSession, agentSessions, type Message, sessions } from 'kern/contracts';
import { bootKern, script } from 'kern/testing';
import { expect, test } from 'vitest';
import { counts } from '../../cli/test/soak.ts';
import { replyOf } from '../test/fakes.ts';
import { expectPaired } from '../test/world.ts';
import { result, user, words } from './test/desk.ts';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

/** Bytes that are in use when nothing is left to collect. */
function used(): number {
  gc();
  gc();
  return process.memoryUsage().heapUsed;
}

/** Four entries: a request, a call, its result, an answer. */
function turnOf(nth: number): readonly Message[] {
  const id = `call_${nth}`;
  return [
    user(`request ${nth} ${words(20)}`),
    replyOf([{ type: 'toolCall', id, name: 'read', arguments: { path: `/w/${nth % 50}.ts` } }]),
    result(id, 'read', words(60)),
    replyOf([{ type: 'text', text: `answer ${nth} ${words(20)}` }]),
  ];
}

test('a long session through many compactions and moves in its tree: the context is always valid, memory is bounded', {
  timeout: 900_000,
}, async () => {
  const entries = counts({ test: 800, soak: 10_000 });
  const compactions = counts({ test: 6, soak: 50 });
  const moves = counts({ test: 20, soak: 200 });
  using file = script({
    version: 1,
    model: { contextWindow: 20_000 },
    turns: [{ text: words(100) }],
    summaries: Array.from({ length: compactions + 10 }, (_, nth) => ({ text: `notes ${nth} ${words(200)}` })),
    repeat: 'last',
  });
  await using t = await bootKern([]);
  const { cwd } = t.view.where;
  await t.view.use(sessions).load();
  await t.view.use(agentSessions).load();
  const store = await t.view.service(sessions).create({ cwd, persist: true });
  for (let nth = 0; store.nodes().length < entries; nth += 1)
    await Promise.all(turnOf(nth).map((message) => store.append({ type: 'message', message })));
  const path = store.file ?? '';
  await store.close();
  await using session = await t.view
    .service(agentSessions)
    .create({ view: t.view, cwd, model: file.model, resume: path });

  let random = 7;
  const pick = (below: number): number => {
    random = (random * 48_271) % 2_147_483_647;
    return random % below;
  };
  const heap: number[] = [];
  let compacted = 0;
  for (let move = 0; move < moves; move += 1) {
    // Most compactions are the session's own, since every prompt finds it full; some are asked for.
    if (move % Math.floor(moves / compactions) === 0) {
      const at = compactionsOf(session);
      expect(await session.prompt({ text: `go on ${move}` })).toMatchObject({ status: 'ok' });
      if (compactionsOf(session) === at) await session.compactWith();
      expect(compactionsOf(session)).toBeGreaterThan(at);
      compacted += 1;
      isValid(session);
      if (move % 3 === 0) {
        await session.undoCompaction();
        isValid(session);
      }
    }
    const nodes = session.nodes();
    const target = nodes[pick(nodes.length)];
    expect(await session.navigateTree(target?.id ?? null)).toMatchObject({ done: true });
    isValid(session);
    if (move % Math.floor(moves / 4) === 0) heap.push(used());
  }
  expect(compacted).toBeGreaterThanOrEqual(compactions);
  heap.push(used());
  // After the first round nothing is added but the places of new entries and what is read of them.
  expect(Math.max(...heap.slice(1)) - (heap[1] ?? 0)).toBeLessThan(48 * 1024 * 1024);
});

function compactionsOf(session: AgentSession): number {
  return session.nodes().filter(({ type }) => type === 'compaction').length;
}

function isValid(session: AgentSession): void {
  const messages = session.context().map(({ message }) => message);
  expectPaired(messages);
  const first = messages[0];
  expect(first === undefined || first.role === 'user' || first.role === 'custom').toBe(true);
}
