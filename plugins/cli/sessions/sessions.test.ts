import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type Desk, openDesk } from '../test/line.ts';

const replies = JSON.stringify({
  version: 1,
  turns: [{ text: 'I look.', calls: [{ name: 'read', args: { path: 'a.txt' } }] }, { text: 'It says A.' }],
  repeat: 'last',
});
const model = ['--model', 'script/r.json'];
const told = { 'r.json': replies, 'a.txt': 'A\n' };
const branches = path.join(import.meta.dirname, 'test', 'branches.jsonl');
const transcripts = path.join(import.meta.dirname, '..', '..', 'sessions', 'import', 'test', 'fixtures');

/** A session with branches, a compaction, an image, labels and things a terminal would obey, as a file of the desk. */
function withBranches(desk: Desk): string {
  const file = path.join(desk.project, 's.jsonl');
  copyFileSync(branches, file);
  return file;
}

const files = (desk: Desk): readonly string[] =>
  globSync('sessions/**/*.jsonl', { cwd: desk.home }).map((file) => path.join(desk.home, file));

test('sessions are listed newest first, in the shape that programs read', async () => {
  await using desk = await openDesk(told);
  expect(await desk.json('sessions', 'list')).toEqual({ sessions: [] });
  expect((await desk.kern('sessions')).err).toContain('no session of this folder');
  await desk.kern('-p', 'what is in a.txt?', ...model);
  await desk.kern('-p', 'second one', ...model);
  const { sessions } = (await desk.json('sessions', 'list')) as { sessions: readonly object[] };
  expect(sessions).toHaveLength(2);
  expect(sessions[1]).toMatchObject({
    id: expect.any(String),
    file: expect.stringMatching(/\.jsonl$/),
    cwd: desk.project,
    messages: 3,
    firstMessage: 'what is in a.txt?',
    created: expect.any(String),
    modified: expect.any(String),
  });
  expect((await desk.kern('sessions')).out).toMatch(/second one.*what is in a\.txt\?/s);
  mkdirSync(path.join(desk.project, 'other'));
  expect(await desk.json('sessions', 'list', '--cwd', 'other')).toEqual({ sessions: [] });
  expect(await desk.json('sessions', 'list', '--cwd', 'other', '--all')).toMatchObject({ sessions: [{}, {}] });
});

test('a session is shown as it went, and looking at it leaves nothing behind', async () => {
  await using desk = await openDesk(told);
  await desk.kern('-p', 'what is in a.txt?', ...model);
  const before = files(desk).map((file) => readFileSync(file, 'utf8'));
  const { code, out } = await desk.kern('sessions', 'show', 'latest');
  expect(code).toBe(0);
  expect(out).toMatch(/1 question, 2 replies, 1 call/);
  expect(out).toMatch(/── you.*what is in a\.txt\?.*I look\.\n {2}✓ read a\.txt.*It says A\./s);
  expect(files(desk).map((file) => readFileSync(file, 'utf8'))).toEqual(before);
  expect(globSync('sessions/**/*.lock', { cwd: desk.home })).toEqual([]);
});

test('branches, labels, summaries and hidden entries are marked, and nothing stored is obeyed by a terminal', async () => {
  await using desk = await openDesk();
  const file = withBranches(desk);
  const shown = (await desk.kern('sessions', 'show', file)).out;
  for (const words of [
    '[works]',
    '⎇ another branch: 2 messages from 0000000d',
    'compaction (45,210 tokens before)',
    '(no longer told to the model)',
    '✗ 529: the server is overloaded',
    '@notes.md',
    '$ git status --short',
    '\\u{202e}gnp.exe \\u{1b}[31mred',
  ])
    expect(shown).toContain(words);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
  expect(shown).not.toMatch(/[\u001b\u202e]/);
  const tree = (await desk.kern('sessions', 'show', file, '--tree')).out;
  expect(tree).toMatch(/0000000d {2}├─you: Now translate/);
  expect(tree).toMatch(/00000017 {2}model: You are welcome\. ← here/);
  const other = (await desk.kern('sessions', 'show', file, '--at', '0000000e')).out;
  expect(other).toContain('Hier ist es.');
  expect(other).not.toContain('You are welcome.');
  const json = (await desk.json('sessions', 'show', file, '--at', '0000000e')) as {
    entries: readonly { id: string }[];
  };
  expect(json.entries.at(-1)?.id).toBe('0000000e');
  const nodes = (await desk.json('sessions', 'show', file, '--tree')) as { leaf: string; nodes: readonly object[] };
  expect(nodes).toMatchObject({
    leaf: '00000017',
    nodes: expect.arrayContaining([expect.objectContaining({ id: '0000000d', parentId: '0000000b' })]),
  });
  expect((await desk.kern('sessions', 'show', file, '--at', 'zz')).code).toBe(2);
});

