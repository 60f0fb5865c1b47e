import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { agentSessions, tools } from 'kern/contracts';
import { script } from 'kern/testing';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type House, openHouse } from '../plugins/cli/test/house.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));
const top = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const examples = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
  (file) => /\.(ts|js|json|md)$/.test(file) && !file.endsWith('.test.ts') && file !== 'README.md',
);
const place = (example: string): string => path.join('.kern', 'extensions', example);

let house: House;

beforeAll(async () => {
  const copies = examples.map((file) => [place(file), readFileSync(path.join(folder, file), 'utf8')]);
  house = await openHouse({
    ...Object.fromEntries(copies),
    'notes/todo.md': 'Buy milk.',
    'key.txt': `sk-${'a'.repeat(20)}`,
  });
}, 60_000);

afterAll(() => house?.[Symbol.asyncDispose]());

/** Changes a file of the project as an editor would, and says nothing to anyone. */
function edit(example: string, from: string, to: string): void {
  const file = path.join(house.project, place(example));
  const text = readFileSync(file, 'utf8');
  expect(text).toContain(from);
  writeFileSync(file, text.replaceAll(from, to));
}

/** Sees a change come live. */
async function becomes(call: () => Promise<string>, expected: string): Promise<void> {
  await vi.waitFor(async () => expect(await call()).toBe(expected), { timeout: 15_000, interval: 50 });
}

test('a tool in ten lines', async () => {
  const hello = (): Promise<string> => house.call('hello', { name: 'Ada' });
  expect(await hello()).toBe('Hello, Ada!');
  edit('hello-tool.ts', 'Hello, $', 'Good day, $');
  await becomes(hello, 'Good day, Ada!');
});

test('a slow tool keeps what is too long, and says where', async () => {
  const count = (): Promise<string> => house.call('slow_count', { to: 20, pauseMs: 0 });
  const told = await count();
  expect(told).toMatch(/^16\n17\n18\n19\n20\n\n\[Showing lines 16-20 of 20\. Whole output: artifact:\/\/\d+\]$/);
  const id = /artifact:\/\/\d+/.exec(told)?.[0];
  expect(await house.call('read', { path: id, limit: 2 })).toMatch(/^1\n2\n/);
  edit('slow-count.ts', 'lines: 5', 'lines: 2');
  await vi.waitFor(async () => expect(await count()).toMatch(/^19\n20\n/), { timeout: 15_000 });
});

test('a call is refused, for as long as the veto stands as it does', async () => {
  const push = (): Promise<string> => house.call('bash', { command: 'git push --force' });
  expect(await push()).toContain('Force pushes are not made from here.');
  edit('veto.ts', 'Force pushes are not made from here.', 'Ask the release manager.');
  await vi.waitFor(async () => expect(await push()).toContain('Ask the release manager.'), { timeout: 15_000 });
  expect(await house.call('bash', { command: 'echo git status' })).toContain('git status');
});

test('what the model reads is changed', async () => {
  const read = (): Promise<string> => house.call('read', { path: 'key.txt' });
  expect(await read()).toContain('[redacted]');
  expect(await read()).not.toContain('aaaa');
  edit('redact-results.ts', '[redacted]', '[taken out]');
  await vi.waitFor(async () => expect(await read()).toContain('[taken out]'), { timeout: 15_000 });
});

test('items are found in files, and a new file is found while kern runs', async () => {
  expect(await house.call('note_todo', {})).toBe('Buy milk.');
  house.write('notes/ideas.md', 'A bridge.');
  await becomes(() => house.call('note_ideas', {}), 'A bridge.');
  edit('discovery-provider.ts', '`note_$', '`memo_$');
  await becomes(() => house.call('memo_todo', {}), 'Buy milk.');
  expect(house.view.use(tools).get('note_todo')).toBeUndefined();
});

test('settings come from the config, also when it changes', async () => {
  const sign = (): Promise<string> => house.call('sign', { text: 'Done.' });
  expect(await sign()).toBe('Done.\n-- kern');
  writeFileSync(path.join(house.home, 'config.yml'), 'plugins:\n  signature: { text: "-- sent by kern" }\n');
  await becomes(sign, 'Done.\n-- sent by kern');
  edit('with-config.ts', '\\n$', ' / $');
  await becomes(sign, 'Done. / -- sent by kern');
});

test('a setting of its own is changed by a tool, by a file, and what follows from it is done at once', async () => {
  const greet = (): Promise<string> => house.call('greet', {});
  expect(await greet()).toBe('Hi.');
  await house.call('greet', { polite: true });
  await becomes(greet, 'Good day.');
  const file = path.join(house.home, 'config.yml');
  await vi.waitFor(() => expect(readFileSync(file, 'utf8')).toMatch(/^manners:\n {2}polite: true$/m), {
    timeout: 15_000,
  });
  writeFileSync(file, readFileSync(file, 'utf8').replace('polite: true', 'polite: false'));
  await becomes(greet, 'Hi.');
  edit('own-setting.ts', "'Hi'", "'Hello'");
  await becomes(greet, 'Hello.');
});

