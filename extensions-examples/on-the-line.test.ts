import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openDesk } from '../plugins/cli/test/line.ts';

const source = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');
const said = (turns: readonly object[]): string => JSON.stringify({ version: 1, turns });

test('a command of an extension has options, help, JSON and errors like ours', async () => {
  await using desk = await openDesk({
    'outline.ts': source('outline.ts'),
    'a.md': '# One\nwords\n## Two\n### Three\n',
  });
  const kern = (...argv: string[]) => desk.kern(...argv, '-e', 'outline.ts');
  expect(await kern('outline', 'a.md')).toEqual({ code: 0, out: '# One\n## Two\n### Three\n', err: '' });
  expect((await kern('outline', 'a.md', '--depth', '1')).out).toBe('# One\n');
  expect(await desk.json('outline', 'a.md', '-e', 'outline.ts')).toMatchObject({ headings: { length: 3 } });
  expect((await kern('outline', '--help')).out).toMatch(/Usage: kern outline \[options\] <file>[\s\S]*--depth <n>/);
  expect((await kern('outline', 'b.md')).err).toContain('b.md cannot be read');
  expect((await kern('--help')).out).toContain('outline <file>');
});

test('an option of an extension is parsed, stands in --help, and reaches the model', async () => {
  const script = said([{ expect: { system: 'Write for a beginner.' }, text: 'Like this.' }]);
  await using desk = await openDesk({ 'outline.ts': source('outline.ts'), 'r.json': script });
  const kern = (...argv: string[]) => desk.kern('-e', 'outline.ts', ...argv);
  expect((await kern('--help')).out).toMatch(/--audience <who> +For whom the answer is written\./);
  const run = ['-p', 'explain', '--model', 'script/r.json'];
  expect(await kern(...run, '--audience', 'a beginner')).toMatchObject({ code: 0, out: 'Like this.\n' });
  expect((await kern(...run)).code).toBe(1);
  expect((await kern(...run, '--audience')).code).toBe(2);
});

test('a mode of an extension is a front like ours', async () => {
  const script = said([{ calls: [{ name: 'ls', args: {} }] }, { text: 'Done.' }]);
  await using desk = await openDesk({
    'count-mode.ts': source('count-mode.ts'),
    'r.json': script,
    'none.json': said([]),
  });
  const kern = (...argv: string[]) => desk.kern('-e', 'count-mode.ts', '--mode', 'count', 'go', ...argv);
  expect(await kern('--model', 'script/r.json')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^2 turns, 1 calls, \d+ tokens\n$/),
  });
  expect(await kern('--model', 'script/none.json')).toMatchObject({ code: 1, err: expect.stringContaining('count: ') });
});

test('a file has a schema of an extension, and its mistakes are told where models are listed', async () => {
  await using desk = await openDesk({
    'file-shape.ts': source('file-shape.ts'),
    'team.json': '{ "favourite": "big" }',
  });
  expect(await desk.json('schema', 'team', '-e', 'file-shape.ts')).toMatchObject({ required: ['favourite'] });
  const list = () => desk.kern('models', 'list', '-e', 'file-shape.ts');
  expect((await list()).err).toContain('team.json: ✖ provider/model');
  desk.write('team.json', '{ "favourite": "anthropic/claude-opus-5-5" }');
  expect((await list()).err).not.toContain('team.json');
});

test('what an extension finds for an agent of its own stands beside the finds of kern', async () => {
  await using desk = await openDesk({
    'another-agent.ts': source('another-agent.ts'),
    '.workshop.json': '{ "servers": { "board": "https://board.example/mcp" }, "agents": { "turner": "Turns wood." } }',
  });
  const why = (kind: string) => desk.json('providers', '--why', kind, '-e', 'another-agent.ts');
  expect(await why('mcp-server')).toMatchObject({
    entries: [{ key: 'board', origin: { plugin: 'another-agent', provider: 'workshop' }, verdict: { state: 'won' } }],
  });
  expect(await why('agent-definition')).toMatchObject({ entries: [{ key: 'turner' }] });
  desk.write('.workshop.json', '{ "servers": 3 }');
  expect(await desk.json('providers', '-e', 'another-agent.ts')).toMatchObject({
    providers: expect.arrayContaining([
      expect.objectContaining({ id: 'workshop', warnings: [expect.stringContaining('it is not {"<kind>"')] }),
    ]),
  });
});
