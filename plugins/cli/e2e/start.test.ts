import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { openPlace } from './program.ts';

vi.setConfig({ testTimeout: 60_000 });

const script = JSON.stringify({ version: 1, turns: [{ text: 'hi' }] });
// Writes the name of every file that is loaded.
const spy = `import { registerHooks } from 'node:module';
import { appendFileSync } from 'node:fs';
registerHooks({
  load(url, context, next) {
    if (url.startsWith('file:')) appendFileSync(process.env.LOADED, url + '\\n');
    return next(url, context);
  },
});`;

async function loaded(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  using place = openPlace({ 's.json': script, 'spy.mjs': spy, ...files });
  const list = path.join(place.project, 'loaded');
  const { code, out, err } = await place.start(['-p', 'hello', '--model', 'script/s.json'], {
    env: { NODE_OPTIONS: `--import=${path.join(place.project, 'spy.mjs')}`, LOADED: list },
  }).ended;
  expect({ code, out }, err).toEqual({ code: 0, out: 'hi\n' });
  const urls = readFileSync(list, 'utf8').trim().split('\n');
  return urls.filter((url) => !url.endsWith('/spy.mjs')).map((url) => url.replace(/^.*\/(?=[^/]*\/[^/]*$)/, ''));
}

const ids = 'native|pi|oh-my-pi|claude|claude-plugins|agents|codex|gemini|opencode|cursor|github|windsurf|cline';
const provider = new RegExp(`^(?:(${ids})/index\\.ts|chunks/(${ids})-[\\w-]{8}\\.js)$`);

const providersIn = (files: readonly string[]): readonly string[] =>
  files.flatMap((file) => provider.exec(file)?.slice(1).find(Boolean) ?? []);

test('a run where nothing is to be found loads no provider; where something is, the one whose it is', async () => {
  expect(providersIn(await loaded({}))).toEqual([]);
  const skill = '---\ndescription: A.\n---\nA.';
  expect(providersIn(await loaded({ '.git/HEAD': '', '.claude/skills/a/SKILL.md': skill }))).toEqual(['claude']);
});

test('what is built comes in few files', async ({ skip }) => {
  const files = await loaded({});
  skip(!files.some((file) => file.startsWith('dist/')), 'dist/ is older than the sources: npm run build');
  expect(files.length).toBeLessThan(24);
});
