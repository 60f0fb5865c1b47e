// What an agent is at the very least, to compare with: it reads the stream of a Chat Completions server, parses every
// event, does the reads it is asked for, and goes on until there are none.
import { readFile } from 'node:fs/promises';

const [, , url] = process.argv;
const messages = [{ role: 'user', content: 'hello' }];

for (;;) {
  const { text, calls } = await reply();
  messages.push({ role: 'assistant', content: text, ...(calls.length > 0 ? { tool_calls: calls } : {}) });
  if (calls.length === 0) {
    process.stdout.write(`${text}\n`);
    break;
  }
  for (const { id, function: asked } of calls) {
    const { path } = JSON.parse(asked.arguments);
    messages.push({ role: 'tool', tool_call_id: id, content: await readFile(path, 'utf8') });
  }
}

async function reply() {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'bench', stream: true, messages }),
  });
  const decoder = new TextDecoder();
  const calls = [];
  let text = '';
  let rest = '';
  for await (const chunk of response.body) {
    rest += decoder.decode(chunk, { stream: true });
    const events = rest.split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      if (event === 'data: [DONE]') continue;
      const [choice] = JSON.parse(event.slice('data: '.length)).choices;
      if (choice?.delta.content) text += choice.delta.content;
      if (choice?.delta.tool_calls) calls.push(...choice.delta.tool_calls);
    }
  }
  return { text, calls };
}
