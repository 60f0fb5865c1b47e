import type { AgentEvent, AssistantMessage, Message } from 'kern/contracts';
import { expect, test } from 'vitest';
import { type Play, stage, usage } from '../test/stage.ts';
import plugin from './index.ts';

type Emit = Parameters<Play>[0];

const change = (
  capability: string,
  { added = [], changed = [], removed = [] }: Partial<Record<'added' | 'changed' | 'removed', readonly string[]>>,
): AgentEvent => ({ type: 'capability_changed', capability, added, changed, removed });

function asked(emit: Emit): void {
  const message = { role: 'assistant', content: [], usage } as unknown as AssistantMessage;
  emit({ type: 'message_start', message });
  emit({ type: 'message_end', message });
}

async function told(play: (emit: Emit) => void): Promise<readonly string[]> {
  await using s = await stage([plugin], (emit) => {
    play(emit);
    return { text: 'x' };
  });
  await s.mode('text').run(s.run);
  await new Promise((resolve) => s.stderr.write('', resolve));
  return s.stderr.lines;
}

test('what changed is told in one line when it counts, each item once; what is found at the first look is no news', async () => {
  const lines = await told((emit) => {
    emit(change('skill', { added: ['review', 'deploy'] }));
    // The next provider has one of that name, too.
    emit(change('skill', { changed: ['deploy'] }));
    emit(change('context-file', { changed: ['project:0'], removed: ['project:1'] }));
    asked(emit);
    emit(change('skill', { changed: ['review'] }));
    // Another provider reads the same file.
    emit(change('skill', { changed: ['review'] }));
    emit(change('context-file', { changed: ['project:0', 'project:2', 'user', 'project:0:local'] }));
    emit(change('rule', { added: ['tabs'], removed: ['spaces'] }));
    emit(change('tool', { changed: ['read'] }));
    // The first who looks for servers finds some.
    emit(change('mcp-server', { added: ['docs'] }));
    asked(emit);
    emit(change('mcp-server', { added: ['web'] }));
    asked(emit);
    asked(emit);
  });
  expect(lines).toEqual([
    '↻ changed: context file (here), context file (here, local), context file (2 up), context file (your own); new: rule tabs; gone: rule spaces, and 1 more',
    '↻ new: MCP server web',
  ]);
});

test('a rule that stopped the reply is named once', async () => {
  const lines = await told((emit) => {
    const message = {
      role: 'custom',
      customType: 'kern.rule',
      content: [],
      details: { rule: 'no-any', path: '/p/no-any.md' },
    } as unknown as Message;
    emit({ type: 'message_start', message });
    emit({ type: 'message_end', message });
  });
  expect(lines).toEqual([expect.stringContaining('the rule no-any stopped the reply (/p/no-any.md)')]);
});

test('with other tools the cache is lost, which is told with what it costs', async () => {
  const lines = await told((emit) => {
    const news = (added: readonly string[]): Message => ({
      role: 'custom',
      customType: 'kern.announcement',
      content: [{ type: 'text', text: 'x' }],
      display: false,
      details: { sections: [{ id: 'a', text: 'b' }], tools: { added, changed: [], removed: [] } },
      timestamp: 0,
    });
    asked(emit);
    emit({ type: 'message_end', message: news([]) });
    emit({ type: 'message_end', message: news(['hello']) });
  });
  expect(lines).toEqual(['  the list of tools changed: about 18 tokens are read anew, not from the prompt cache']);
});

test('a name from a file moves no cursor', async () => {
  const [line] = await told((emit) => {
    asked(emit);
    emit(change('skill', { changed: ['re\u001b[2Jview\nx'] }));
    asked(emit);
  });
  expect(line).toBe('↻ changed: skill review …');
});
