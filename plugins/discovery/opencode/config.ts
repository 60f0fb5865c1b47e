import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { type At, type Fields, type Files, isFields } from 'kern/contracts';

/** A part of the settings, with the file that said it last. */
export interface Said {
  readonly name: string;
  readonly path: string;
  readonly fields: Fields;
}

/** The files of one folder, the one that counts most last. */
export function configFiles({ level, path, base }: Pick<At, 'level' | 'path' | 'base'>): readonly string[] {
  if (level === 'project')
    return [
      'opencode.json',
      'opencode.jsonc',
      join('.opencode', 'opencode.json'),
      join('.opencode', 'opencode.jsonc'),
    ].map((name) => join(base, name));
  return ['config.json', 'opencode.json', 'opencode.jsonc'].map((name) => join(dirname(path), name));
}

/** The maps of one section, put together file by file: what a later file says of a name goes over what an earlier one said. */
export async function section(name: string, at: At, files: Files = at.files): Promise<readonly Said[]> {
  const found = new Map<string, Said>();
  for (const { path, data } of await configs(at, files)) {
    const part = data[name];
    if (part === undefined) continue;
    if (!isFields(part)) {
      files.warn(path, `${name} is no map`);
      continue;
    }
    for (const [key, fields] of Object.entries(part)) {
      if (!isFields(fields)) files.warn(path, `${name}.${key} is no map`);
      else found.set(key, { name: key, path, fields: over(found.get(key)?.fields ?? {}, fields) });
    }
  }
  return [...found.values()];
}

export async function configs(
  at: Pick<At, 'level' | 'path' | 'base'>,
  files: Files,
): Promise<readonly { readonly path: string; readonly data: Fields }[]> {
  const found = await Promise.all(
    configFiles(at).map(async (path) => {
      // A folder of this name is looked for as a file only where it stands for all.
      const data = (await files.kind(path)) === 'file' ? await files.json(path) : undefined;
      return isFields(data) ? [{ path, data }] : [];
    }),
  );
  return found.flat();
}

const over = (below: Fields, above: Fields): Fields => {
  const merged: Record<string, unknown> = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const before = merged[key];
    merged[key] = isFields(before) && isFields(value) ? over(before, value) : value;
  }
  return merged;
};

/**
 * Texts as kern writes variables: `{env:NAME}` is `${NAME}`, whose value is put in when it is needed and not before.
 * `{file:path}` is what the file holds; a project names only files of its own.
 */
export async function substituted(value: unknown, file: string, at: At, files: Files = at.files): Promise<unknown> {
  if (typeof value === 'string') return substitutedText(value, file, at, files);
  if (Array.isArray(value)) return Promise.all(value.map((one) => substituted(one, file, at, files)));
  if (!isFields(value)) return value;
  const entries = Object.entries(value).map(async ([key, one]) => [key, await substituted(one, file, at, files)]);
  return Object.fromEntries(await Promise.all(entries));
}

async function substitutedText(text: string, file: string, at: At, files: Files): Promise<string> {
  const parts = text.split(/\{file:([^}]+)\}/);
  const told = await Promise.all(
    parts.map(async (part, count) =>
      count % 2 === 0
        ? part.replaceAll(/\{env:([A-Za-z_]\w*)\}/g, (_, name: string) => `\${${name}}`)
        : ((await named(part.trim(), file, at, files)) ?? `{file:${part}}`),
    ),
  );
  return told.join('');
}

async function named(name: string, file: string, at: At, files: Files): Promise<string | undefined> {
  const path = name.startsWith('~/') ? join(at.user, name.slice(2)) : resolve(dirname(file), name);
  if (!(await mayRead(path, at, files))) {
    files.warn(file, `{file:${name}} lies outside of the project, and is not read for it`);
    return undefined;
  }
  const text = await files.text(path);
  if (text === undefined) files.warn(file, `{file:${name}} is not there`);
  return text?.trim();
}

/** What a project names may be of the project alone, also behind links: its settings are not the person's. */
export async function mayRead(path: string, { level, where }: At, files: Files): Promise<boolean> {
  if (level === 'user') return true;
  if (!isBelow(path, where.root)) return false;
  const [real, root] = await Promise.all([files.real(path), files.real(where.root)]);
  return real === undefined || (root !== undefined && isBelow(real, root));
}

export function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