test('a count goes on over a reload', async () => {
  const tally = async (): Promise<Record<string, number>> => JSON.parse(await house.call('tally', {}));
  await house.call('hello', { name: 'Ada' });
  const before = (await tally()).hello ?? 0;
  expect(before).toBeGreaterThan(0);
  edit('with-state.ts', 'JSON.stringify(calls.value)', 'JSON.stringify(calls.value, undefined, 1)');
  await vi.waitFor(async () => expect(await house.call('tally', {})).toContain('\n'), { timeout: 15_000 });
  await house.call('hello', { name: 'Ada' });
  expect((await tally()).hello).toBe(before + 1);
});

test('what is noted in a session follows its branches, and holds up a switch until it is done', async () => {
  const note = (text: string, isDone = false) => ({ calls: [{ name: 'loose_end', args: { text, isDone } }] });
  using replies = script([
    ...[note('test it'), note('tell Ada'), { text: 'noted' }],
    ...[note('test it', true), note('tell Ada', true), { text: 'done' }],
  ]);
  await house.view.use(agentSessions).load();
  await using session = await house.view
    .service(agentSessions)
    .create({ cwd: house.project, view: house.view, model: replies.model, persist: false });
  await session.prompt({ text: 'go' });
  expect(await session.newSession()).toEqual({ done: false, reason: 'Still to be done: test it, tell Ada.' });
  edit('loose-ends.ts', 'Still to be done:', 'Not yet:');
  await vi.waitFor(
    async () => expect(await session.newSession()).toEqual({ done: false, reason: 'Not yet: test it, tell Ada.' }),
    { timeout: 15_000 },
  );
  const noted = session.leaf;
  await session.prompt({ text: 'finish' });
  await session.navigateTree(noted);
  expect(await session.newSession()).toMatchObject({ done: false });
  await session.navigateTree(null);
  expect(await session.newSession()).toEqual({ done: true });
});

test('others add to a kind of thing that an extension declared, and change its moment', async () => {
  const joke = (topic: string): Promise<string> => house.call('joke', { topic });
  expect(await joke('tabs')).toMatch(/^Tabs and spaces/);
  expect(await joke('cats')).toBe('No joke about cats. There is one about: tabs.');
  house.write(
    place('cat-jokes.ts'),
    `import { definePlugin } from 'kern/plugin';
     import { jokes, jokeTold } from './own-capability.ts';
     export default definePlugin({ id: 'cat-jokes', requires: ['jokes'], setup: (ctx) => {
       ctx.contribute(jokes, { topic: 'cats', text: 'A cat walks out of a bar.' });
       ctx.tap(jokeTold, ({ text }) => ({ text: text + ' Meow.' }));
     } });`,
  );
  await becomes(() => joke('cats'), 'A cat walks out of a bar. Meow.');
  edit('own-capability.ts', 'There is one about', 'I know one about');
  await becomes(() => joke('dogs'), 'No joke about dogs. I know one about: tabs, cats.');
});

test('plain JavaScript is a plugin too', async () => {
  const roll = (): Promise<string> => house.call('dice', { sides: 2 });
  expect(['1', '2']).toContain(await roll());
  edit('plain.js', 'String(1 + Math.floor(Math.random() * sides))', 'String(-sides)');
  await becomes(roll, '-2');
});

test('a package of two files reloads when either changes', async () => {
  const slug = (): Promise<string> => house.call('slug', { title: 'Crème brûlée, twice' });
  expect(await slug()).toBe('creme-brulee-twice');
  edit('two-files/slug.ts', "'-')", "'_')");
  await becomes(slug, 'creme_brulee_twice');
  edit('two-files/main.ts', 'slugOf(title)', 'slugOf(title).toUpperCase()');
  await becomes(slug, 'CREME_BRULEE_TWICE');
});

test('the extension of the README and of the pages is ten lines, and works', async () => {
  const [readme, page] = ['README.md', 'plugins/docs/pages/extensions.md'].map(firstExtension);
  expect(page).toBe(readme);
  expect(readme?.trimEnd().split('\n').length).toBeLessThanOrEqual(10);
  house.write(place('greeter.ts'), (readme ?? '').replaceAll("'hello'", "'greeter'"));
  await becomes(() => house.call('greeter', { name: 'Ada' }), 'Hello, Ada!');
});

test('each example stands alone: it imports what an extension may, and its own files', () => {
  const allowed = /^(kern\/plugin|kern\/contracts|zod|node:[a-z/]+|\.\/.+)$/;
  const strange = examples.flatMap((file) => {
    const source = readFileSync(path.join(folder, file), 'utf8');
    const names = [...source.matchAll(/\bfrom '([^']+)'/g)].map(([, name = '']) => name);
    const lost = names.filter(
      (name) => name.startsWith('./') && !existsSync(path.join(folder, path.dirname(file), name)),
    );
    return [...names.filter((name) => !allowed.test(name)), ...lost].map((name) => `${file}: ${name}`);
  });
  expect(strange).toEqual([]);
});

function firstExtension(file: string): string | undefined {
  const text = readFileSync(path.join(top, file), 'utf8');
  return [...text.matchAll(/```ts\n([\s\S]*?)```/g)]
    .map(([, code]) => code)
    .find((code) => code?.includes('definePlugin'));
}
