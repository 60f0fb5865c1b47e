import { globSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type Answer, type Desk, openDesk } from '../test/line.ts';

/** A model that answers each request with the next of these, and with the last for ever. */
const script = (...turns: readonly object[]): string => JSON.stringify({ version: 1, turns, repeat: 'last' });
const model = ['--model', 'script/r.json'];

const files = (desk: Desk, folder = path.join(desk.home, 'sessions')): readonly string[] =>
  globSync('**/*.jsonl', { cwd: folder })
    .map((file) => path.join(folder, file))
    .sort();
const linesOf = (file: string): readonly Record<string, never>[] =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
/** The texts of people, in order. */
const asked = (file: string): readonly string[] =>
  linesOf(file).flatMap(({ message }) => {
    const { role, content } = (message ?? {}) as { role?: string; content?: { text?: string }[] };
    return role === 'user' ? [content?.map(({ text }) => text).join('') ?? ''] : [];
  });
const events = ({ out }: Answer): readonly Record<string, unknown>[] =>
  out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
const idOf = (file: string): string => String(linesOf(file)[0]?.id);

test('-c goes on in the newest session of the folder, and says so when there is none yet', async () => {
  await using desk = await openDesk({ 'r.json': script({ text: 'fine' }) });
  const first = await desk.kern('-p', '-c', 'one', ...model);
  expect(first).toMatchObject({ code: 0, out: 'fine\n' });
  expect(first.err).toContain('a new one begins');
  const second = await desk.kern('-p', '-c', 'two', ...model);
  expect(second).toMatchObject({ code: 0, out: 'fine\n' });
  expect(second.err).not.toContain('a new one begins');
  const [file = '', ...others] = files(desk);
  expect(others).toEqual([]);
  expect(asked(file)).toEqual(['one', 'two']);
});

test('a session is named by its path, its id or the beginning of its id, also as the first word after -r', async () => {
  await using desk = await openDesk({ 'r.json': script({ text: 'fine' }) });
  await desk.kern('-p', 'one', ...model);
  const [file = ''] = files(desk);
  const id = idOf(file);
  await desk.kern('-p', '--session', file, 'two', ...model);
  await desk.kern('-p', '--session', id, 'three', ...model);
  await desk.kern('-p', `--resume=${id.slice(0, 12)}`, 'four', ...model);
  await desk.kern('-p', '-r', id, 'five', ...model);
  expect(files(desk)).toEqual([file]);
  expect(asked(file)).toEqual(['one', 'two', 'three', 'four', 'five']);
  const unknown = await desk.kern('-p', '--session', 'ffffffff', 'x', ...model);
  expect(unknown).toMatchObject({ code: 2 });
  expect(unknown.err).toContain('no session');
});

test('-r without an id, where nobody is there to choose, names the newest; without sessions it says that', async () => {
  await using desk = await openDesk({ 'r.json': script({ text: 'fine' }) });
  expect((await desk.kern('-p', '-r', 'go', ...model)).err).toContain('there is no session of this folder');
  await desk.kern('-p', 'first words', ...model);
  const { code, err } = await desk.kern('-p', '-r', 'go on', ...model);
  expect(code).toBe(2);
  expect(err).toContain(idOf(files(desk)[0] ?? ''));
  expect(err).toContain('first words');
});

test('--fork goes on in a copy: the session itself stays as it is', async () => {
  await using desk = await openDesk({ 'r.json': script({ text: 'fine' }) });
  await desk.kern('-p', 'one', ...model);
  const [file = ''] = files(desk);
  const before = readFileSync(file, 'utf8');
  await desk.kern('-p', '-c', '--fork', 'two', ...model);
  const copy = files(desk).find((one) => one !== file) ?? '';
  expect(readFileSync(file, 'utf8')).toBe(before);
  expect(asked(copy)).toEqual(['one', 'two']);
  expect(linesOf(copy)[0]).toMatchObject({ parentSession: file });
  await desk.kern('-p', `--fork=${idOf(file)}`, 'three', ...model);
  expect(files(desk).map(asked)).toContainEqual(['one', 'three']);
});

test('json tells the id of the session that goes on, and where it is kept', async () => {
  await using desk = await openDesk({ 'r.json': script({ text: 'fine' }) });
  await desk.kern('-p', 'one', ...model);
  const [file = ''] = files(desk);
  const told = events(await desk.kern('--mode', 'json', '-c', 'two', ...model));
  expect(told[0]).toMatchObject({ type: 'session', id: idOf(file) });
  expect(told.at(-1)).toMatchObject({ type: 'result', status: 'ok', sessionId: idOf(file), sessionFile: file });
});

test('with --no-session nothing is written, also when another goes on', async () => {
  await using desk = await openDesk({ 'r.json': script({ text: 'fine' }) });
  await desk.kern('-p', '--no-session', 'one', ...model);
  expect(files(desk)).toEqual([]);
  await desk.kern('-p', 'one', ...model);
  const [file = ''] = files(desk);
  const before = readFileSync(file, 'utf8');
  const told = events(await desk.kern('--mode', 'json', '-c', '--no-session', 'two', ...model));
  expect(told.at(-1)).toMatchObject({ sessionFile: null, status: 'ok' });
  expect(files(desk)).toEqual([file]);
  expect(readFileSync(file, 'utf8')).toBe(before);
});

