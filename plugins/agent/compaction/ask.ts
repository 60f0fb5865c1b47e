import {
  type AssistantMessage,
  type CompactionJob,
  type Model,
  type ModelRequest,
  models,
  type Usage,
} from 'kern/contracts';
import { KernError, type View } from 'kern/plugin';
import type { RetrySettings } from '../retry/delay.ts';
import { patiently } from '../retry/patiently.ts';
import { clampThinking } from '../thinking.ts';
import { addUsage, noUsage } from '../usage.ts';

export interface Asker {
  readonly ask: CompactionJob['ask'];
  /** What all answers took together. */
  usage(): Usage;
}

export interface AskerParts {
  readonly view: View;
  readonly model: Model;
  readonly sessionId: string;
  readonly retry: () => RetrySettings;
  readonly signal: AbortSignal;
}

/**
 * Asks a model for plain text, beside the conversation: without tools, without thinking where it can be switched off. An
 * answer that is cut off, empty or made of tool calls is none. What passes is tried again, by the settings of a retry.
 */
export function asker({ view, model, sessionId, retry, signal }: AskerParts): Asker {
  let usage = noUsage;
  const once = async (request: ModelRequest): Promise<string> => {
    const message = await messageFrom(view, request, signal);
    usage = addUsage(usage, message.usage);
    return textIn(message);
  };
  return {
    usage: () => usage,
    ask: async ({ system, text, maxTokens }) => {
      const request: ModelRequest = {
        model,
        systemPrompt: system,
        messages: [{ role: 'user', content: [{ type: 'text', text }], timestamp: Date.now() }],
        tools: [],
        thinking: clampThinking('off', model),
        maxOutput: model.maxOutput > 0 ? Math.min(maxTokens, model.maxOutput) : maxTokens,
        sessionId,
        purpose: 'summary',
      };
      return patiently(() => once(request), retry, signal);
    },
  };
}

async function messageFrom(view: View, request: ModelRequest, signal: AbortSignal): Promise<AssistantMessage> {
  for await (const event of view.service(models).stream(request, signal))
    if (event.type === 'done') return event.message;
  throw new KernError('model_bad_response', 'the summary ended before it was complete');
}

function textIn({ content, stopReason, errorCode, errorMessage }: AssistantMessage): string {
  if (stopReason === 'error' || stopReason === 'aborted')
    throw new KernError(errorCode ?? 'model_failed', errorMessage ?? 'the model failed without a reason');
  if (stopReason === 'length') throw unusable('it was cut off at the output limit');
  if (stopReason === 'refusal') throw unusable('the model declined to write it');
  if (content.some((part) => part.type === 'toolCall')) throw unusable('the model called tools instead');
  const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
  if (text.trim() === '') throw unusable('it is empty');
  return text.trim();
}

function unusable(why: string): KernError {
  return new KernError('summary_unusable', `the summary cannot be used: ${why}`, {
    hint: 'try again, or with another model: plugins.agent.compaction.model',
  });
}
