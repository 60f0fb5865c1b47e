import type { LanguageModelV4StreamPart, LanguageModelV4Usage, SharedV4ProviderMetadata } from '@ai-sdk/provider';
import type {
  AssistantMessage,
  ModelRequest,
  StopReason,
  StreamEvent,
  TextContent,
  ThinkingContent,
  ToolCall,
  Usage,
} from '../contract.ts';
import { usageOf } from '../usage.ts';
import { argumentsOf } from './arguments.ts';

type Part = LanguageModelV4StreamPart;
type Metadata = SharedV4ProviderMetadata | undefined;
type Finish = Extract<Part, { type: 'finish' }>;
type Block = TextContent | ThinkingContent | ToolCall;

const none: readonly StreamEvent[] = [];

/** What a wire finds in a package's metadata that has to go back with the next request. Each undefined where there is nothing. */
export interface Signatures {
  /** Of reasoning; `isEnd` once it is complete. */
  thinking?(metadata: Metadata, isEnd: boolean): string | undefined;
  /** Reasoning that only its vendor can read. */
  redacted?(metadata: Metadata): string | undefined;
  text?(metadata: Metadata): string | undefined;
  call?(metadata: Metadata): string | undefined;
}

/** A text in a package's metadata, by the vendor's name and the field's. */
export function textAt(metadata: Metadata, vendor: string, field: string): string | undefined {
  const value = metadata?.[vendor]?.[field];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A reply longer than this, in characters, is a server that has lost its way. */
export const longestReply = 16_000_000;

interface Growing {
  readonly kind: 'text' | 'thinking';
  readonly id: string;
  readonly index: number;
  text: string;
  signature: string | undefined;
}

interface Calling {
  readonly index: number;
  readonly name: string;
  text: string;
  isWhole: boolean;
}

/** Makes our events of the parts of a provider package, and the message of them. One a reply. */
export class Reply {
  readonly #api: string;
  readonly #request: ModelRequest;
  readonly #split: (delta: string) => readonly string[] | undefined;
  readonly #signatures: Signatures;
  readonly #content: (Block | undefined)[] = [];
  readonly #calls = new Map<string, Calling>();
  #out: StreamEvent[] = [];
  #open: Growing | undefined;
  /** Came before the first piece of its text. */
  #textSignature: { readonly id: string; readonly signature: string } | undefined;
  #length = 0;
  #finish: Finish | undefined;
  #responseId: string | undefined;

  constructor(
    api: string,
    request: ModelRequest,
    signatures: Signatures,
    split: (delta: string) => readonly string[] | undefined,
  ) {
    this.#api = api;
    this.#request = request;
    this.#signatures = signatures;
    this.#split = split;
  }

  /** It has become longer than any reply can be. */
  get isEndless(): boolean {
    return this.#length > longestReply;
  }

  /** The last word of the model came. */
  get finish(): Finish | undefined {
    return this.#finish;
  }

  /** It ended otherwise than its package says. */
  endAs(unified: Finish['finishReason']['unified'] | undefined): void {
    if (this.#finish !== undefined && unified !== undefined)
      this.#finish = { ...this.#finish, finishReason: { unified, raw: undefined } };
  }

  /** The events of a part. */
  take(part: Part): readonly StreamEvent[] {
    this.#take(part, this.#out);
    if (this.#out.length === 0) return none;
    const events = this.#out;
    this.#out = [];
    return events;
  }

  #take(part: Part, out: StreamEvent[]): void {
    switch (part.type) {
      case 'text-delta':
        this.#grow('text', part.id, part.delta, out);
        this.#signText(part.id, part.providerMetadata);
        break;
      case 'reasoning-delta':
        this.#sign(part.id, part.providerMetadata, false, out);
        this.#grow('thinking', part.id, part.delta, out);
        break;
      case 'reasoning-start':
        this.#hide(part.providerMetadata, out);
        break;
      case 'reasoning-end':
        this.#sign(part.id, part.providerMetadata, true, out);
        this.#closeNamed(part.id, out);
        break;
      case 'text-start':
        this.#signText(part.id, part.providerMetadata);
        break;
      case 'text-end':
        this.#signText(part.id, part.providerMetadata);
        this.#closeNamed(part.id, out);
        this.#signLast(part.id);
        break;
      case 'tool-input-start':
        this.#call(part.id, part.toolName, out);
        break;
      case 'tool-input-delta':
        this.#argue(part.id, part.delta, out);
        break;
      case 'tool-call':
        this.#called(part, out);
        break;
      case 'response-metadata':
        this.#responseId = part.id ?? this.#responseId;
        break;
      case 'finish':
        this.#finish = part;
        break;
      default: // its own tools, sources, files: nothing we asked for
    }
  }

  /** The last events, when everything came: `done` with the message. */
  end(): readonly StreamEvent[] {
    const out: StreamEvent[] = [];
    this.#close(out);
    // Begun, and cut off by the end of the reply.
    for (const [id, call] of this.#calls) if (!call.isWhole) this.#finishCall(id, call, call.text, undefined, out);
    out.push({ type: 'done', message: this.#message() });
    return out;
  }

  #message(): AssistantMessage {
    const { model } = this.#request;
    const content = this.#content.filter((block) => block !== undefined);
    return {
      role: 'assistant',
      content,
      api: this.#api,
      provider: model.provider,
      model: model.model,
      usage: toUsage(this.#finish?.usage, this.#request),
      stopReason: stopReason(this.#finish, content),
      ...(this.#responseId === undefined ? {} : { responseId: this.#responseId }),
      timestamp: Date.now(),
    };
  }

  #grow(kind: Growing['kind'], id: string, delta: string, out: StreamEvent[]): void {
    if (delta === '') return; // blocks that stay empty are not begun
    const open = this.#opened(kind, id, out);
    open.text += delta;
    this.#length += delta.length;
    const type = kind === 'text' ? 'text_delta' : 'thinking_delta';
    const contentIndex = open.index;
    const pieces = this.#split(delta);
    if (pieces === undefined) out.push({ type, contentIndex, delta });
    else for (const piece of pieces) out.push({ type, contentIndex, delta: piece });
  }

  #opened(kind: Growing['kind'], id: string, out: StreamEvent[]): Growing {
    const open = this.#open;
    if (open !== undefined && open.kind === kind && open.id === id) return open;
    this.#close(out);
    const early = kind === 'text' && this.#textSignature?.id === id ? this.#textSignature.signature : undefined;
    this.#textSignature = undefined;
    const begun: Growing = { kind, id, index: this.#content.length, text: '', signature: early };
    this.#content.push(undefined);
    this.#open = begun;
    out.push({ type: kind === 'text' ? 'text_start' : 'thinking_start', contentIndex: begun.index });
    return begun;
  }

  #closeNamed(id: string, out: StreamEvent[]): void {
    if (this.#open?.id === id) this.#close(out);
  }

  #close(out: StreamEvent[]): void {
    const open = this.#open;
    if (open === undefined) return;
    this.#open = undefined;
    const { index, text, signature } = open;
    if (open.kind === 'text') {
      this.#content[index] = { type: 'text', text, ...(signature === undefined ? {} : { textSignature: signature }) };
      out.push({ type: 'text_end', contentIndex: index, content: text });
      return;
    }
    const signed = signature === undefined ? {} : { thinkingSignature: signature };
    this.#content[index] = { type: 'thinking', thinking: text, ...signed };
    out.push({
      type: 'thinking_end',
      contentIndex: index,
      content: text,
      ...(signature === undefined ? {} : { signature }),
    });
  }

  /** A signature comes with an empty delta; it makes a block of its own where the reasoning itself is not shown. */
  #sign(id: string, metadata: Metadata, isEnd: boolean, out: StreamEvent[]): void {
    if (metadata === undefined) return;
    const signature = this.#signatures.thinking?.(metadata, isEnd);
    if (signature !== undefined) this.#opened('thinking', id, out).signature = signature;
  }

  /** The signature of a text may come before its first piece, with one, or behind the last, in a block of its own. */
  #signText(id: string, metadata: Metadata): void {
    if (metadata === undefined) return;
    const signature = this.#signatures.text?.(metadata);
    if (signature === undefined) return;
    if (this.#open?.kind === 'text' && this.#open.id === id) this.#open.signature = signature;
    else this.#textSignature = { id, signature };
  }

  /** A signature in a text that stayed empty belongs to what came before. */
  #signLast(id: string): void {
    const signature = this.#textSignature?.id === id ? this.#textSignature.signature : undefined;
    if (signature === undefined) return;
    this.#textSignature = undefined;
    const last = this.#content.at(-1);
    if (last?.type === 'text') this.#content[this.#content.length - 1] = { ...last, textSignature: signature };
    else if (last?.type === 'thinking' && last.thinkingSignature === undefined)
      this.#content[this.#content.length - 1] = { ...last, thinkingSignature: signature };
  }

  /** Reasoning that only its vendor can read. */
  #hide(metadata: Metadata, out: StreamEvent[]): void {
    const signature = this.#signatures.redacted?.(metadata);
    if (signature === undefined) return;
    this.#close(out);
    const contentIndex = this.#content.length;
    this.#content.push({ type: 'thinking', thinking: '', thinkingSignature: signature, redacted: true });
    out.push({ type: 'thinking_start', contentIndex }, { type: 'thinking_end', contentIndex, content: '', signature });
  }

  #call(id: string, name: string, out: StreamEvent[]): Calling {
    const begun = this.#calls.get(id);
    if (begun !== undefined) return begun; // said twice
    this.#close(out);
    const call: Calling = { index: this.#content.length, name, text: '', isWhole: false };
    this.#content.push(undefined);
    this.#calls.set(id, call);
    out.push({ type: 'toolcall_start', contentIndex: call.index, id, toolName: name });
    return call;
  }

  #argue(id: string, delta: string, out: StreamEvent[]): void {
    const call = this.#calls.get(id);
    if (call === undefined || call.isWhole || delta === '') return;
    call.text += delta;
    this.#length += delta.length;
    const contentIndex = call.index;
    const pieces = this.#split(delta);
    if (pieces === undefined) out.push({ type: 'toolcall_delta', contentIndex, delta });
    else for (const piece of pieces) out.push({ type: 'toolcall_delta', contentIndex, delta: piece });
  }

  #called(part: Extract<Part, { type: 'tool-call' }>, out: StreamEvent[]): void {
    const call = this.#call(part.toolCallId, part.toolName, out);
    if (call.isWhole) return;
    if (call.text === '') this.#argue(part.toolCallId, part.input, out);
    this.#finishCall(part.toolCallId, call, part.input, this.#signatures.call?.(part.providerMetadata), out);
  }

  #finishCall(id: string, call: Calling, input: string, signature: string | undefined, out: StreamEvent[]): void {
    call.isWhole = true;
    const toolCall: ToolCall = {
      type: 'toolCall',
      id,
      name: call.name,
      ...argumentsOf(input),
      ...(signature === undefined ? {} : { thoughtSignature: signature }),
    };
    this.#content[call.index] = toolCall;
    out.push({ type: 'toolcall_end', contentIndex: call.index, toolCall });
  }
}

function stopReason(finish: Finish | undefined, content: readonly Block[]): StopReason {
  switch (finish?.finishReason.unified) {
    case 'length':
      return 'length';
    case 'content-filter':
      return 'refusal';
    default: // servers also say `stop` when they mean the calls above
      return content.some((block) => block.type === 'toolCall') ? 'toolUse' : 'stop';
  }
}

function toUsage(usage: LanguageModelV4Usage | undefined, request: ModelRequest): Usage {
  const { inputTokens: input, outputTokens: output } = usage ?? { inputTokens: undefined, outputTokens: undefined };
  const cacheRead = input?.cacheRead ?? 0;
  const cacheWrite = input?.cacheWrite ?? 0;
  // Servers have counted more from the cache than there was.
  const fresh = Math.max(0, input?.noCache ?? (input?.total ?? 0) - cacheRead - cacheWrite);
  const tokens = { input: fresh, output: output?.total ?? 0, cacheRead, cacheWrite, reasoning: output?.reasoning ?? 0 };
  return usageOf(tokens, request.model.cost);
}
