// Takes over chats from plain text files: `kern sessions import talk.txt`. A line that begins with `Me:` or `Bot:` begins a
// message; what follows belongs to it.
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { type ImportedEntry, sessionSources } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';

export default definePlugin({
  id: 'chat-import',
  setup(ctx) {
    ctx.contribute(sessionSources, {
      id: 'chat',
      displayName: 'A chat in plain text',
      recognizes: (head) => /^(Me|Bot): /.test(head),
      folders: ({ home }) => [path.join(home, 'chats')],
      async read(file) {
        const time = (await stat(file)).mtimeMs;
        const parts = (await readFile(file, 'utf8')).split(/^(?=(?:Me|Bot): )/m);
        return {
          id: `chat-${path.basename(file).replace(/\W/g, '-')}`,
          cwd: path.dirname(file),
          timestamp: new Date(time).toISOString(),
          entries: parts.map((part) => entryOf(part, time)),
          warnings: [],
        };
      },
    });
  },
});

function entryOf(part: string, timestamp: number): ImportedEntry {
  const text = part.slice(part.indexOf(':') + 1).trim();
  const content = [{ type: 'text' as const, text }];
  const counts = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0, totalTokens: 0, cost: null };
  const reply = { api: 'chat', provider: 'chat', model: 'bot', usage: counts, stopReason: 'stop' as const };
  return {
    timestamp: new Date(timestamp).toISOString(),
    entry: {
      type: 'message',
      message: part.startsWith('Me: ')
        ? { role: 'user', content, timestamp }
        : { role: 'assistant', content, ...reply, timestamp },
    },
  };
}
