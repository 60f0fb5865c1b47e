import {
  agentBeforeStart,
  type CustomMessage,
  context,
  type ImageContent,
  input,
  inputText,
  type Message,
  messageEnd,
  messageStart,
  messageUpdate,
  modelRequest,
  type StreamEvent,
  skills,
  turnEnd,
  turnStart,
} from 'kern/contracts';
import { isRecord, type Payload } from '../extension.ts';
import { partsOf } from '../messages.ts';
import { around, copied, type InputSeen, type Wire } from './wire.ts';

const sources: Readonly<Record<string, string>> = { person: 'interactive', rpc: 'rpc', plugin: 'extension' };

/**
 * One event for two hooks: `input` asks the handlers, and ends with one that handles it; `input.text` takes what they made
 * of it. Each extension sees what those before it made.
 */
export const wireInput: Wire = ({ extension, shared }) => {
  const { ctx } = extension;
  ctx.tap(input, async (came) => {
    const seen = shared.inputs.get(came) ?? { text: came.text, images: came.images };
    shared.inputs.set(came, seen);
    const event: Payload = {
      text: seen.text,
      images: copied(seen.images),
      source: sources[came.source] ?? came.source,
    };
    let isHandled = false;
    let isChanged = false;
    await extension.ask('input', event, around(extension), (answer) => {
      if (!isRecord(answer)) return undefined;
      // oh-my-pi says `handled: true`, pi names an action.
      isHandled = answer.action === 'handled' || answer.handled === true;
      if (isHandled) return true;
      const isTransform = answer.action === 'transform' || answer.action === undefined;
      if (!isTransform) return undefined;
      if (typeof answer.text === 'string') event.text = answer.text;
      if (Array.isArray(answer.images)) event.images = answer.images;
      isChanged ||= typeof answer.text === 'string' || Array.isArray(answer.images);
      return undefined;
    });
    if (isHandled) return { handled: true as const };
    if (!isChanged) return undefined;
    seen.text = String(event.text);
    seen.images = Array.isArray(event.images) ? event.images : [];
    shared.changed.set(came.text, seen);
    return undefined;
  });
  // First: others work on what was made of it.
  ctx.tap(
    inputText,
    (value) => {
      const made: InputSeen | undefined = shared.changed.get(value.text);
      if (made === undefined) return undefined;
      shared.changed.delete(value.text);
      return { text: made.text, images: made.images as readonly ImageContent[] };
    },
    { order: -1_000_000 },
  );
};

/** What is forced upon a run stands in its requests, and not in the session. */
export const wireBeforeAgentStart: Wire = ({ extension, active }) => {
  const { ctx } = extension;
  /** Of sessions, until their next run. */
  const forced = new Map<string, string>();
  const asked = new Map<string, { readonly text: string; readonly images: readonly ImageContent[] }>();
  ctx.tap(
    inputText,
    (value) => {
      const session = around(extension);
      if (session !== undefined) asked.set(session.id, value);
      return undefined;
    },
    { order: 1_000_000 },
  );
  ctx.tap(agentBeforeStart, async (value) => {
    const session = around(extension);
    const said = session === undefined ? undefined : asked.get(session.id);
    const before = value.prompt;
    const selected = session === undefined ? [] : active.names(session);
    const options: Payload = {
      cwd: session?.cwd ?? ctx.where.cwd,
      selectedTools: [...selected],
      skills: ctx
        .use(skills)
        .items()
        .map(({ name, description, path, folder }) => ({ name, description, filePath: path, baseDir: folder })),
      sections: {},
      promptGuidelines: [],
    };
    const event: Payload = {
      messageType: 'user',
      prompt: said?.text ?? '',
      images: said?.images ?? [],
      systemPrompt: before,
      systemPromptOptions: options,
    };
    const messages: CustomMessage[] = [];
    await extension.ask('before_agent_start', event, session, (answer) => {
      if (!isRecord(answer)) return undefined;
      const prompt = Array.isArray(answer.systemPrompt) ? answer.systemPrompt.join('\n\n') : answer.systemPrompt;
      if (typeof prompt === 'string') event.systemPrompt = prompt;
      if (isRecord(answer.message)) messages.push(customMessage(answer.message));
      return undefined;
    });
    const prompt = withOptions(String(event.systemPrompt), options);
    const chosen = Array.isArray(options.selectedTools) ? options.selectedTools.map(String) : selected;
    if (session !== undefined && chosen.join() !== selected.join()) active.choose(session, chosen);
    if (session !== undefined) {
      if (prompt === before) forced.delete(session.id);
      else forced.set(session.id, prompt);
    }
    if (prompt === before && messages.length === 0) return undefined;
    return { prompt, messages: [...value.messages, ...messages] };
  });
  ctx.tap(modelRequest, (request) => {
    const prompt = request.purpose === 'turn' ? forced.get(request.sessionId) : undefined;
    return prompt === undefined ? undefined : { ...request, systemPrompt: prompt };
  });
};

