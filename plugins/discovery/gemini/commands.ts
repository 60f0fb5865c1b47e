import { relative, sep } from 'node:path';
import { type At, type Files, isFields, present, type SlashCommand, textOf } from 'kern/contracts';

export const geminiCommands = (at: At): Promise<readonly SlashCommand[]> => commandsIn(at.path, at);

/** `git/commit.toml` is the command `git:commit`: a `prompt`, and a `description`. */
export async function commandsIn(folder: string, { files, make }: At): Promise<readonly SlashCommand[]> {
  const entries = await make.below(folder, { depth: 4 });
  const found = await Promise.all(
    entries.map(async ({ name, path, kind }): Promise<readonly SlashCommand[]> => {
      if (kind !== 'file' || !/.\.toml$/.test(name)) return [];
      const data = await files.toml(path);
      if (!isFields(data)) return [];
      if (textOf(data.prompt) === undefined) {
        files.warn(path, 'has no prompt, and is no command');
        return [];
      }
      return [
        {
          name: relative(folder, path).slice(0, -'.toml'.length).split(sep).join(':').replaceAll(/\s/g, '_'),
          path,
          dialect: 'gemini',
          read: await make.reader(path, (now) => promptIn(path, now)),
          ...present({ description: textOf(data.description) }),
        },
      ];
    }),
  );
  return found.flat();
}

async function promptIn(path: string, files: Files): Promise<string | undefined> {
  const data = await files.toml(path);
  if (!isFields(data)) return undefined;
  const prompt = textOf(data.prompt);
  if (prompt === undefined) files.warn(path, 'has no prompt, and is no command');
  return prompt;
}
