// Every place on the way from what a person types to what a model reads, and back. A tap answers with a changed copy, or
// with nothing, which leaves it as it is.
import {
  agentBeforeEnd,
  agentBeforeStart,
  context,
  input,
  inputText,
  type Message,
  messageEnd,
  modelRequest,
  systemPrompt,
} from 'kern/contracts';
import { definePlugin } from 'kern/plugin';

const note = (text: string): Message => ({
  role: 'custom',
  customType: 'own-words',
  content: [{ type: 'text', text }],
  display: false,
  timestamp: Date.now(),
});

export default definePlugin({
  id: 'own-words',
  setup(ctx) {
    // Typed, and answered without a model.
    ctx.tap(input, ({ text }) =>
      text === '?' ? { handled: true, say: 'Ask anything; btw is by the way.' } : undefined,
    );
    // Typed, and changed before it is sent and kept.
    ctx.tap(inputText, (value) => ({ ...value, text: value.text.replace(/\bbtw\b/g, 'by the way') }));
    // What every session knows from the start. The same text each time: the provider remembers it.
    ctx.tap(systemPrompt, (value) => ({
      ...value,
      sections: [...value.sections, { id: 'own-words', text: 'Call the person Captain.' }],
    }));
    // What is said once, before the prompt of a run, and kept.
    ctx.tap(agentBeforeStart, ({ prompt, messages }) => ({
      prompt,
      messages: [...messages, note('The sea is calm.')],
    }));
    // What the next request carries, and the session does not keep.
    ctx.tap(context, ({ messages }) => ({ messages: [...messages, note('It is the dog watch.')] }));
    // The request as a whole.
    ctx.tap(modelRequest, (request) => ({ ...request, maxOutput: Math.min(request.maxOutput ?? 4_000, 4_000) }));
    // What a model said, before it is kept.
    ctx.tap(messageEnd, ({ message }) => {
      if (message.role !== 'assistant') return undefined;
      const content = message.content.map((part) =>
        part.type === 'text' ? { ...part, text: part.text.replaceAll('Aye aye', 'Yes') } : part,
      );
      return { message: { ...message, content } };
    });
    // The model would stop: with an answer it goes on.
    ctx.tap(agentBeforeEnd, ({ message, continued }) => {
      const asks = message.content.some((part) => part.type === 'text' && part.text.endsWith('Shall I go on?'));
      return asks && continued === 0 ? { goOn: 'Go on.' } : undefined;
    });
  },
});
