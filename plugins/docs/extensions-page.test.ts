import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PluginReport } from 'kern/contracts';
import { expect, test } from 'vitest';
import { type Answer, type Desk, openDesk } from '../cli/test/line.ts';
import { changed, playbooksIn, type Step } from './playbooks.ts';

const page = readFileSync(fileURLToPath(new URL('pages/extensions.md', import.meta.url)), 'utf8');
const hasNpm = spawnSync('npm', ['--version'], { shell: process.platform === 'win32' }).status === 0;

/** Answers to the lines of the guide, in order; `npm pack` has none. */
const expected: readonly (readonly [line: RegExp, answer: RegExp])[] = [
  [/^kern plugins new /, /^Made \.kern\/extensions\/weather: /],
  [/^kern plugins test /, /pass 2\b/],
  [/^kern plugins lint /, /nothing to complain of[\s\S]*tool weather/],
  [/^kern tool call /, /^16 °C in Rome\n$/],
  [/^npm pack /, /^weather-0\.1\.0\.tgz$/],
  [/^kern plugins install /, /weather 0\.1\.0 is installed/],
  [/^kern plugins info /, /^weather: active \(user[\s\S]*tool weather[\s\S]*tokens in each prompt/],
  [/^npm pack /, /^weather-0\.2\.0\.tgz$/],
  [/^kern plugins install /, /weather 0\.2\.0 is installed|weather 0\.1\.0 → 0\.2\.0|0\.2\.0/],
  [/^kern plugins remove /, /weather 0\.2\.0 is removed/],
];

test.skipIf(!hasNpm)('npm: the guide leads from nothing to an update, line by line', { timeout: 120_000 }, async () => {
  const steps = playbooksIn(page, 'From nothing to an update').flatMap((part) => part.steps);
  await using desk = await openDesk();
  const typed: string[] = [];
  for (const step of steps) {
    if (step.do !== 'run') follow(desk, step);
    else
      for (const line of step.lines) {
        const said = await answer(desk, line);
        const [, wanted] = expected[typed.length] ?? [];
        expect(said, line).toMatch(wanted ?? /nothing is expected of this line/);
        typed.push(line);
      }
  }
  expect(typed.map((line, nth) => expected[nth]?.[0].test(line))).toEqual(expected.map(() => true));
});

test('every other piece of code on the page is loaded as it stands, in an extension', async () => {
  const blocks = [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);
  const pieces = blocks.filter((code) => !code.includes("from 'node:test'"));
  expect(pieces.length).toBeGreaterThanOrEqual(5);
  const names = pieces.map((_, nth) => `piece-${nth}`);
  await using desk = await openDesk();
  for (const [nth, code] of pieces.entries()) desk.write(`${names[nth]}.ts`, wholeOf(code, names[nth] ?? ''));
  const given = names.flatMap((name) => ['-e', `${name}.ts`]);
  const { plugins } = (await desk.json('plugins', ...given)) as { plugins: readonly PluginReport[] };
  const loaded = plugins.filter(({ level }) => level === 'session');
  expect(loaded.map(({ state, failure }) => failure?.message ?? state)).toEqual(pieces.map(() => 'active'));
});

/** A piece that is no extension by itself stands in the `setup` of one. */
function wholeOf(code: string, id: string): string {
  if (code.includes('export default')) return code.replace(/id: '[^']+'/, `id: '${id}'`);
  return `import { z } from 'zod';\nexport default { id: '${id}', setup(ctx) {\n${code}} };\n`;
}

function follow(desk: Desk, step: Exclude<Step, { do: 'run' }>): void {
  const file = path.join(desk.project, step.file);
  if (step.do === 'write') {
    // `kern plugins new` has made both, and they become other ones.
    expect(existsSync(file), step.file).toBe(true);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, step.text);
    return;
  }
  const text = changed(readFileSync(file, 'utf8'), step.diff);
  expect(text, `${step.file} has not the lines that the page shows`).toBeDefined();
  writeFileSync(file, text ?? '');
}

async function answer(desk: Desk, line: string): Promise<string> {
  const [program, ...args] = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  if (program === 'kern') {
    const { code, out, err }: Answer = await desk.kern(...args);
    expect(code, `${line}\n${out}${err}`).toBe(0);
    return out;
  }
  expect(program).toBe('npm');
  const env = { ...process.env, NODE_OPTIONS: '', npm_config_offline: 'true', npm_config_update_notifier: 'false' };
  const cache = path.join(desk.home, 'npm');
  return execFileSync('npm', [...args, '--silent', `--cache=${cache}`], {
    cwd: desk.project,
    env,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  }).trim();
}
