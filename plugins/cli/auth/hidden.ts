import { StringDecoder } from 'node:string_decoder';

/** The terminal as it is needed to type something unseen. */
export interface HiddenInput {
  readonly stdin: Pick<NodeJS.ReadStream, 'setRawMode' | 'on' | 'off' | 'resume' | 'pause'>;
  readonly stderr: { write(text: string): unknown };
  readonly signal: AbortSignal;
}

/** What terminals put around a paste, and what arrow keys send: nobody types that. */
const start = String.fromCharCode(27);
const sequences = new RegExp(`${start}\\[[0-9;]*[A-Za-z~]`, 'g');

/** Asks for a line that is not shown; undefined when it is given up: by Ctrl-C, Ctrl-D, or the signal. */
export function askHidden(question: string, { stdin, stderr, signal }: HiddenInput): Promise<string | undefined> {
  stderr.write(question);
  const decoder = new StringDecoder('utf8');
  let typed = '';
  return new Promise((resolve) => {
    const done = (answer: string | undefined): void => {
      stdin.off('data', onData);
      signal.removeEventListener('abort', onAbort);
      stdin.setRawMode(false);
      stdin.pause();
      stderr.write('\n');
      resolve(answer);
    };
    const onAbort = (): void => done(undefined);
    const onData = (chunk: Buffer): void => {
      for (const char of decoder.write(chunk).replace(sequences, '')) {
        const isEnd = char === '\r' || char === '\n';
        const isGivenUp = char === '\u0003' || (char === '\u0004' && typed === '');
        if (isEnd || isGivenUp) {
          done(isEnd ? typed : undefined);
          return;
        }
        if (char === '\u007f' || char === '\b') typed = typed.slice(0, -1);
        else if (char === '\u0015') typed = '';
        else if (char >= ' ') typed += char;
      }
    };
    if (signal.aborted) {
      resolve(undefined);
      return;
    }
    signal.addEventListener('abort', onAbort, { once: true });
    stdin.setRawMode(true);
    stdin.on('data', onData);
    stdin.resume();
  });
}
