import { unlinkSync } from 'node:fs';
import path from 'node:path';
import { type DiscoveryFiles, type FoundKind, foundCapabilities, type Places } from 'kern/contracts';
import type { Schema } from 'kern/plugin';
import { expect, test } from 'vitest';
import { type Folder, folderWith } from '../test/folder.ts';
import { answer, type Known } from './answer.ts';
import { systemPort } from './port.ts';
import { createFiles } from './system.ts';

const { signal } = new AbortController();

const table: Places = {
  id: 'neighbour',
  displayName: 'Neighbour',
  description: 'Another agent.',
  priority: 50,
  places: [
    { kind: 'skill', path: '.n/skills', format: 'skills' },
    { kind: 'rule', path: '.n/rules', format: 'texts' },
    { kind: 'context-file', path: 'AGENTS.md', format: 'text' },
    { kind: 'mcp-server', path: '.n/mcp.json', format: 'data' },
    { kind: 'hook', path: '.n/hooks.json', format: 'data' },
    { kind: 'ssh-host', path: '.n/ssh.yml', format: 'data' },
  ],
};

interface Seen {
  /** Each item in a word, with its text where it has one. */
  readonly items: readonly string[];
  readonly warnings: readonly string[];
}

/** Asks again and again for one kind, as a session does. */
function asker(folder: Folder, kind: FoundKind, files: DiscoveryFiles = createFiles()): () => Promise<Seen> {
  const known: Known = new Map();
  const where = { cwd: folder.path, root: folder.path, home: path.join(folder.path, 'kern'), user: '/nobody' };
  return async () => {
    const { items, warnings = [] } = await answer({
      table,
      kind,
      schema: foundCapabilities[kind].schema as Schema<never>,
      where,
      signal,
      levels: ['project'],
      files,
      env: {},
      known,
    });
    const words = await Promise.all(
      items.map(async ({ item }) => {
        const { name, description, command, host } = item as unknown as Readonly<Record<string, string | undefined>>;
        const text = 'read' in item ? await (item as { read(): Promise<string> }).read() : undefined;
        return [kind === 'hook' ? undefined : name, description, command, host, text]
          .filter((word) => word !== undefined)
          .join(' | ');
      }),
    );
    return { items: words, warnings: warnings.map((warning) => warning.replace(`${folder.path}/`, '')) };
  };
}

const skill = (head: string, text: string): string => `---\n${head}\n---\n${text}`;
const held = ' — what it said before goes on to hold';

test.for([
  [
    'a head without an end',
    'skill',
    '.n/skills/a/SKILL.md',
    [skill('name: a\ndescription: One.', 'one'), '---\nname: a\ndescription: Two.\n\ntwo', 'a | One. | one'],
    'the head that begins in line 1 has no end: a line of --- is missing',
    [skill('name: a\ndescription: Two.', 'two'), 'a | Two. | two'],
  ],
  [
    'a line in the head that is none',
    'rule',
    '.n/rules/a.md',
    [skill('description: One.', 'one'), skill('description: Two.\nthis is no line', 'two'), 'a | One. | one'],
    'line 3 is no "key: value"',
    [skill('description: Two.', 'two'), 'a | Two. | two'],
  ],
  [
    'a quotation that does not end',
    'rule',
    '.n/rules/a.md',
    [skill('description: "One."', 'one'), skill('description: "Two.', 'two'), 'a | One. | one'],
    'line 2: description cannot be read: Missing closing "quote',
    [skill('description: "Two."', 'two'), 'a | Two. | two'],
  ],
  [
    'a skill that lost its description',
    'skill',
    '.n/skills/a/SKILL.md',
    [skill('name: a\ndescription: One.', 'one'), skill('name: a', 'two'), 'a | One. | one'],
    'description is missing',
    [skill('name: a\ndescription: Two.', 'two'), 'a | Two. | two'],
  ],
  [
    'a text that is none any more',
    'context-file',
    'AGENTS.md',
    ['one', 'o\0ne', 'AGENTS.md | one'],
    'is no text',
    ['two', 'AGENTS.md | two'],
  ],
  [
    'JSON that does not end',
    'mcp-server',
    '.n/mcp.json',
    ['{"mcpServers":{"a":{"command":"one"}}}', '{"mcpServers":{"a":{"command":"two"}}', 'a | one'],
    expect.stringMatching(/^line 1: /),
    ['{"mcpServers":{"a":{"command":"two"}}}', 'a | two'],
  ],
  [
    'a server that lost its command',
    'mcp-server',
    '.n/mcp.json',
    ['{"mcpServers":{"a":{"command":"one"}}}', '{"mcpServers":{"a":{"args":["two"]}}}', 'a | one'],
    'command is missing',
    ['{"mcpServers":{"a":{"command":"two"}}}', 'a | two'],
  ],
  [
    'a hook that lost its command',
    'hook',
    '.n/hooks.json',
    ['{"hooks":{"Stop":[{"command":"one"}]}}', '{"hooks":{"Stop":[{"comand":"two"}]}}', 'one'],
    'hooks.Stop[0] (matcher *) has no command',
    ['{"hooks":{"Stop":[{"command":"two"}]}}', 'two'],
  ],
  [
    'YAML that is none',
    'ssh-host',
    '.n/ssh.yml',
    ['hosts: { a: { host: one } }', 'hosts: { a: { host: two }', 'a | one'],
    expect.stringMatching(/^line 1: /),
    ['hosts: { a: { host: two } }', 'a | two'],
  ],
] as const)('%s: what the file said before goes on to hold, and the mended one counts', async (row) => {
  const [, kind, name, [first, broken, kept], why, [mended, now]] = row;
  using folder = folderWith({ [name]: first });
  const ask = asker(folder, kind);
  expect(await ask()).toEqual({ items: [kept], warnings: [] });
  folder.put({ [name]: broken });
  for (const _ of ['once', 'again']) {
    const { items, warnings } = await ask();
    expect(items).toEqual([kept]);
    expect(warnings.filter((warning) => warning.endsWith(held))).toHaveLength(1);
    const [told = ''] = warnings;
    expect(told.slice(`${name}: `.length, -held.length)).toEqual(why);
  }
  folder.put({ [name]: mended });
  expect(await ask()).toEqual({ items: [now], warnings: [] });
});

