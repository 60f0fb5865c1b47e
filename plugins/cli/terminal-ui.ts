import type { Ui } from 'kern/plugin';

/** Questions on stderr, answers from the terminal: the least that can be asked where no other interface runs. */
export function terminalUi(stdin: NodeJS.ReadStream, stderr: NodeJS.WriteStream): Ui {
  // One question at a time: a second one waits for the answer to the first.
  let turn: Promise<unknown> = Promise.resolve();
  const ask = (question: string, signal: AbortSignal | undefined): Promise<string | undefined> => {
    const answered = turn.then(() => askOnce(question, signal));
    turn = answered.catch(() => {});
    return answered;
  };
  const askOnce = async (question: string, signal: AbortSignal | undefined): Promise<string | undefined> => {
    if (signal?.aborted === true) return undefined;
    const { createInterface } = await import('node:readline/promises');
    const reader = createInterface({ input: stdin, output: stderr, terminal: false });
    // Ctrl-D is no answer.
    const closed = new Promise<undefined>((resolve) => reader.once('close', () => resolve(undefined)));
    try {
      return await Promise.race([reader.question(question, signal === undefined ? {} : { signal }), closed]);
    } catch {
      return undefined; // the question was taken back
    } finally {
      reader.close();
      stdin.pause();
    }
  };
  return {
    available: true,
    notify: (message) => void stderr.write(`${message}\n`),
    confirm: async (title, message, signal) => {
      const answer = await ask(`${title}\n${message === '' ? '' : `${message}\n`}[y/N] `, signal);
      return answer === undefined ? undefined : /^y(es)?$/i.test(answer.trim());
    },
    select: async (title, options, signal) => {
      const lines = options.map((option, at) => `  ${at + 1}. ${option}`);
      const answer = await ask(`${title}\n${lines.join('\n')}\n[1-${options.length}] `, signal);
      return answer === undefined ? undefined : options[Number(answer.trim()) - 1];
    },
    input: (title, placeholder, signal) =>
      ask(`${title}${placeholder === undefined ? '' : ` (${placeholder})`}: `, signal),
  };
}
