import { open, readdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { type AgentSession, type PromptTemplate, promptTemplates, type Skill, skills } from 'kern/contracts';
import type { Group } from 'kern/plugin';
import { type Extension, isRecord } from './extension.ts';

const readLimit = 1024 * 1024;

interface Groups {
  readonly skills: Group<Skill>;
  readonly prompts: Group<PromptTemplate>;
}

/** Asks an extension where more skills and prompts lie, and offers what is there in place of what was. */
export function resourcesOf(extension: Extension): (session: AgentSession, reason: string) => Promise<void> {
  let groups: Groups | undefined;
  return async (session, reason) => {
    if (!extension.has('resources_discover')) return;
    groups ??= {
      skills: extension.ctx.offer(skills, 'resources_discover'),
      prompts: extension.ctx.offer(promptTemplates, 'resources_discover'),
    };
    await offer(extension, session, reason, groups);
  };
}

async function offer(extension: Extension, session: AgentSession, reason: string, groups: Groups): Promise<void> {
  const { ctx } = extension;
  const { cwd } = ctx.where;
  const paths: Record<'skillPaths' | 'promptPaths' | 'themePaths', string[]> = {
    skillPaths: [],
    promptPaths: [],
    themePaths: [],
  };
  await extension.ask('resources_discover', { cwd, reason }, session, (answer) => {
    if (!isRecord(answer)) return undefined;
    for (const kind of ['skillPaths', 'promptPaths', 'themePaths'] as const)
      if (Array.isArray(answer[kind])) paths[kind].push(...answer[kind].map((path) => resolve(cwd, String(path))));
    return undefined;
  });
  if (paths.themePaths.length > 0)
    extension.notice('themes', 'themes of other agents are not read; its skills and prompts are', 'info');
  const { parseFrontmatter } = await import('./frontmatter.ts');
  const of = async <T>(found: readonly string[], make: (path: string, text: string) => T | undefined): Promise<T[]> =>
    (
      await Promise.all(
        found.map(async (path) => {
          try {
            return make(path, await textOf(path));
          } catch (error) {
            extension.failed(`resources_discover (${path})`, error);
            return undefined;
          }
        }),
      )
    ).flatMap((item) => item ?? []);
  groups.skills.replace(
    await of((await Promise.all(paths.skillPaths.map(skillFiles))).flat(), (path, text) => {
      const { frontmatter } = parseFrontmatter(text);
      const description = wordsOf(frontmatter.description);
      if (description === undefined) {
        extension.notice(path, `${path} has no description in its head, so it is no skill`);
        return undefined;
      }
      return {
        name: wordsOf(frontmatter.name) ?? basename(dirname(path)),
        path,
        folder: dirname(path),
        description,
        modelInvocable: frontmatter['disable-model-invocation'] !== true,
        userInvocable: true,
        read: async () => parseFrontmatter(await textOf(path)).body,
      };
    }),
  );
  groups.prompts.replace(
    await of((await Promise.all(paths.promptPaths.map(promptFiles))).flat(), (path, text) => {
      const { frontmatter } = parseFrontmatter(text);
      const description = wordsOf(frontmatter.description);
      const argumentHint = wordsOf(frontmatter['argument-hint']);
      return {
        name: basename(path, extname(path)),
        path,
        dialect: 'pi' as const,
        ...(description === undefined ? {} : { description }),
        ...(argumentHint === undefined ? {} : { argumentHint }),
        read: async () => parseFrontmatter(await textOf(path)).body,
      };
    }),
  );
}

const wordsOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;

/** A plain file, or a part of it: opening a pipe would wait for its writer. */
async function textOf(path: string): Promise<string> {
  const stats = await stat(path);
  if (!stats.isFile()) throw new Error('it is no regular file');
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(Math.min(stats.size, readLimit)) });
  return buffer.subarray(0, bytesRead).toString('utf8');
}

/** A SKILL.md, a folder with one, or a folder of such folders. */
async function skillFiles(path: string): Promise<readonly string[]> {
  if (!(await isFolder(path))) return [path];
  const own = join(path, 'SKILL.md');
  if (await isThere(own)) return [own];
  const below = (await readdir(path)).sort().map((name) => join(path, name, 'SKILL.md'));
  const there = await Promise.all(below.map(isThere));
  return below.filter((_file, at) => there[at]);
}

async function promptFiles(path: string): Promise<readonly string[]> {
  if (!(await isFolder(path))) return [path];
  return (await readdir(path))
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => join(path, name));
}

async function isFolder(path: string): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined); // what is not there is named when it is read
  return stats?.isDirectory() === true;
}

async function isThere(path: string): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined);
  return stats?.isFile() === true;
}