test('a long session shows its end, and all of it when that is asked for', async () => {
  await using desk = await openDesk();
  const file = path.join(desk.project, 'long.jsonl');
  const line = (nth: number): string =>
    JSON.stringify({
      type: 'message',
      id: String(nth).padStart(8, '0'),
      parentId: nth === 1 ? null : String(nth - 1).padStart(8, '0'),
      timestamp: '2026-01-01T00:00:00.000Z',
      message: { role: 'user', content: `word ${nth} of many`, timestamp: 1 },
    });
  const lines = Array.from({ length: 300 }, (_, nth) => line(nth + 1));
  writeFileSync(
    file,
    `{"type":"session","version":3,"id":"long","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/x"}\n${lines.join('\n')}\n`,
  );
  const { out } = await desk.kern('sessions', 'show', file);
  expect(out).toContain('… 240 before this');
  expect(out).toContain('word 300 of many');
  expect(out).not.toContain('word 240 of many');
  expect((await desk.kern('sessions', 'show', file, '--all')).out).toContain('word 1 of many');
});

test('an export is a file, private, that replaces none; or it goes to stdout', async () => {
  await using desk = await openDesk();
  const file = withBranches(desk);
  const first = await desk.kern('sessions', 'export', file, '-o', 'a.html');
  expect(first).toMatchObject({ code: 0, out: `${path.join(desk.project, 'a.html')}\n` });
  expect(statSync(path.join(desk.project, 'a.html')).mode & 0o777).toBe(0o600);
  const page = readFileSync(path.join(desk.project, 'a.html'), 'utf8');
  expect(page).toContain('<h1>Fix the date on invoices</h1>');
  expect(page).toContain('Hier ist es.');
  expect(await desk.kern('sessions', 'export', file, '-o', 'a.html')).toMatchObject({ code: 1 });
  expect(await desk.kern('sessions', 'export', file, '-o', 'a.html', '--force')).toMatchObject({ code: 0 });
  expect(await desk.json('sessions', 'export', file)).toEqual({
    file: path.join(desk.project, '01a22dd8-demo.html'),
    format: 'html',
    session: '01a22dd8-demo',
  });
  const { out } = await desk.kern('sessions', 'export', file, '--md', '-o', '-');
  expect(out).toMatch(/^# Fix the date on invoices\n/);
  expect(out).toContain('**bash** `npm test -- invoice` (error, 3.1 s)');
  expect((await desk.kern('sessions', 'export', file, '--md', '--html')).code).toBe(2);
});

test('a JSONL export is a sound session with all branches, whatever was wrong with it', async () => {
  await using desk = await openDesk();
  const file = withBranches(desk);
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  writeFileSync(file, `${[...lines.slice(0, 12), '{"broken', ...lines.slice(12)].join('\n')}\n{"type":"mess`);
  expect((await desk.kern('sessions', 'doctor', file)).code).toBe(1);
  const { out } = await desk.kern('sessions', 'export', file, '--jsonl', '-o', '-');
  writeFileSync(path.join(desk.project, 'copy.jsonl'), out);
  expect(await desk.json('sessions', 'doctor', 'copy.jsonl')).toMatchObject({ sound: true, repairs: [] });
  const shown = async (name: string): Promise<unknown> =>
    ((await desk.json('sessions', 'show', name)) as { leaf: string }).leaf;
  expect(await shown('copy.jsonl')).toBe(await shown(file));
});

test('doctor names what is wrong by line, mends a copy, and never the file itself', async () => {
  await using desk = await openDesk();
  const file = withBranches(desk);
  expect(await desk.kern('sessions', 'doctor', file)).toMatchObject({
    code: 0,
    out: expect.stringContaining('It is sound.'),
  });
  writeFileSync(file, `${readFileSync(file, 'utf8')}{"type":"message","id":"torn`);
  const before = readFileSync(file, 'utf8');
  const broken = await desk.kern('sessions', 'doctor', file);
  expect(broken.code).toBe(1);
  expect(broken.out).toMatch(/line \d+ +torn-line/);
  const mended = await desk.kern('sessions', 'doctor', file, '--repair', 'copy.jsonl');
  expect(mended.code).toBe(1);
  expect(readFileSync(file, 'utf8')).toBe(before);
  expect((await desk.kern('sessions', 'doctor', 'copy.jsonl')).code).toBe(0);
  expect((await desk.kern('sessions', 'doctor', file, '--repair', 'copy.jsonl')).code).toBe(1);
  expect(await desk.kern('sessions', 'doctor', 'nowhere.jsonl')).toMatchObject({ code: 2 });
});

test('rm deletes only with a yes, and nothing when one of them is not there', async () => {
  await using desk = await openDesk(told);
  await desk.kern('-p', 'one', ...model);
  const [file = ''] = files(desk);
  const asked = await desk.kern('sessions', 'rm', file);
  expect(asked).toMatchObject({ code: 2 });
  expect(asked.err).toContain('--yes');
  expect((await desk.kern('sessions', 'rm', file, 'ffffffff', '--yes')).code).toBe(2);
  expect(existsSync(file)).toBe(true);
  expect(await desk.json('sessions', 'rm', file, '--yes')).toEqual({ removed: [file], failures: [] });
  expect(existsSync(file)).toBe(false);
});

test('transcripts are taken over once, lie in the folder that they speak of, and say where they are from', async () => {
  await using desk = await openDesk();
  const names = ['claude-session.jsonl', 'codex-rollout.jsonl', 'pi-1.6.0.jsonl', 'oh-my-pi-18.jsonl'];
  const given = names.map((name) => path.join(transcripts, name));
  const first = (await desk.json('sessions', 'import', ...given)) as {
    imported: readonly { source: string; isNew: boolean; file: string }[];
  };
  expect(first.imported.map(({ source, isNew }) => `${source} ${isNew}`)).toEqual([
    'claude true',
    'codex true',
    'pi true',
    'oh-my-pi true',
  ]);
  for (const { file } of first.imported) {
    expect(await desk.json('sessions', 'doctor', file)).toMatchObject({ sound: true });
    expect(readFileSync(file, 'utf8')).toContain('"customType":"kern.imported"');
  }
  const again = (await desk.json('sessions', 'import', ...given)) as { imported: readonly { isNew: boolean }[] };
  expect(again.imported.every(({ isNew }) => !isNew)).toBe(true);
  const { sessions } = (await desk.json('sessions', 'list', '--all')) as {
    sessions: readonly { cwd: string; modified: string }[];
  };
  expect(sessions.map(({ cwd }) => cwd).sort()).toEqual(['/home/user/repo', '/home/user/repo', '/repo', '/repo']);
});

test('what was taken over goes on: the model reads what was said, calls with their results', async () => {
  const expectation = { last: 'go on', toolResult: [{ tool: 'Bash', contains: 'hello', isError: false }] };
  await using desk = await openDesk({
    'r.json': JSON.stringify({ version: 1, turns: [{ expect: expectation, text: 'gone on' }] }),
  });
  await desk.kern('sessions', 'import', path.join(transcripts, 'claude-session.jsonl'));
  const answer = await desk.kern('-p', '--session', '8c3b2106', 'go on', ...model);
  expect(answer).toMatchObject({ code: 0, out: 'gone on\n' });
  expect(answer.err).toContain('began in /repo');
});

test('-c goes on in what was imported last, also where a newer session is there', async () => {
  await using desk = await openDesk({
    'r.json': JSON.stringify({ version: 1, turns: [{ text: 'fine' }], repeat: 'last' }),
  });
  await desk.kern('-p', 'something else', ...model);
  const source = readFileSync(path.join(transcripts, 'claude-session.jsonl'), 'utf8');
  const transcript = desk.write('c.jsonl', source.replaceAll('"/repo"', JSON.stringify(desk.project)));
  const { code, out, err } = await desk.kern('sessions', 'import', transcript);
  expect(code).toBe(0);
  const [id = ''] = out.split(' ');
  expect(err).toContain(`kern --session ${id} "…", or kern -c`);
  await desk.kern('-p', '-c', 'go on', ...model);
  const taken = files(desk).find((file) => file.includes(id)) ?? '';
  expect(readFileSync(taken, 'utf8')).toContain('go on');
  // Again, when it is there already and another one was last.
  await desk.kern('-p', 'another', ...model);
  await desk.kern('sessions', 'import', transcript);
  await desk.kern('-p', '-c', 'and on', ...model);
  expect(readFileSync(taken, 'utf8')).toContain('and on');
  const other = await desk.kern('sessions', 'import', path.join(transcripts, 'codex-rollout.jsonl'));
  expect(other.err).toContain('not of this folder');
});

test('a session of pi comes with all its branches, goes on where it was, and large images lie beside it', async () => {
  await using desk = await openDesk({ 'r.json': JSON.stringify({ version: 1, turns: [{ text: 'gone on' }] }) });
  const file = withBranches(desk);
  mkdirSync(path.join(desk.project, 's'));
  writeFileSync(path.join(desk.project, 's', '1.bash.log'), 'long output');
  await desk.kern('config', 'set', 'plugins.sessions.inlineLimit', '1024');
  const { imported } = (await desk.json('sessions', 'import', file)) as { imported: readonly { file: string }[] };
  const taken = imported[0]?.file ?? '';
  const tree = async (name: string): Promise<{ leaf: string; nodes: readonly { id: string; customType?: string }[] }> =>
    (await desk.json('sessions', 'show', name, '--tree')) as never;
  const [before, after] = [await tree(file), await tree(taken)];
  expect(after.nodes.slice(0, -1).map(({ id }) => id)).toEqual(before.nodes.map(({ id }) => id));
  expect(after.nodes.at(-1)).toMatchObject({ customType: 'kern.imported', parentId: before.leaf });
  expect(readFileSync(path.join(taken.replace(/\.jsonl$/, ''), '1.bash.log'), 'utf8')).toBe('long output');
  expect(readFileSync(taken, 'utf8')).toContain('"blob:sha256:');
  const page = (await desk.kern('sessions', 'export', taken, '--html', '-o', '-')).out;
  expect(page).toContain('src="data:image/png;base64,');
  expect((await desk.kern('sessions', 'export', taken, '--jsonl', '-o', '-')).out).not.toContain('blob:sha256:');
  expect(await desk.kern('-p', '--session', taken, 'go on', ...model)).toMatchObject({ code: 0, out: 'gone on\n' });
});

test('all that a program has of this folder is taken over by its name', async () => {
  await using desk = await openDesk();
  const folder = path.join(desk.project, '..', '.claude', 'projects', '-x');
  mkdirSync(folder, { recursive: true });
  const source = readFileSync(path.join(transcripts, 'claude-session.jsonl'), 'utf8');
  writeFileSync(
    path.join(folder, 'here.jsonl'),
    source.replaceAll('"/repo"', JSON.stringify(desk.project)).replaceAll('8c3b2106', 'aaaa2106'),
  );
  writeFileSync(path.join(folder, 'elsewhere.jsonl'), source);
  writeFileSync(path.join(folder, 'agent-x.jsonl'), source.replaceAll('8c3b2106', 'bbbb2106'));
  expect(await desk.json('sessions', 'import', '--from', 'claude')).toMatchObject({
    imported: [{ cwd: desk.project }],
    failures: [],
  });
  expect(await desk.json('sessions', 'import', '--from', 'claude', '--all')).toMatchObject({
    imported: expect.arrayContaining([expect.objectContaining({ cwd: '/repo', isNew: true })]),
  });
  const none = await desk.kern('sessions', 'import', '--from', 'codex');
  expect(none).toMatchObject({ code: 0 });
  expect(none.err).toContain('nothing of codex');
});

test('what cannot be taken over is told', async () => {
  await using desk = await openDesk({
    'x.jsonl': 'hello\n',
    'empty.jsonl': '{"type":"session_meta","payload":{"id":"abcdefgh"}}\n',
  });
  expect((await desk.kern('sessions', 'import')).code).toBe(2);
  const unknown = await desk.kern('sessions', 'import', 'x.jsonl');
  expect(unknown).toMatchObject({ code: 1 });
  expect(unknown.err).toContain('Claude Code (claude)');
  const slip = await desk.kern('sessions', 'import', '--from', 'cluade', 'x.jsonl');
  expect(slip.err).toContain('there is no importer cluade');
  const empty = await desk.kern('sessions', 'import', 'empty.jsonl');
  expect(empty).toMatchObject({ code: 1 });
  expect(empty.err).toContain('no conversation');
  expect(files(desk)).toEqual([]);
});

test('Markdown on stdout holds nothing that a terminal would obey', async () => {
  const hostile = 'red \u001b[31m, gone \u0000, csi \u009b2J, turned \u202e, family \u{1f468}\u200d\u{1f469}';
  await using desk = await openDesk({ 'r.json': JSON.stringify({ version: 1, turns: [{ text: hostile }] }) });
  await desk.kern('-p', 'one', ...model);
  const { out } = await desk.kern('sessions', 'export', 'latest', '--md', '-o', '-');
  expect(out).toContain(
    'red \\u{1b}[31m, gone \\u{0}, csi \\u{9b}2J, turned \\u{202e}, family \u{1f468}\u200d\u{1f469}',
  );
  expect(out).not.toMatch(/(?![\n\t\u200d])[\p{Cc}\p{Cf}]/u);
});

test('a compaction is looked at, made, and taken back from the command line', async () => {
  const long = 'many words '.repeat(400);
  await using desk = await openDesk({
    'r.json': JSON.stringify({ version: 1, turns: [{ text: long }], repeat: 'last' }),
  });
  desk.write('s.json', JSON.stringify({ version: 1, turns: [{ text: 'A scripted summary' }], repeat: 'last' }));
  await desk.kern('config', 'set', 'plugins.agent.compaction.keepRecentTokens', '500');
  for (const words of ['one', 'two', 'three']) await desk.kern('-p', '-c', words, ...model);
  const [file = ''] = files(desk);
  const before = readFileSync(file, 'utf8');
  const seen = await desk.kern('sessions', 'compact', 'latest', '--preview', '--model', 'script/s.json');
  expect(seen).toMatchObject({ code: 0, out: expect.stringContaining('scripted summary') });
  expect(seen.err).toContain('Nothing was changed');
  expect(readFileSync(file, 'utf8')).toBe(before);
  expect(await desk.json('sessions', 'compact', 'latest', '--model', 'script/s.json')).toMatchObject({
    preview: false,
    summary: expect.stringContaining('scripted summary'),
    entryId: expect.any(String),
  });
  expect(readFileSync(file, 'utf8')).toContain('"type":"compaction"');
  expect(await desk.kern('sessions', 'compact', 'latest', '--undo')).toMatchObject({ code: 0 });
  expect(readFileSync(file, 'utf8')).toContain('kern.compaction-undone');
  const again = await desk.kern('sessions', 'compact', 'latest', '--undo');
  expect(again).toMatchObject({ code: 1, err: expect.stringContaining('no compaction') });
  expect((await desk.kern('sessions', 'compact', 'latest', '--undo', '--preview')).code).toBe(2);
});
