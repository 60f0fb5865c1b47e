/** A request's parts in the order in which a prompt cache reads them: tools, system prompt, messages. */
export interface Prompt {
  readonly system: string;
  readonly tools: string;
  readonly messages: string;
}

type Body = {
  readonly system?: unknown;
  readonly systemInstruction?: { readonly parts?: unknown };
  readonly tools?: unknown;
  readonly messages?: readonly unknown[];
  readonly input?: readonly unknown[];
  readonly contents?: readonly unknown[];
};

/** Of the JSON that a wire sends. On those of OpenAI the system prompt is the first message. */
export function promptOf(body: string): Prompt {
  const said = withoutMarks(JSON.parse(body)) as Body;
  const { tools = [], messages = said.input ?? said.contents ?? [] } = said;
  const system = said.system ?? said.systemInstruction?.parts;
  const [first, ...rest] = messages;
  const isFirst = isSystem(first);
  return {
    system: textOf(isFirst ? first.content : system),
    tools: JSON.stringify(tools),
    messages: JSON.stringify(isFirst ? rest : messages),
  };
}

/** Whether all that was sent before is sent again, byte for byte, with nothing but more after it. */
export function extendsPrompt(next: Prompt, before: Prompt): boolean {
  // Without the bracket that ends the list.
  const head = before.messages.slice(0, -1);
  return next.tools === before.tools && next.system === before.system && next.messages.startsWith(head);
}

/** Where a cache is asked for moves with the end of the prompt, and is no part of what is cached. */
function withoutMarks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMarks);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => key !== 'cache_control');
  return Object.fromEntries(kept.map(([key, part]) => [key, withoutMarks(part)]));
}

function isSystem(message: unknown): message is { readonly content: unknown } {
  return typeof message === 'object' && message !== null && 'role' in message && message.role === 'system';
}

/** Text, or a list of parts with text. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => (typeof part?.text === 'string' ? part.text : '')).join('');
}
