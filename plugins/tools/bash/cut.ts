/** A command without the `| head` or `| tail` at its end, and how many lines that asked for. */
export interface Cut {
  readonly command: string;
  readonly head?: number;
  readonly tail?: number;
}

const cutter = /\|\s*(head|tail)(?:\s+(?:-n\s*(\d{1,6})|-(\d{1,6})|--lines[= ](\d{1,6})))?\s*$/;

/**
 * Takes a last `| head` or `| tail` off a command that is one pipeline: the tool shows as many lines itself, the exit
 * code is that of the command, and the whole output can still be read. Anything less plain stays as it is.
 */
export function withoutCut(command: string): Cut {
  const match = cutter.exec(command);
  if (match === null) return { command };
  const rest = command.slice(0, match.index).trimEnd();
  if (!isOnePipeline(rest)) return { command };
  const lines = Number(match[2] ?? match[3] ?? match[4] ?? 10);
  if (lines === 0) return { command };
  return match[1] === 'head' ? { command: rest, head: lines } : { command: rest, tail: lines };
}

/** One pipeline of simple commands: nothing that runs several things, reads on from lines below, or nests. */
function isOnePipeline(text: string): boolean {
  let quote: string | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at];
    if (letter === '\\' && quote !== "'") at += 1;
    else if (quote === "'") quote = letter === "'" ? undefined : quote;
    else if (letter === '`' || (letter === '$' && text[at + 1] === '(')) return false;
    else if (quote === '"') quote = letter === '"' ? undefined : quote;
    else if (letter === '"' || letter === "'") quote = letter;
    else if (letter === '&' && /[>]/.test(text[at - 1] ?? '')) continue;
    else if (letter === '&' && text[at + 1] === '>') continue;
    else if (letter === '|' && text[at + 1] === '&') at += 1;
    else if (letter === '|' && text[at + 1] === '|') return false;
    else if (letter === '<' && text[at + 1] === '<') return false;
    else if (letter !== undefined && ';&\n(){}#'.includes(letter)) return false;
  }
  return (
    quote === undefined &&
    text !== '' &&
    !/^\s*(if|for|while|until|case|select|function|time)\b|^\s*(!|\[\[)/.test(text) &&
    !endsOpen(text)
  );
}

/** `a |` or `a \` go on. */
const endsOpen = (text: string): boolean => /[|\\]$/.test(text);
