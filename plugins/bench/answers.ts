/** Lines out of what comes in pieces, each for whoever asks next. */
export interface Answers {
  push(chunk: Uint8Array): void;
  next(): Promise<string>;
}

export function createAnswers(): Answers {
  const decoder = new TextDecoder();
  const ready: string[] = [];
  const waiting: ((line: string) => void)[] = [];
  let rest = '';
  return {
    push(chunk) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const first = waiting.shift();
        if (first === undefined) ready.push(line);
        else first(line);
      }
    },
    async next() {
      return ready.shift() ?? (await new Promise<string>((resolve) => waiting.push(resolve)));
    },
  };
}
