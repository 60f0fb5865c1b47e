import { type AgentEvent, type AgentSession, type CommandArgs, type CommandHost, promptHistory } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { bootKernel } from 'kern/testing';
import { expect, test } from 'vitest';
import { rememberWhenSent } from './remember.ts';

const sent = { type: 'message_start', message: { role: 'assistant' } } as unknown as AgentEvent;

/** What is remembered of a line, before and after the first request has left. */
async function remembered(
  positionals: readonly string[],
  {
    options = {},
    isTTY = true,
    isOff = false,
  }: { options?: CommandArgs['options']; isTTY?: boolean; isOff?: boolean } = {},
): Promise<{ readonly before: readonly string[]; readonly after: readonly string[] }> {
  const added: string[] = [];
  const history = definePlugin({
    id: 'history',
    declares: [promptHistory],
    setup: (ctx) =>
      ctx.contribute(promptHistory, {
        add: (prompt, cwd) => void added.push(`${cwd}: ${prompt}`),
        getRecent: async () => [],
        search: async () => [],
        clear: async () => {},
        flush: async () => {},
        close: async () => {},
      }),
  });
  await using t = await bootKernel(isOff ? [] : [history]);
  const listeners = new Set<(event: AgentEvent) => void>();
  const session = {
    cwd: '/here',
    subscribe: (listener: (event: AgentEvent) => void) => {
      listeners.add(listener);
      return { dispose: () => void listeners.delete(listener) };
    },
  } as unknown as AgentSession;
  const host = { stderr: { isTTY }, view: t.view } as unknown as CommandHost;
  rememberWhenSent(session, { positionals, options } as unknown as CommandArgs, host);
  const before = [...added];
  for (const listener of listeners) listener(sent);
  for (const listener of listeners) listener(sent);
  await new Promise((resolve) => setTimeout(resolve, 20));
  return { before, after: added };
}

test('what was typed is remembered as it was typed, once, after the request has left', async () => {
  expect(await remembered(['fix', 'the', 'tests'])).toEqual({ before: [], after: ['/here: fix the tests'] });
  expect((await remembered(['@a.md', 'what is it?', 'and why?'])).after).toEqual([
    '/here: @a.md what is it?',
    '/here: and why?',
  ]);
  expect((await remembered(['@a.md'])).after).toEqual(['/here: @a.md']);
});

test('what scripts say, and what is to leave no trace, is not remembered', async () => {
  expect((await remembered(['hi'], { isTTY: false })).after).toEqual([]);
  expect((await remembered(['hi'], { options: { noSession: true } })).after).toEqual([]);
  expect((await remembered(['hi'], { options: { mode: 'json' } })).after).toEqual([]);
  expect((await remembered([])).after).toEqual([]);
});

test('without a history nothing happens', async () => {
  expect((await remembered(['hi'], { isOff: true })).after).toEqual([]);
});