test('--session-dir is where sessions lie, --name names them, --thinking is kept', async () => {
  await using desk = await openDesk({
    'r.json': JSON.stringify({ version: 1, model: { reasoning: true }, turns: [{ text: 'fine' }], repeat: 'last' }),
  });
  const dir = path.join(desk.project, 'mine');
  await desk.kern('-p', '--session-dir', 'mine', '--name', 'A name', '--thinking', 'high', 'one', ...model);
  expect(files(desk)).toEqual([]);
  const [file = ''] = files(desk, dir);
  const types = linesOf(file).map(({ type, name, thinkingLevel }) => name ?? thinkingLevel ?? type);
  expect(types).toEqual(expect.arrayContaining(['A name', 'high']));
  await desk.kern('-p', '--session-dir', 'mine', '-c', 'two', ...model);
  expect(asked(file)).toEqual(['one', 'two']);
});

test('what says different things, or nothing at all, is a usage error that says what to do', async () => {
  await using desk = await openDesk({ 'r.json': script({ text: 'fine' }) });
  await desk.kern('-p', 'one', ...model);
  const id = idOf(files(desk)[0] ?? '');
  for (const [line, words] of [
    [['-c', '-r', id, 'x'], 'each choose a session'],
    [['-c', '--session', id, 'x'], 'each choose a session'],
    [['--session', id, `--fork=${id}`, 'x'], 'each choose a session'],
    [['--no-session', '--name', 'n', 'x'], '--no-session'],
    [['--thinking', 'much', 'x'], 'it takes off, minimal'],
    [['-c'], 'kern -c "'],
  ] as const) {
    const { code, err } = await desk.kern('-p', ...line, ...model);
    expect({ line, code }).toEqual({ line, code: 2 });
    expect(err).toContain(words);
  }
});

test('a named file is kept beside the message, and the model reads both', async () => {
  await using desk = await openDesk({
    'r.json': script({ expect: { last: 'what is this?' }, text: 'a note' }),
    'note.md': 'buy milk\n',
  });
  expect(await desk.kern('-p', '@note.md', 'what is this?', ...model)).toMatchObject({ code: 0, out: 'a note\n' });
  const [file = ''] = files(desk);
  expect(asked(file)).toEqual(['what is this?']);
  expect(linesOf(file).find(({ customType }) => customType === 'kern.file-mention')).toMatchObject({
    type: 'custom_message',
    details: { files: [{ path: 'note.md', content: 'buy milk\n' }] },
  });
});

test('what could not be written is said at the start and at the end, and the copy that was saved is gone on in', async () => {
  await using desk = await openDesk({ 'r.json': script({ text: 'fine' }), occupied: 'a file' });
  const { code, out, err } = await desk.kern('-p', '--session-dir', 'occupied', 'one', ...model);
  expect([code, out]).toEqual([1, 'fine\n']);
  expect(err).toMatch(/occupied is not a folder \(what is said is kept in memory only\)/);
  expect(err).toMatch(/\d+ entries of this session were NOT saved/);
  expect(err.match(/cannot be written/g)).toHaveLength(1);
  const [copy = ''] = files(desk, path.join(desk.home, 'rescue'));
  expect(err).toContain(copy);
  expect((await desk.kern('sessions', 'doctor', copy)).code).toBe(0);
  expect(await desk.kern('-p', '--session', copy, 'two', ...model)).toMatchObject({ code: 0 });
  expect(asked(copy)).toEqual(['one', 'two']);
  const told = events(await desk.kern('--mode', 'json', '--session-dir', 'occupied', 'one', ...model));
  expect(told.at(-1)).toMatchObject({ status: 'error', error: { code: 'session_write_failed' }, exitCode: 1 });
});

test('an empty --session is a mistake in the line', async () => {
  await using desk = await openDesk({ 'r.json': script({ text: 'fine' }) });
  expect(await desk.kern('-p', '--session', '', 'one', ...model)).toMatchObject({
    code: 2,
    err: expect.stringContaining('--session needs'),
  });
});

test('a session whose model is gone names it, also where there is no other', async () => {
  await using desk = await openDesk({ 'r.json': script({ text: 'fine' }) });
  await desk.kern('-p', 'one', ...model);
  rmSync(path.join(desk.project, 'r.json'));
  const { code, err } = await desk.kern('-p', '-c', 'two');
  expect(code).not.toBe(0);
  expect(err).toContain('script/r.json');
});

test('a file that is replaced in the middle of a run: json says where the session goes on', async () => {
  await using desk = await openDesk();
  const dir = path.join(desk.project, 'mine');
  const command = `f=$(ls ${dir}/*.jsonl); echo x > "$f.n"; mv "$f.n" "$f"`;
  const turns = [{ calls: [{ name: 'bash', args: { command } }] }, { text: 'fine' }];
  desk.write('r.json', JSON.stringify({ version: 1, turns }));
  const told = events(await desk.kern('--mode', 'json', '--yolo', '--session-dir', 'mine', 'one', ...model));
  const switched = told.find(({ type }) => type === 'session_switched');
  const result = told.at(-1);
  expect(result).toMatchObject({ status: 'ok', exitCode: 0 });
  expect(switched).toMatchObject({ reason: 'fork', sessionFile: result?.sessionFile, sessionId: result?.sessionId });
  expect(result?.sessionId).not.toBe(told[0]?.id);
  expect(globSync('*.lock', { cwd: dir })).toEqual([]);
  // What was asked was on the disk before the tool ran.
  expect(asked(String(result?.sessionFile))).toEqual(['one']);
});
