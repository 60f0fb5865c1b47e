import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPlace, type Running } from './program.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
let checkout = '';
/** All runs keep what they transform in one home. */
let home = '';

// What is edited is a copy: the tests of others run from the original.
beforeAll(() => {
  checkout = realpathSync(mkdtempSync(path.join(tmpdir(), 'kern-checkout-')));
  home = mkdtempSync(path.join(tmpdir(), 'kern-checkout-home-'));
  for (const part of ['package.json', 'tsconfig.json', 'kernel', 'plugins'])
    cpSync(path.join(root, part), path.join(checkout, part), { recursive: true });
  symlinkSync(path.join(root, 'node_modules'), path.join(checkout, 'node_modules'));
});

afterAll(() => {
  for (const folder of [checkout, home]) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});

const inCheckout = (file: string): string => path.join(checkout, file);
const readTool = 'plugins/tools/read/read.ts';
/** What the tool read does, and another thing in its place. */
const does = 'execute: (';
const answering = (text: string): string =>
  `execute: async () => ({ content: [{ type: 'text', text: '${text}' }] }),\n    formerly: (`;

/** An edit of a file in the checkout, as the model would make it. */
function edit(file: string, oldText: string, newText: string): object {
  expect(readFileSync(inCheckout(file), 'utf8').split(oldText)).toHaveLength(2);
  return { name: 'edit', args: { path: inCheckout(file), edits: [{ oldText, newText }] } };
}

/** An edit by somebody else, who saves the whole file. */
function save(file: string, change: (text: string) => string): void {
  const before = readFileSync(inCheckout(file), 'utf8');
  expect(change(before)).not.toBe(before);
  writeFileSync(inCheckout(file), change(before));
}

