import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { changed, playbooksIn, type Step } from './playbooks.ts';

const top = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(path.join(top, 'plugins', 'docs', 'pages', 'contributing.md'), 'utf8');

test('a playbook is read as a person reads it', () => {
  const text = [
    ...['# Page', '## Other', '### Not this', '## Plays', 'Words.', '### One', '1. First, in `a/b.ts`:', ''],
    ...['   ```ts', '   const a = 1;', '', '   const b = 2;', '   ```', '', '2. In `c/d.ts` and `e/f.md`:', ''],
    ...['   ```diff', '    x', '   +y', '   ```', '', '   ```diff', '   -z', '   ```', ''],
    ...['3. `npm run docs`, then:', '', '   ```sh', '   npx vitest run a/b.test.ts', '   ```', '', '## Last', ''],
  ].join('\n');
  expect(playbooksIn(text, 'Plays')).toEqual([
    {
      title: 'One',
      steps: [
        { do: 'write', file: 'a/b.ts', text: 'const a = 1;\n\nconst b = 2;\n' },
        { do: 'change', file: 'c/d.ts', diff: [' x', '+y'] },
        { do: 'change', file: 'e/f.md', diff: ['-z'] },
        { do: 'run', lines: ['npm run docs'] },
        { do: 'run', lines: ['npx vitest run a/b.test.ts'] },
      ],
    },
  ]);
});

test('a block of changes goes where its lines are, and nowhere else', () => {
  expect(changed('a\nb\nc\n', [' b', '+new', ' c'])).toBe('a\nb\nnew\nc\n');
  expect(changed('a\nb\nc\n', ['-b'])).toBe('a\nc\n');
  expect(changed('a\nb\nc\n', [' b', ' d'])).toBeUndefined();
});

test('the three playbooks of contributing end in tests that pass', { timeout: 170_000 }, async () => {
  const playbooks = playbooksIn(page, 'Three playbooks');
  expect(playbooks.map(({ title }) => title)).toEqual(['A built-in tool', 'An RPC command', 'A hook event']);
  const house = copyOfTheHouse();
  const steps = playbooks.flatMap((playbook) => playbook.steps);
  for (const step of steps) follow(house, step);
  const typed = steps.flatMap((step) => (step.do === 'run' ? step.lines : []));
  const tests = typed.flatMap((line) => (line.startsWith('npx vitest run ') ? line.split(' ').slice(3) : []));
  expect(typed.filter((line) => !line.startsWith('npx vitest run '))).toEqual(playbooks.map(() => 'npm run docs'));
  for (const { steps: own, title } of playbooks) {
    const written = own.flatMap((step) => (step.do === 'write' && step.file.endsWith('.test.ts') ? [step.file] : []));
    expect(tests, title).toEqual(expect.arrayContaining(written));
    expect(written, title).toHaveLength(1);
  }
  const written = steps.flatMap((step) => (step.do === 'write' ? [step.file] : []));
  const biome = path.join(house, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');
  await run(house, [biome, 'format', ...written]);
  const kern = path.join(house, 'plugins', 'cli', 'kern.mjs');
  await run(house, [kern, 'docs', 'generate']);
  const vitest = path.join(house, 'node_modules', 'vitest', 'vitest.mjs');
  expect(await run(house, [vitest, 'run', ...new Set(tests)])).toMatch(/Tests .* passed/);
});

/** The sources as they are, with the packages of this checkout. */
function copyOfTheHouse(): string {
  const house = mkdtempSync(path.join(tmpdir(), 'kern-playbooks-'));
  onTestFinished(() => rmSync(house, { recursive: true, force: true, maxRetries: 3 }));
  const parts = ['kernel', 'plugins', 'extensions-examples', 'schemas', 'package.json', 'tsconfig.json', '.biome.json'];
  for (const part of [...parts, 'vitest.config.ts', 'README.md'])
    cpSync(path.join(top, part), path.join(house, part), { recursive: true });
  symlinkSync(path.join(top, 'node_modules'), path.join(house, 'node_modules'), 'junction');
  return house;
}

function follow(house: string, step: Step): void {
  if (step.do === 'run') return;
  const file = path.join(house, step.file);
  if (step.do === 'write') {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, step.text, { flag: 'wx' });
    return;
  }
  const text = changed(readFileSync(file, 'utf8'), step.diff);
  expect(text, `${step.file} has not the lines that contributing.md shows:\n${step.diff.join('\n')}`).toBeDefined();
  writeFileSync(file, text ?? '');
}

function run(house: string, args: readonly string[]): Promise<string> {
  const env = { ...process.env, KERN_SOURCE: '1', KERN_HOME: path.join(house, 'home'), NO_COLOR: '1' };
  const options = { cwd: house, env, maxBuffer: 2 ** 26 };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${args.join(' ')} failed:\n${stdout}\n${stderr}`));
    });
  });
}