/** What was put into the options that the prompt would have been made of. */
function withOptions(prompt: string, { forceSystemPrompt, sections, promptGuidelines }: Payload): string {
  if (typeof forceSystemPrompt === 'string') return forceSystemPrompt;
  const own = isRecord(sections) ? Object.entries(sections) : [];
  const rules = Array.isArray(promptGuidelines) ? promptGuidelines : [];
  return [
    prompt,
    ...own.map(([name, text]) => `<${name}>\n${String(text)}\n</${name}>`),
    ...(rules.length === 0 ? [] : [rules.map((rule) => `- ${String(rule)}`).join('\n')]),
  ].join('\n\n');
}

function customMessage({ customType, content, display, details }: Payload): CustomMessage {
  const { text, images = [] } = partsOf(content);
  return {
    role: 'custom',
    customType: String(customType ?? 'extension'),
    content: [{ type: 'text', text }, ...images],
    display: display !== false,
    ...(details === undefined ? {} : { details }),
    timestamp: Date.now(),
  };
}

export const wireTurnStart: Wire = ({ extension }) => {
  extension.ctx.tap(turnStart, ({ sessionId, turnIndex }) =>
    extension.tell('turn_start', { turnIndex, timestamp: Date.now() }, extension.byId(sessionId)),
  );
};

export const wireTurnEnd: Wire = ({ extension }) => {
  extension.ctx.tap(turnEnd, ({ sessionId, turnIndex, message, toolResults }) => {
    const session = extension.byId(sessionId);
    const told = extension.ask('turn_end', { turnIndex, message, toolResults, entries: [] }, session, (answer) => {
      if (isRecord(answer) && (answer.entries !== undefined || answer.continue !== undefined))
        extension.notice('turn_end', 'what its turn_end answers is left out: use pi.sendMessage with deliverAs');
      return undefined;
    });
    extension.track(told);
  });
};

export const wireContext: Wire = ({ extension }) => {
  extension.ctx.tap(context, async ({ messages }) => {
    const event: Payload = { messages: copied(messages) };
    let isAnswered = false;
    await extension.ask('context', event, around(extension), (answer) => {
      if (!isRecord(answer) || !Array.isArray(answer.messages)) return undefined;
      event.messages = answer.messages;
      isAnswered = true;
      return undefined;
    });
    const isSame = !isAnswered && JSON.stringify(event.messages) === JSON.stringify(messages);
    return isSame ? undefined : { messages: event.messages as readonly Message[] };
  });
};

export const wireMessageStart: Wire = ({ extension }) => {
  extension.ctx.tap(messageStart, ({ message }) => extension.tell('message_start', { message }, around(extension)));
};

export const wireMessageUpdate: Wire = ({ extension }) => {
  const { ctx } = extension;
  let partial: { role: string; content: Payload[] } & Payload = { role: 'assistant', content: [] };
  ctx.tap(messageStart, ({ message }) => {
    if (message.role === 'assistant') partial = { ...message, content: [] };
  });
  ctx.tap(messageUpdate, ({ event }) => {
    grow(partial.content, event);
    extension.tell(
      'message_update',
      { message: partial, assistantMessageEvent: { ...event, partial } },
      around(extension),
    );
  });
};

/** A message as far as it has come. */
function grow(content: Payload[], event: StreamEvent): void {
  if (event.type === 'done') return;
  const at = event.contentIndex;
  const part = content[at] ?? {};
  switch (event.type) {
    case 'text_start':
      content[at] = { type: 'text', text: '' };
      break;
    case 'thinking_start':
      content[at] = { type: 'thinking', thinking: '' };
      break;
    case 'text_delta':
      content[at] = { ...part, type: 'text', text: `${String(part.text ?? '')}${event.delta}` };
      break;
    case 'thinking_delta':
      content[at] = { ...part, type: 'thinking', thinking: `${String(part.thinking ?? '')}${event.delta}` };
      break;
    case 'text_end':
      content[at] = { ...part, type: 'text', text: event.content };
      break;
    case 'thinking_end':
      content[at] = { ...part, type: 'thinking', thinking: event.content };
      break;
    case 'toolcall_start':
      content[at] = { type: 'toolCall', id: event.id, name: event.toolName, arguments: {} };
      break;
    case 'toolcall_end':
      content[at] = { ...event.toolCall };
      break;
    default:
      break;
  }
}

export const wireMessageEnd: Wire = ({ extension }) => {
  extension.ctx.tap(messageEnd, async ({ message }) => {
    const event: Payload = { message: copied(message) };
    let isChanged = false;
    await extension.ask('message_end', event, around(extension), (answer) => {
      if (!isRecord(answer) || !isRecord(answer.message) || answer.message.role !== message.role) return undefined;
      event.message = answer.message;
      isChanged = true;
      return undefined;
    });
    return isChanged ? { message: event.message as unknown as Message } : undefined;
  });
};
