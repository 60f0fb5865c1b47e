import { type ContextFile, contextFiles } from 'kern/contracts';
import { definePlugin, type PluginDefinition, type ProviderAnswer } from 'kern/plugin';
import { expect, test } from 'vitest';
import { openPlace, toldIn } from './test/place.ts';

/** Where each of these stands in a text, and that all of them do, in this order. */
function expectInOrder(text: string, parts: readonly string[]): void {
  const places = parts.map((part) => text.indexOf(part));
  expect(places.map((place, at) => (place === -1 ? `missing: ${parts[at]}` : 'there'))).toEqual(
    parts.map(() => 'there'),
  );
  expect(places).toEqual(places.toSorted((a, b) => a - b));
}

test('instructions stand in the prompt: the person first, then from the farthest folder to the working directory', async () => {
  await using place = await openPlace({
    files: {
      'kern/AGENTS.md': 'Speak plainly.',
      'project/AGENTS.md': 'Tests run with make.',
      'project/app/AGENTS.md': 'The app is in Elm.',
      'project/app/ui/AGENTS.md': 'Buttons are blue.',
    },
    cwd: 'app/ui',
    turns: [{ text: 'hi' }],
    session: { appendSystemPrompt: ['The last word.'] },
  });
  await place.session.prompt({ text: 'x' });
  expectInOrder(place.system(), [
    'You are kern',
    'Working directory:',
    'the later one counts',
    "the person's own, for every project\n\nSpeak plainly.",
    '# ../../AGENTS.md: for that folder and those below it\n\nTests run with make.',
    '# ../AGENTS.md: for that folder and those below it\n\nThe app is in Elm.',
    '# AGENTS.md\n\nButtons are blue.',
    'The last word.',
  ]);
});

test('a file says the same as another: it is told once; an empty one is not told', async () => {
  await using place = await openPlace({
    files: { 'project/AGENTS.md': 'Same.', 'project/a/AGENTS.md': 'Same.\n', 'kern/AGENTS.md': '\n\n' },
    cwd: 'a',
    turns: [{ text: 'hi' }],
  });
  await place.session.prompt({ text: 'x' });
  expect(place.system().split('Same.')).toHaveLength(2);
  expect(place.system()).toContain('# AGENTS.md\n\nSame.');
  expect(place.system()).not.toContain("the person's own");
});

test('where nothing is written down the prompt is as short as before', async () => {
  await using place = await openPlace({ files: {}, turns: [{ text: 'hi' }] });
  await place.session.prompt({ text: 'x' });
  expect(place.system()).toMatch(/Date: \d{4}-\d{2}-\d{2}$/);
});

test('what CLAUDE.md includes stands in its place, also two files deep; a cycle, code and what is not there stay as written', async () => {
  await using place = await openPlace({
    files: {
      'project/CLAUDE.md': 'Read @docs/style.md first.\n`@docs/code.md`\n@docs/absent.md',
      'project/docs/style.md': 'Two blanks. @more.md',
      'project/docs/more.md': 'No tabs. @style.md',
      'project/docs/code.md': 'hidden',
    },
    turns: [{ text: 'hi' }],
  });
  await place.session.prompt({ text: 'x' });
  expect(place.system()).toContain('Read Two blanks. No tabs. @style.md first.\n`@docs/code.md`\n@docs/absent.md');
});

test("SYSTEM.md takes the place of kern's own words, the project's before the person's; APPEND_SYSTEM.md follows", async () => {
  await using place = await openPlace({
    files: {
      'kern/SYSTEM.md': 'You are a parrot.',
      'project/.kern/SYSTEM.md': 'You are a raven.',
      'kern/APPEND_SYSTEM.md': 'Say nevermore.',
    },
    turns: [{ text: 'hi' }],
  });
  await place.session.prompt({ text: 'x' });
  expectInOrder(place.system(), ['You are a raven.', 'Working directory:', 'Say nevermore.']);
  expect(place.system()).not.toContain('parrot');
  expect(place.system()).not.toContain('You are kern');
});

test('a system prompt given for the session is not replaced by a file', async () => {
  await using place = await openPlace({
    files: { 'project/.kern/SYSTEM.md': 'You are a raven.' },
    turns: [{ text: 'hi' }],
    session: { systemPrompt: 'You are an owl.' },
  });
  await place.session.prompt({ text: 'x' });
  expect(place.system()).toMatch(/^You are an owl\./);
  expect(place.system()).not.toContain('raven');
});

test('a rule that always applies is told in full, a described one by its name, one for nothing not at all', async () => {
  await using place = await openPlace({
    files: {
      'project/.kern/rules/always.md': '---\nalwaysApply: true\n---\nNever push.',
      'project/.kern/rules/sql.md': '---\ndescription: How queries\n  are written.\nglobs: ["*.sql"]\n---\nUse joins.',
      'project/.kern/rules/mute.md': 'Unheard.',
    },
    turns: [{ text: 'hi' }],
  });
  await place.session.prompt({ text: 'x' });
  expect(place.system()).toContain('# Rule always (.kern/rules/always.md)\n\nNever push.');
  expect(place.system()).toContain('- sql (for *.sql): How queries are written. [.kern/rules/sql.md]');
  expect(place.system()).not.toContain('Use joins.');
  expect(place.system()).not.toContain('Unheard.');
});

test('an instruction for everything is told', async () => {
  await using place = await openPlace({
    files: {
      'project/.kern/instructions/all.instructions.md': '---\napplyTo: "**"\n---\nBe kind.',
      'project/.kern/instructions/some.instructions.md': '---\napplyTo: "*.py"\n---\nUse types.',
    },
    turns: [{ text: 'hi' }],
  });
  await place.session.prompt({ text: 'x' });
  expect(place.system()).toContain('Be kind.');
  expect(place.system()).not.toContain('Use types.');
});

