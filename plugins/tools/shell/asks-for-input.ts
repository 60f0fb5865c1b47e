/** Words of programs that wanted a person and found none. */
const missed = [
  /a terminal is required/i,
  /no tty present/i,
  /\bis not a (tty|terminal)\b/i,
  /^not a tty$/im,
  /inappropriate ioctl for device/i,
  /EOF when reading a line/,
  /terminal prompts disabled/i,
  /could not read (username|password)/i,
  /host key verification failed/i,
];

/** How questions end. */
const question =
  /(\[y\/n\]|\(y\/n\)|\(yes\/no(\/\[fingerprint\])?\)|\b(password|passphrase|passcode|username|login)\b[^\n]*:|\b(continue|proceed|overwrite|sure)\b[^\n]*\?|press (any key|enter|return)[^\n]*)[\s:>?]*$/i;

/** Words of whoever opened the terminal where there is none: to ask, or only to show something. */
const noTerminal = /\/dev\/tty: (no such device|device not configured)/i;

/** Whether the end of an output is that of a program which wanted the terminal for itself. */
export const wantsTerminal = (output: string): boolean => noTerminal.test(output.slice(-2_000));

/** Whether the end of an output, in plain letters, is that of a program which asked a person. */
export function asksForInput(output: string): boolean {
  const end = output.slice(-2_000);
  return missed.some((words) => words.test(end)) || question.test(end.slice(-300));
}
