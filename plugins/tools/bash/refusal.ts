import { statSync } from 'node:fs';
import { whatIsThere } from 'kern/contracts';

/** What keeps a command from being run as it was asked for. */
export function refusalOf(args: {
  readonly command: string;
  readonly env?: Readonly<Record<string, string>> | undefined;
}): string | undefined {
  if (args.command.includes('\0')) return 'The command has a NUL in it, which no shell takes.';
  for (const [name, value] of Object.entries(args.env ?? {})) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      return `env: ${JSON.stringify(name)} is no name of a variable (letters, digits and _).`;
    if (value.includes('\0')) return `env: the value of ${name} has a NUL in it.`;
  }
  return undefined;
}

/** Why a folder that was asked for cannot be worked in. `asked` is how it was called. */
export function noFolder(folder: string, asked: string): string | undefined {
  if (folder.includes('\0')) return 'cwd has a NUL in it.';
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return `The working directory ${asked} is not there. ${whatIsThere(folder)}`;
  return found.isDirectory() ? undefined : `The working directory ${asked} is not a folder.`;
}
