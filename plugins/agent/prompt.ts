import type { PromptSection } from 'kern/contracts';
import type { Where } from 'kern/plugin';

export interface PromptOptions {
  /** Takes the place of what kern says about itself and about how to work. */
  readonly systemPrompt?: string | undefined;
  readonly append?: readonly string[] | undefined;
}

const base = `You are kern, a coding agent in a terminal. You work on the files of the current folder with the tools you are given.

- Look before you change: read the files that matter, and find out how the project is built and tested.
- Make the smallest change that does what was asked, in the style of the code around it.
- Then check it: run the tests or the program, read what they say, fix what fails. Never claim a check you have not made.
- Calls that do not depend on each other belong in one batch.
- A call that fails or is refused says why: heed it, do not repeat it unchanged.
- Tools may come and go while you work; a message tells you, and what is new can be called at once.
- End with a short, plain answer: what you did, what you found, what is left.`;

/** The parts kern itself puts in; plugins add theirs through the `system-prompt` hook. The date is a day, so that it changes nothing within one. */
export function baseSections(where: Where, options: PromptOptions, now: Date): readonly PromptSection[] {
  const environment = `Working directory: ${where.cwd.replaceAll('\\', '/')}\nPlatform: ${process.platform} ${process.arch}\nDate: ${day(now)}`;
  return [
    // What was given for this session is not replaced by a file.
    options.systemPrompt === undefined ? { id: 'base', text: base } : { id: 'given', text: options.systemPrompt },
    { id: 'environment', text: environment },
    ...(options.append ?? []).map((text, index) => ({ id: `append.${index + 1}`, text })),
  ];
}

/** Sections as the model reads them. */
export function joined(sections: readonly PromptSection[]): string {
  return sections
    .map(({ text }) => text.trim())
    .filter((text) => text !== '')
    .join('\n\n');
}

function day(now: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}
