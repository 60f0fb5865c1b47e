import type {
  AssistantMessage,
  ExchangeObserver,
  ModelRequest,
  ScriptBlock,
  ScriptTurn,
  StreamEvent,
  Usage,
} from 'kern/contracts';
import { failureIn } from './failure.ts';

type End = Parameters<NonNullable<ExchangeObserver['end']>>[0];
type Call = Extract<ScriptBlock, { readonly call: unknown }>['call'];

/** A block as it comes in. */
type Growing =
  | { readonly kind: 'reasoning' | 'text'; readonly pieces: string[] }
  | {
      readonly kind: 'call';
      readonly id: string;
      readonly name: string;
      pieces: number;
      text: string;
      args: Call['args'];
    };

/** One reply on its way, and the turn of a script that says the same. */
export class Exchange {
  readonly request: ModelRequest;
  readonly #blocks: (Growing | undefined)[] = [];
  #message: AssistantMessage | undefined;

  constructor(request: ModelRequest) {
    this.request = request;
  }

  take(event: StreamEvent): void {
    if (event.type === 'done') {
      this.#message = event.message;
      return;
    }
    const at = event.contentIndex;
    const block = this.#blocks[at];
    switch (event.type) {
      case 'text_start':
      case 'thinking_start':
        this.#blocks[at] = { kind: event.type === 'text_start' ? 'text' : 'reasoning', pieces: [] };
        break;
      case 'text_delta':
      case 'thinking_delta':
        if (block !== undefined && block.kind !== 'call') block.pieces.push(event.delta);
        break;
      case 'toolcall_start':
        this.#blocks[at] = { kind: 'call', id: event.id, name: event.toolName, pieces: 0, text: '', args: undefined };
        break;
      case 'toolcall_delta':
        if (block?.kind !== 'call') break;
        block.pieces += 1;
        block.text += event.delta;
        break;
      case 'toolcall_end':
        if (block?.kind === 'call') block.args = event.toolCall.invalidArguments ?? event.toolCall.arguments;
        break;
      default: // the ends of texts: their pieces say it all
    }
  }

  /** The turn so far, as a reply that is cut off here. Undefined while nothing came. */
  cut(): ScriptTurn | undefined {
    const blocks = this.#said();
    return blocks.length === 0 ? undefined : { ...arranged(blocks), error: { disconnect: 'after' } };
  }

  /** The turn, now that it is over. Undefined where there is nothing that a script could say. */
  ended({ error, aborted }: End): ScriptTurn | undefined {
    if (aborted) return this.cut();
    if (error !== undefined) {
      const blocks = this.#said();
      const failure = failureIn(error, blocks.length > 0);
      if (failure === undefined) return undefined;
      return 'status' in failure ? { error: failure } : { ...arranged(blocks), error: failure };
    }
    if (this.#message === undefined) return undefined;
    const { stopReason, usage, content } = this.#message;
    const said = this.#said();
    const blocks = said.length > 0 ? said : content.flatMap(asBlock);
    const usual = content.some(({ type }) => type === 'toolCall') ? 'toolUse' : 'stop';
    const isOwn = stopReason !== usual && stopReason !== 'error' && stopReason !== 'aborted';
    return { ...arranged(blocks), ...counted(usage), ...(isOwn ? { stop: stopReason } : {}) };
  }

  #said(): readonly ScriptBlock[] {
    return this.#blocks.flatMap((block): readonly ScriptBlock[] => {
      if (block === undefined) return [];
      if (block.kind === 'call') return [{ call: callOf(block) }];
      if (block.pieces.length === 0) return [];
      return block.kind === 'text' ? [{ text: piecesOf(block.pieces) }] : [{ reasoning: piecesOf(block.pieces) }];
    });
  }
}

function callOf({ id, name, pieces, text, args }: Extract<Growing, { kind: 'call' }>): Call {
  // A call that was cut off is told as far as it came.
  return { name, args: args ?? text, id, ...(pieces > 1 ? { split: pieces } : {}) };
}

/** A short text in one piece is what the scripted model would make of it anyway. */
function piecesOf(pieces: readonly string[]): string | readonly string[] {
  const [only = ''] = pieces;
  return pieces.length === 1 && only.length <= 20 ? only : pieces;
}

function asBlock(part: AssistantMessage['content'][number]): readonly ScriptBlock[] {
  if (part.type === 'text') return part.text === '' ? [] : [{ text: [part.text] }];
  if (part.type === 'thinking') return part.thinking === '' ? [] : [{ reasoning: [part.thinking] }];
  return [{ call: { name: part.name, args: part.invalidArguments ?? part.arguments, id: part.id } }];
}

/** In the short form where the order is the usual one: reasoning, text, calls. */
function arranged(blocks: readonly ScriptBlock[]): ScriptTurn {
  const rank = (block: ScriptBlock): number => ('reasoning' in block ? 0 : 'text' in block ? 1 : 2);
  const ranks = blocks.map(rank);
  const isUsual = ranks.every((own, at) => at === 0 || own > (ranks[at - 1] ?? 0) || own === 2);
  if (!isUsual) return { content: blocks };
  const calls = blocks.flatMap((block) => ('call' in block ? [block.call] : []));
  const [first] = blocks;
  const text = blocks.find((block) => 'text' in block);
  return {
    ...(first !== undefined && 'reasoning' in first ? { reasoning: first.reasoning } : {}),
    ...(text === undefined ? {} : { text: text.text }),
    ...(calls.length === 0 ? {} : { calls }),
  };
}

function counted({ input, output, cacheRead, cacheWrite, reasoning }: Usage): Pick<ScriptTurn, 'usage'> {
  const counts = Object.entries({ input, output, cacheRead, cacheWrite, reasoning }).filter(([, count]) => count > 0);
  return counts.length === 0 ? {} : { usage: Object.fromEntries(counts) };
}
