// Changes what the model reads: anything that looks like a key is taken out of every tool result.
import { toolResult } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';

const keys = /\b(sk-[A-Za-z0-9_-]{16,}|ghp_[A-Za-z0-9]{36}|AKIA[A-Z0-9]{16})\b/g;

export default definePlugin({
  id: 'redact-results',
  setup: (ctx) =>
    ctx.tap(toolResult, (value) => {
      const content = value.result.content.map((part) =>
        part.type === 'text' ? { ...part, text: part.text.replace(keys, '[redacted]') } : part,
      );
      return { ...value, result: { ...value.result, content } };
    }),
});