async function said(running: Running, what: RegExp): Promise<void> {
  let over = false;
  void running.ended.then(() => {
    over = true;
  });
  while (!what.test(running.out)) {
    if (over) throw new Error(`${what} was never said:\n${running.out}\n${running.err}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const until = (name: string): object => ({
  name: 'bash',
  args: { command: `until [ -e ${name} ]; do sleep 0.05; done` },
});
const read = { name: 'read', args: { path: 'a.txt' } };
const answers = (tool: string, contains: string): object => ({ toolResult: [{ tool, contains }] });

test('from the sources, the tool read is edited in the middle of a run, and each turn has what was saved last', async () => {
  const shell = `sed -i "s/by hand/by the shell/" ${inCheckout(readTool)}`;
  const turns = [
    { calls: [read] },
    { expect: answers('read', 'as it is'), calls: [edit(readTool, does, answering('by the model'))] },
    { calls: [read] },
    { expect: answers('read', 'by the model'), calls: [until('saved')] },
    { calls: [read] },
    { expect: answers('read', 'by hand'), calls: [until('broken')] },
    { calls: [read] },
    // What was broken is not live: the old goes on.
    { expect: answers('read', 'by hand'), calls: [until('mended')] },
    { calls: [{ name: 'bash', args: { command: shell } }] },
    { calls: [read] },
    {
      expect: answers('read', 'by the shell'),
      text: 'slowly '.repeat(40),
      chunk: 8,
      delayMs: 20,
      calls: [until('late')],
    },
    { calls: [read] },
    { expect: answers('read', 'while it spoke'), text: 'done' },
  ];
  const script = JSON.stringify({ version: 1, turns });
  using place = openPlace({ 'a.txt': 'as it is\n', 's.json': script }, inCheckout('plugins/cli/kern.mjs'));
  // The shell says that it may have touched anything below the project: here the sources are the project.
  const argv = [
    '-p',
    'go',
    '--mode',
    'json',
    '--model',
    `script/${path.join(place.project, 's.json')}`,
    '--yolo',
    '--no-session',
  ];
  const files = ['a.txt', 'saved', 'broken', 'mended', 'late'].map(inCheckout);
  writeFileSync(inCheckout('a.txt'), 'as it is\n');
  const running = place.start([...argv, '--cwd', checkout], { env: { KERN_SOURCE: '1', KERN_HOME: home } });
  const live = (revision: number): RegExp =>
    new RegExp(`"type":"plugin_changed","id":"tools.read","state":"live","revision":${revision}\\b`);

  await said(running, /"command":"until \[ -e saved/);
  save(readTool, (text) => text.replace('by the model', 'by hand'));
  await said(running, live(3));
  writeFileSync(inCheckout('saved'), '');

  await said(running, /"command":"until \[ -e broken/);
  save(readTool, (text) => `${text}\n{{{`);
  await said(running, /"plugin_changed","id":"tools\.read","state":"kept"/);
  writeFileSync(inCheckout('broken'), '');

  await said(running, /"command":"until \[ -e mended/);
  save(readTool, (text) => text.replace('\n{{{', ''));
  await said(running, live(5));
  writeFileSync(inCheckout('mended'), '');

  await said(running, /slowly/);
  save(readTool, (text) => text.replace('by the shell', 'while it spoke'));
  await said(running, live(7));
  writeFileSync(inCheckout('late'), '');

  const { code, out, err } = await running.ended;
  for (const file of files) rmSync(file, { force: true });
  expect(code, err).toBe(0);
  expect(JSON.parse(out.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
    type: 'result',
    status: 'ok',
    text: 'done',
  });
}, 120_000);

test('from the sources, the mode that prints is edited in the middle of a run', async () => {
  const print = 'plugins/modes/print/print.ts';
  const turns = [
    { calls: [{ name: 'write', args: { path: 'b.txt', content: 'b' } }] },
    {
      calls: [
        edit(print, "if (text !== '') stdout.write(", "stdout.write('anew: ');\n  if (text !== '') stdout.write("),
      ],
    },
    {
      calls: [
        edit(
          'plugins/modes/print/paint.ts',
          "const mark = isError ? screen.style('red', screen.sign('failed'))",
          "const mark = isError ? '!'",
        ),
        edit('plugins/modes/print/paint.ts', "screen.style('green', screen.sign('done'));", "'NEW';"),
      ],
    },
    { calls: [{ name: 'write', args: { path: 'c.txt', content: 'c' } }] },
    { text: 'done' },
  ];
  const script = JSON.stringify({ version: 1, turns });
  using place = openPlace({ 's.json': script }, inCheckout('plugins/cli/kern.mjs'));
  const { code, out, err } = await place.start(['-p', 'go', '--model', 'script/s.json', '--yolo', '--no-session'], {
    env: { KERN_SOURCE: '1', KERN_HOME: home },
  }).ended;
  expect({ code, out }, err).toEqual({ code: 0, out: 'anew: done\n' });
  expect(err).toContain('✓ write b.txt');
  expect(err).toContain('NEW write c.txt');
}, 120_000);

test('from the sources, a provider is edited in the middle of a run, and the next turn finds what the new code finds', async () => {
  const provider = 'plugins/discovery/claude/index.ts';
  const turns = [
    { expect: { system: '/^(?=[\\s\\S]*A rule)(?![\\s\\S]*A law)/' }, calls: [until('looked')] },
    { expect: { system: 'A law' }, calls: [until('broken')] },
    { expect: { system: '/^(?![\\s\\S]*"rule:law" no longer)/' }, calls: [until('mended')] },
    { expect: { system: '/"rule:law" no longer hold/' }, text: 'done' },
  ];
  const files = {
    '.git/HEAD': '',
    '.claude/rules/rule.md': 'A rule.',
    '.claude/laws/law.md': 'A law.',
    's.json': JSON.stringify({ version: 1, turns }),
  };
  using place = openPlace(files, inCheckout('plugins/cli/kern.mjs'));
  const argv = ['-p', 'go', '--mode', 'json', '--model', 'script/s.json', '--yolo', '--no-session'];
  const running = place.start(argv, { env: { KERN_SOURCE: '1', KERN_HOME: home } });
  const changed = (state: string): RegExp => new RegExp(`"plugin_changed","id":"discovery.claude","state":"${state}"`);
  const before = readFileSync(inCheckout(provider), 'utf8');

  await said(running, /"command":"until \[ -e looked/);
  save(provider, (text) => text.replace("path: '.claude/rules'", "path: '.claude/laws'"));
  await said(running, changed('live'));
  place.write('looked', '');

  await said(running, /"command":"until \[ -e broken/);
  save(provider, (text) => `${text}\n{{{`);
  await said(running, changed('kept'));
  place.write('broken', '');

  await said(running, /"command":"until \[ -e mended/);
  writeFileSync(inCheckout(provider), before);
  await said(running, /"discovery\.claude","state":"kept"[\s\S]*"discovery\.claude","state":"live"/);
  place.write('mended', '');

  const { code, out, err } = await running.ended;
  expect(code, err + out).toBe(0);
}, 120_000);
