import type { AssistantMessage, Message, Model, ToolFace } from 'kern/contracts';
import { KernError, messageOf } from 'kern/plugin';
import { faceTokens, messageTokens, textTokens } from '../compaction/tokens.ts';

/** What a request carries. */
export interface RequestLoad {
  readonly systemPrompt: string;
  readonly tools: readonly ToolFace[];
  readonly messages: readonly Message[];
}

/** A reply of nothing to a prompt that fills the window, which some servers do not call an error. */
export function isOverfull({ usage }: AssistantMessage, { contextWindow }: Model): boolean {
  return usage.input + usage.cacheRead + usage.cacheWrite + usage.output >= contextWindow * 0.98;
}

/** A request that is too long, and of which nothing more can be left out: what of it is big, and what to do about that. */
export function overflowError(load: RequestLoad, model: Model, failure: unknown): KernError {
  const parts = partsOf(load);
  const total = parts.reduce((sum, { tokens }) => sum + tokens, 0);
  const listed = parts.map(({ name, tokens }) => `${name} ~${count(tokens)}`).join(', ');
  const biggest = parts.reduce((big, part) => (part.tokens > big.tokens ? part : big));
  const said = failure === undefined ? '' : ` (${messageOf(failure)})`;
  const message = `the request is too long for ${model.id}, which takes ${count(model.contextWindow)} tokens, and nothing more could be left out of it. About ${count(total)} tokens: ${listed}.${said}`;
  return new KernError('model_context_overflow', message, { hint: biggest.fix, cause: failure });
}

interface Part {
  readonly name: string;
  readonly tokens: number;
  /** What to do when it is the biggest. */
  readonly fix: string;
}

function partsOf({ systemPrompt, tools, messages }: RequestLoad): readonly Part[] {
  const last = messages.at(-1);
  const earlier = messages.slice(0, -1).reduce((sum, message) => sum + messageTokens(message), 0);
  return [
    {
      name: 'system prompt',
      tokens: textTokens(systemPrompt),
      fix: 'shorten the instructions (AGENTS.md, rules, --append-system-prompt), or use a model with a larger context',
    },
    {
      name: counted(tools.length, 'tool'),
      tokens: tools.reduce((sum, tool) => sum + faceTokens(tool), 0),
      fix: 'start with fewer tools (--tools, or turn plugins and MCP servers off), or use a model with a larger context',
    },
    {
      name: `last message (${last?.role ?? 'none'})`,
      tokens: last === undefined ? 0 : messageTokens(last),
      fix: 'give less at once: name files instead of pasting them, or use a model with a larger context',
    },
    {
      name: `${counted(Math.max(0, messages.length - 1), 'message')} before it`,
      tokens: earlier,
      fix: 'start a new session, go back in this one to before the longest message, or use a model with a larger context',
    },
  ];
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
const count = (tokens: number): string => tokens.toLocaleString('en-US');