test('what was broken from the beginning is taken as far as it goes, edits of it included', async () => {
  using folder = folderWith({
    '.n/mcp.json': '{"mcpServers":{"a":{"command":"one"},"b":{}}}',
    '.n/rules/a.md': skill('description: One.\nno line', 'one'),
  });
  const [servers, rules] = [asker(folder, 'mcp-server'), asker(folder, 'rule')];
  expect((await servers()).items).toEqual(['a | one', 'b']);
  expect((await rules()).items).toEqual(['a | One. | one']);
  folder.put({
    '.n/mcp.json': '{"mcpServers":{"a":{"command":"two"},"b":{}}}',
    '.n/rules/a.md': skill('description: Two.\nno line', 'two'),
  });
  expect((await servers()).items).toEqual(['a | two', 'b']);
  expect((await rules()).items).toEqual(['a | Two. | two']);
  // What was taken so far is better than nothing.
  folder.put({ '.n/mcp.json': '{"mcpServers"' });
  expect((await servers()).items).toEqual(['a | two', 'b']);
});

test('the text of a broken file is the one of before, also for who reads it before the answer is made anew', async () => {
  using folder = folderWith({ '.n/rules/a.md': skill('description: One.', 'one') });
  const files = createFiles();
  await asker(folder, 'rule', files)();
  const where = { cwd: folder.path, root: folder.path, home: folder.path };
  folder.put({ '.n/rules/a.md': '---\ndescription: Two.\ntwo' });
  const now = files.open(where, signal);
  expect((await now.head(path.join(folder.path, '.n/rules/a.md')))?.body).toBe('one');
});

test('a file that went and came back broken has nothing to go on with', async () => {
  for (const [kind, name] of [
    ['context-file', 'AGENTS.md'],
    ['rule', '.n/rules/a.md'],
  ] as const) {
    using folder = folderWith({ [name]: 'one', '.n/rules/other': '' });
    const ask = asker(folder, kind);
    expect((await ask()).items).toHaveLength(1);
    unlinkSync(path.join(folder.path, name));
    expect(await ask()).toEqual({ items: [], warnings: [] });
    folder.put({ [name]: 'o\0ne' });
    expect(await ask()).toEqual({ items: [], warnings: [`${name}: is no text`] });
  }
});

test('a file that may not be read any more goes on as it was', async () => {
  using folder = folderWith({ 'AGENTS.md': 'one' });
  let mayRead = true;
  const files = createFiles({
    port: {
      ...systemPort,
      bytes: (file, limit) =>
        mayRead ? systemPort.bytes(file, limit) : Promise.reject(Object.assign(new Error('no'), { code: 'EACCES' })),
    },
  });
  const ask = asker(folder, 'context-file', files);
  await ask();
  mayRead = false;
  folder.put({ 'AGENTS.md': 'two' });
  expect(await ask()).toEqual({
    items: ['AGENTS.md | one'],
    warnings: [`AGENTS.md: may not be read by you${held}`],
  });
});

test('a broken file makes no other item of what stays as it was: nobody hears of a change', async () => {
  using folder = folderWith({ '.n/hooks.json': '{"hooks":{"Stop":[{"command":"one"}]}}', 'AGENTS.md': 'one' });
  const files = createFiles();
  const where = { cwd: folder.path, root: folder.path, home: folder.path, user: '/nobody' };
  for (const kind of ['hook', 'context-file'] as const) {
    const known: Known = new Map();
    const { schema } = foundCapabilities[kind] as unknown as { readonly schema: Schema<never> };
    const question = { table, kind, schema, where, signal, levels: ['project'] as const, files, env: {}, known };
    const [before] = (await answer(question)).items;
    folder.put({ '.n/hooks.json': '{"hooks":', 'AGENTS.md': 'o\0ne' });
    const [after] = (await answer(question)).items;
    expect(after?.item).toBe(before?.item);
  }
});