test('a file that is too long is cut at a line, and both are told: the model where the rest is, the person how long it is', async () => {
  await using place = await openPlace({
    files: { 'project/AGENTS.md': Array.from({ length: 100 }, (_, at) => `Line ${at} — ä`).join('\n') },
    turns: [{ text: 'hi' }],
    config: { prompt: { maxFileBytes: 100 } },
  });
  await place.session.prompt({ text: 'x' });
  expect(place.system()).toMatch(
    /Line 6 — ä\n\n\[AGENTS\.md has 1\d{3} bytes, of which \d{2,3} stand here\. Read the file for the rest\.\]/,
  );
  expect(place.system()).not.toContain('Line 9');
  expect(place.kern.complaints().join('\n')).toMatch(/AGENTS\.md has 1\d{3} bytes: the model is told \d+ of them/);
});

test('an edited, an added and a removed file are told at the next turn, and the prompt stays as it was sent', async () => {
  await using place = await openPlace({
    files: { 'project/AGENTS.md': 'Old words.', 'kern/AGENTS.md': 'Mine.' },
    turns: [{ text: '1' }, { text: '2' }, { text: '3' }],
  });
  await place.session.prompt({ text: 'a' });
  await place.put({
    'project/AGENTS.md': 'New words.',
    'kern/AGENTS.md': undefined,
    'project/.kern/rules/r.md': '---\nalwaysApply: true\n---\nA rule.',
  });
  await place.session.prompt({ text: 'b' });
  const told = toldIn(place.requests[1]);
  expect(told).toContain('The instructions "AGENTS.md" changed. They now read:\n# AGENTS.md\n\nNew words.');
  expect(told).toContain('These instructions (rule:r) are new:\n# Rule r (.kern/rules/r.md)\n\nA rule.');
  expect(told).toMatch(/The instructions ".*kern\/AGENTS\.md" no longer hold\./);
  await place.session.prompt({ text: 'c' });
  expect(new Set(place.requests.map(({ systemPrompt }) => systemPrompt)).size).toBe(1);
  expect(toldIn(place.requests[2])).toBe(told);
});

test('a file that no longer can be read goes on to hold, and that is said', async () => {
  const { ToldTexts } = await import('./told-texts.ts');
  const said: string[] = [];
  const texts = new ToldTexts({ warn: (what) => void said.push(what) });
  const { signal } = new AbortController();
  const file = { path: '/p/AGENTS.md', read: async () => 'good ' };
  expect(await texts.read(file, signal)).toBe('good');
  const broken = {
    ...file,
    read: async () => {
      throw new Error('not text');
    },
  };
  expect(await texts.read(broken, signal)).toBe('good');
  expect(await texts.read(broken, signal)).toBe('good');
  expect(said).toEqual(['not text — what it said before goes on to hold']);
  expect(await texts.read({ ...broken, path: '/p/other.md' }, signal)).toBeUndefined();
});

/** A plugin that finds what the test says, when the test says so. */
const finder = (load: () => Promise<ProviderAnswer<ContextFile>>): PluginDefinition =>
  definePlugin({
    id: 'finder',
    setup: (ctx) =>
      ctx.provide(contextFiles, { id: 'finder', displayName: 'Finder', priority: 0, limitMs: 50, load: () => load() }),
  });
const law = (read: () => Promise<string>): ProviderAnswer<ContextFile> => ({
  items: [{ level: 'user', path: '/law.md', item: { name: 'law.md', path: '/law.md', level: 'user', read } }],
});

test('a provider that is late or fails takes nothing away: only what it says is gone no longer holds', async () => {
  const turns = Array.from({ length: 5 }, () => ({ text: 'yes' }));
  await using place = await openPlace({ files: {}, turns, plugins: [finder(async () => law(async () => 'Be kind.'))] });
  await place.session.prompt({ text: 'a' });
  expect(place.system()).toContain('Be kind.');
  const late = Promise.withResolvers<ProviderAnswer<ContextFile>>();
  await place.kern.put(
    finder(() => late.promise),
    { level: 'user' },
  );
  await place.session.prompt({ text: 'b' });
  await place.kern.put(
    finder(() => Promise.reject(new Error('out of order'))),
    { level: 'user' },
  );
  await place.session.prompt({ text: 'c' });
  expect(toldIn(place.requests[2])).toBe('');
  await place.kern.put(
    finder(async () => ({ items: [] })),
    { level: 'user' },
  );
  await place.session.prompt({ text: 'd' });
  expect(toldIn(place.requests[3])).toBe(
    'The instructions "instructions" no longer hold.\n\nThe instructions "/law.md" no longer hold.',
  );
});

test('a file that takes too long to be read is told, and takes no instruction away', { timeout: 60_000 }, async () => {
  let read = async (): Promise<string> => 'Be kind.';
  const turns = Array.from({ length: 3 }, () => ({ text: 'yes' }));
  await using place = await openPlace({
    files: { 'project/AGENTS.md': 'Agents.' },
    turns,
    plugins: [finder(async () => law(() => read()))],
  });
  await place.session.prompt({ text: 'a' });
  read = () => new Promise(() => {});
  await place.put({ 'project/AGENTS.md': 'Others.' });
  await place.session.prompt({ text: 'b' });
  expect(toldIn(place.requests[1])).toBe('');
  expect(place.kern.complaints().join('\n')).toMatch(
    /not read within \d+ ms; what was told of them before goes on to hold/,
  );
  read = async () => 'Be kind.';
  await place.session.prompt({ text: 'c' });
  expect(toldIn(place.requests[2])).toContain('Others.');
  expect(toldIn(place.requests[2])).not.toContain('no longer');
});
