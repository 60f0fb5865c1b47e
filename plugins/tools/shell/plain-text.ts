const esc = '\u001b';
const controlSequence = new RegExp(`(?:${esc}\\[|\u009b)[0-?]*[ -/]*[@-~]`, 'g');
/** Titles, links, device strings: up to their end, or to the end of the line where that is missing. */
const deviceString = new RegExp(`${esc}[\\]PX^_][^\u0007\n${esc}]*(?:\u0007|${esc}\\\\)?`, 'g');
const shortSequence = new RegExp(`${esc}[ -/]*[0-~]?`, 'g');
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const otherControls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/** What a terminal would leave standing of an output, in letters alone: nothing in it can move a cursor or ring a bell. */
export function plainText(output: string): string {
  const letters = output
    .replaceAll('\r\n', '\n')
    .replace(controlSequence, '')
    .replace(deviceString, '')
    .replace(shortSequence, '');
  const lines = letters.includes('\r') ? letters.split('\n').map(overwritten).join('\n') : letters;
  return lines.replace(otherControls, '');
}

/** A progress bar writes its line again and again: the last time counts. */
function overwritten(line: string): string {
  if (!line.includes('\r')) return line;
  return line.split('\r').findLast((part) => part !== '') ?? '';
}
