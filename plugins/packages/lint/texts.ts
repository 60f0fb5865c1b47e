import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Files } from 'kern/contracts';
import { messageOf } from 'kern/plugin';
import { fieldOf } from '../describe.ts';
import { isMap } from '../lock.ts';
import { partKinds, type StatedParts } from '../parts.ts';
import { error, type Finding, warning } from './findings.ts';

/** Looks through what a package brings beside code: heads of texts, hooks and MCP servers. */
export async function lookAtTexts(folder: string, { paths }: StatedParts, files: Files): Promise<readonly Finding[]> {
  const found: Finding[] = [];
  for (const { name, format } of partKinds) {
    for (const one of paths[name] ?? []) {
      const full = path.join(folder, one);
      if (statSync(full, { throwIfNoEntry: false }) === undefined) continue;
      if (format === 'data') found.push(...dataFindings(full, name));
      if (format === 'skills' || format === 'texts')
        for (const file of markdownIn(full)) found.push(...(await headFindings(file, name, files)));
    }
  }
  return found;
}

function markdownIn(full: string): readonly string[] {
  const kind = statSync(full);
  if (kind.isFile()) return [full];
  if (!kind.isDirectory()) return [];
  return readdirSync(full, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md') && !entry.parentPath.includes('node_modules'))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
}

async function headFindings(file: string, kind: string, files: Files): Promise<readonly Finding[]> {
  const isSkill = path.basename(file) === 'SKILL.md';
  // What lies beside a SKILL.md is read by the model when it likes.
  if (kind === 'skills' && !isSkill) return [];
  const head = await files.head(file);
  if (head === undefined)
    return [error('text_unreadable', { file }, 'cannot be read', 'It has to be UTF-8, and no larger than a text is.')];
  const problems = head.problems.map((problem) =>
    warning(
      'head',
      { file, line: Number(/line (\d+)/.exec(problem)?.[1] ?? 1) },
      problem,
      'The head is YAML between two lines of ---.',
    ),
  );
  if (!isSkill && kind !== 'agents') return problems;
  const { name = '', description } = head.data as { name?: unknown; description?: unknown };
  const missing =
    typeof description === 'string' && description !== ''
      ? []
      : [
          error(
            'description_missing',
            { file, line: 1 },
            'has no description, by which the model would know when to use it',
            'In the head: description: …',
          ),
        ];
  const folder = path.basename(path.dirname(file));
  const isNamed = !isSkill || name === '' || name === folder;
  return [
    ...problems,
    ...missing,
    ...(isNamed
      ? []
      : [
          warning(
            'skill_name',
            { file, line: 1 },
            `is called ${String(name)}, and its folder ${folder}`,
            'Skills are called as their folder is.',
          ),
        ]),
  ];
}

function dataFindings(file: string, kind: string): readonly Finding[] {
  if (!statSync(file).isFile()) return [];
  let data: unknown;
  try {
    data = JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    const line = Number(/line (\d+)/.exec(messageOf(cause))?.[1] ?? 1);
    return [error('json', { file, line }, `is no JSON: ${messageOf(cause)}`, 'Correct it.')];
  }
  const map = fieldOf(data, kind) ?? data;
  if (!isMap(map))
    return [
      error(
        'shape',
        { file, line: 1 },
        'holds no map',
        kind === 'hooks' ? '{"hooks": {"PreToolUse": […]}}' : '{"mcpServers": {"name": {"command": "…"}}}',
      ),
    ];
  if (kind !== 'mcpServers') return [];
  return Object.entries(map)
    .filter(
      ([, server]) => typeof fieldOf(server, 'command') !== 'string' && typeof fieldOf(server, 'url') !== 'string',
    )
    .map(([name]) =>
      error(
        'shape',
        { file },
        `the server ${name} has neither a command nor a url`,
        '{"command": "…"} or {"url": "https://…"}',
      ),
    );
}
