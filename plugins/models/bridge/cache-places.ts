import type { LanguageModelV4Prompt } from '@ai-sdk/provider';

/**
 * Where a prompt is cached: after the system prompt, at the end, and where the end was in the request before, so that a
 * turn of many calls still finds what it wrote.
 */
export function cachePlaces(prompt: LanguageModelV4Prompt): ReadonlySet<number> {
  const last = prompt.findLastIndex((message) => message.role === 'user' || message.role === 'tool');
  const reply = prompt.findLastIndex((message, at) => at < last && message.role === 'assistant');
  const before = prompt.findLastIndex(
    (message, at) => at < reply && message.role !== 'assistant' && message.role !== 'system',
  );
  const first = prompt[0]?.role === 'system' ? 0 : -1;
  return new Set([first, before, last]);
}
