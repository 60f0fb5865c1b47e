import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { AssistantMessage, StreamEvent } from '../contract.ts';
import { type Fault, faults, whole } from '../test/faults.ts';
import { modelServer, secretModelServer } from '../test/server.ts';
import { askOver, testWires } from '../test/wires.ts';
import { isTransient } from './failure.ts';

const key = 'key-123456';

describe.each(testWires.map((wire) => [wire.wire, wire] as const))('%s', (_, wire) => {
  test.each(faults.map((fault) => [fault.what, fault.outcome, fault] as const))(
    '%s: %s',
    async (_what, outcome, fault) => {
      await using server = await (fault.isSecret === true ? secretModelServer : modelServer)(fault.play(wire));
      // Long enough for a slow machine where nothing stalls, and to be waited for where something does.
      const idleTimeoutMs = outcome === 'model_stalled' ? 1_500 : 30_000;
      const events: StreamEvent[] = [];
      let message: AssistantMessage | undefined;
      let error: unknown;
      try {
        for await (const event of askOver(wire, server.url, {}, { idleTimeoutMs, apiKey: key })) {
          if (event.type === 'done') message = event.message;
          else events.push(event);
        }
      } catch (thrown) {
        error = thrown;
      }
      if (outcome === 'reply') {
        expect(error).toBeUndefined();
        if (fault.isWholeOrNone === true) expectNoOthers(message);
        else expect(message?.content).toEqual(fault.content ?? whole);
        return;
      }
      expect(error).toMatchObject({ code: outcome });
      const {
        message: said,
        status,
        retryAfterMs,
      } = error as { message: string; status?: number; retryAfterMs?: number };
      expect(said).toContain(`test (${server.host})`);
      expect(JSON.stringify([error, said, (error as Error).stack])).not.toContain(key);
      if (fault.error?.message !== undefined) expect(said).toMatch(fault.error.message);
      if (fault.error?.status !== undefined) expect(status).toBe(fault.error.status);
      if (fault.error?.retryAfterMs === 'about a minute')
        expect(retryAfterMs).toSatisfy((ms) => ms > 0 && ms <= 60_000);
      else if (fault.error !== undefined && 'retryAfterMs' in fault.error)
        expect(retryAfterMs).toBe(fault.error.retryAfterMs);
      if (fault.isShown === true) expect(events).toContainEqual({ type: 'text_delta', contentIndex: 0, delta: 'Hel' });
      if (server.heard.length > 0) await server.released(0);
    },
  );
});

/** Either the arguments are those that were written, or they are none. */
function expectNoOthers(message: AssistantMessage | undefined): void {
  const call = message?.content.find((part) => part.type === 'toolCall');
  if (call?.invalidArguments === undefined) expect(message?.content).toEqual(whole);
  else expect(call.arguments).toEqual({});
}

/** As it stands in the page. */
function tableLine({ what, outcome, note }: Fault): string {
  const end = outcome === 'reply' ? 'a reply' : `\`${outcome}\``;
  return `| ${what} | ${end} | ${isTransient(outcome) ? 'yes' : ''} | ${note} |`;
}

test('the page shows the table as it is', async () => {
  const page = await readFile(new URL('../../docs/pages/failures.md', import.meta.url), 'utf8');
  const rule = '|---|---|---|---|\n';
  const [shown = ''] = page.slice(page.indexOf(rule) + rule.length).split('\n\n');
  expect(shown.split('\n')).toEqual(faults.map(tableLine));
});
