import type { ScriptBlock, ScriptTurn } from 'kern/contracts';

type Redact = (text: string) => string;

/** A turn without secrets. A text in which there was one is whole afterwards: it may have stood across its pieces. */
export function cleanTurn(turn: ScriptTurn, redact: Redact): ScriptTurn {
  const { reasoning, text, calls, content, error } = turn;
  return {
    ...turn,
    ...(reasoning === undefined ? {} : { reasoning: cleanPieces(reasoning, redact) }),
    ...(text === undefined ? {} : { text: cleanPieces(text, redact) }),
    ...(calls === undefined ? {} : { calls: calls.map((call) => cleanCall(call, redact)) }),
    ...(content === undefined ? {} : { content: content.map((block) => cleanBlock(block, redact)) }),
    ...(error === undefined ? {} : { error: cleanValue(error, redact) as typeof error }),
  };
}

function cleanBlock(block: ScriptBlock, redact: Redact): ScriptBlock {
  if ('call' in block) return { call: cleanCall(block.call, redact) };
  return 'text' in block
    ? { text: cleanPieces(block.text, redact) }
    : { reasoning: cleanPieces(block.reasoning, redact) };
}

function cleanPieces(pieces: string | readonly string[], redact: Redact): string | readonly string[] {
  const whole = typeof pieces === 'string' ? pieces : pieces.join('');
  const clean = redact(whole);
  return clean === whole ? pieces : clean;
}

function cleanCall<T extends { readonly args?: unknown }>(call: T, redact: Redact): T {
  return { ...call, args: cleanValue(call.args, redact) };
}

/** Every text in a value, keys too. */
function cleanValue(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((one) => cleanValue(one, redact));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [redact(key), cleanValue(one, redact)]));
}
