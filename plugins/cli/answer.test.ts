import { existsSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openDesk } from './test/line.ts';

const hello = `import { definePlugin } from 'kern/plugin';
import { tools } from 'kern/contracts';
import { z } from 'zod';
import { writeFileSync } from 'node:fs';
writeFileSync(new URL('../../ran', import.meta.url), 'yes');
export default definePlugin({ id: 'hello', setup: (ctx) => ctx.contribute(tools, {
  name: 'hello', description: 'Greets someone.', parameters: z.object({ name: z.string() }),
  execute: async (_id, { name }) => ({ content: [{ type: 'text', text: \`Hello, \${name}!\` }] }),
}) });
`;
const script = '{"version":1,"turns":[{"text":"hello there"}],"repeat":"last"}';

test('kern alone shows its usage and answers 2', async () => {
  await using desk = await openDesk();
  const { code, out, err } = await desk.kern();
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain('Usage: kern [options] <message…>');
});

test('a slip of the keys answers 2, with what was meant and how to send it all the same', async () => {
  await using desk = await openDesk();
  const { code, err } = await desk.kern('plugin', 'list');
  expect(code).toBe(2);
  expect(err).toContain('Did you mean kern plugins?');
  expect(err).toContain('kern -- plugin list');
});

test('everything that is wrong with a line answers 2 and names it', async () => {
  await using desk = await openDesk();
  for (const [argv, why] of [
    [['--bogus', 'x'], 'kern has no option --bogus'],
    [['--bogus'], 'kern has no option --bogus'],
    [['--model'], '--model needs a value'],
    [['plugins', '--whi'], 'Did you mean --why?'],
    [['tool'], 'kern tool is only the beginning of a command'],
    [['tool', 'lst'], 'Did you mean kern tool list?'],
    [['tool', 'call'], 'kern tool call needs name'],
    [['--cwd', 'nowhere', 'tool', 'list'], 'is not a folder'],
    [['-e', 'nowhere.ts', 'tool', 'list'], 'there is no such file or folder'],
    [['config', 'get', 'modle'], 'there is no setting modle'],
    [['--mode', 'rpcc', 'x'], 'there is no mode rpcc'],
    [['--tools', 'a', '--no-tools', 'x'], 'say different things'],
    [['@nowhere.txt'], '@nowhere.txt is not there'],
  ] as const) {
    const { code, out, err } = await desk.kern(...argv);
    expect({ argv, code, out }).toEqual({ argv, code: 2, out: '' });
    expect(err).toContain(why);
  }
});

test('with --json a failure is one value on stdout, and stderr stays empty', async () => {
  await using desk = await openDesk();
  const { code, out, err } = await desk.kern('plugin', '--json');
  expect({ code, err }).toEqual({ code: 2, err: '' });
  expect(JSON.parse(out)).toMatchObject({
    error: { code: 'usage', message: expect.any(String), hint: expect.any(String) },
  });
});

test('a task without any model answers 3 and says what to do', async () => {
  await using desk = await openDesk();
  const { code, err } = await desk.kern('fix the tests');
  expect(code).toBe(3);
  expect(err).toContain('ANTHROPIC_API_KEY');
});

test('a prompt is answered on stdout, with nothing else there', async () => {
  await using desk = await openDesk({ 'hi.json': script });
  expect(await desk.kern('-p', 'hi', '--model', 'script/hi.json')).toEqual({ code: 0, out: 'hello there\n', err: '' });
  expect((await desk.kern('--model', 'script/hi.json', '--', 'plugins')).out).toBe('hello there\n');
  expect((await desk.kern('launch', 'hi', '--model', 'script/hi.json')).out).toBe('hello there\n');
});

test('a run says at every start that what guards tools is off', async () => {
  await using desk = await openDesk({ 'hi.json': script });
  await desk.kern('config', 'set', 'plugins.permissions', 'false');
  const { out, err } = await desk.kern('-p', 'hi', '--model', 'script/hi.json');
  expect(out).toBe('hello there\n');
  expect(err).toMatch(/^kern: permissions is off \(plugins\.permissions: false in .*config\.yml:\d\)/);
});

test('a broken extension stops nothing, and is told', async () => {
  await using desk = await openDesk({
    'hi.json': script,
    'bad.js': "export default { id: 'bad', setup() { throw new Error('no luck'); } };",
  });
  const { code, out, err } = await desk.kern('-p', 'hi', '--model', 'script/hi.json', '-e', 'bad.js');
  expect({ code, out }).toEqual({ code: 0, out: 'hello there\n' });
  expect(err).toContain('plugin bad failed in setup: no luck');
});

test('with --json a run is its result', async () => {
  await using desk = await openDesk({ 'hi.json': script });
  expect(await desk.json('hi', '--model', 'script/hi.json', '--no-session')).toMatchObject({
    type: 'result',
    status: 'ok',
    text: 'hello there',
    sessionFile: null,
  });
});

test('in json mode a run that does not begin has its last line too', async () => {
  await using desk = await openDesk();
  const { code, out } = await desk.kern('--mode', 'json', 'hi');
  expect(code).toBe(3);
  expect(JSON.parse(out.trim().split('\n').at(-1) ?? '')).toMatchObject({
    type: 'result',
    status: 'error',
    error: { code: 'no_model' },
    exitCode: 3,
  });
});

test('system prompts come from texts and from files', async () => {
  const replies = JSON.stringify({
    version: 1,
    turns: [
      { expect: { system: 'Be a poet.' }, text: 'one' },
      { expect: { system: 'Rhyme.' }, text: 'two' },
    ],
    repeat: 'last',
  });
  await using desk = await openDesk({ 'hi.json': replies, 'poet.md': 'Be a poet.\n' });
  const { out, err } = await desk.kern(
    'one thing',
    'another thing',
    '--system-prompt',
    'poet.md',
    '--append-system-prompt',
    'Rhyme.',
    '--model',
    'script/hi.json',
  );
  expect({ out, err }).toEqual({ out: 'two\n', err: '' });
});

test('--tools and --no-tools say which tools the model has', async () => {
  const replies = (expect: object): string => JSON.stringify({ version: 1, turns: [{ expect, text: 'ok' }] });
  await using desk = await openDesk({
    'two.json': replies({ tools: ['read', 'bash'], noTools: ['edit', 'write'] }),
    'none.json': replies({ noTools: ['read', 'bash', 'edit', 'write'] }),
  });
  expect((await desk.kern('-p', 'x', '--tools', 'read, bash', '--model', 'script/two.json')).code).toBe(0);
  expect((await desk.kern('-p', 'x', '--no-tools', '--model', 'script/none.json')).code).toBe(0);
});

test('a tool of an untrusted project answers 4, names the file, and nothing of it ran; trusted it is called', async () => {
  await using desk = await openDesk({ '.kern/extensions/hello.ts': hello });
  const refused = await desk.kern('tool', 'call', 'hello', '{"name":"Ada"}');
  expect(refused).toMatchObject({ code: 4, out: '' });
  expect(refused.err).toContain(`${desk.project}/.kern/extensions/hello.ts`);
  expect(existsSync(`${desk.project}/ran`)).toBe(false);
  expect(await desk.kern('tool', 'call', 'hello', '{"name":"Ada"}', '--trust')).toEqual({
    code: 0,
    out: 'Hello, Ada!\n',
    err: '',
  });
});

test('-e loads without trust, also with --no-extensions', async () => {
  await using desk = await openDesk({
    '.kern/extensions/other.ts': 'throw new Error("not asked for")',
    'mine/hello.ts': hello,
  });
  const { code, out } = await desk.kern(
    '-e',
    'mine/hello.ts',
    '--no-extensions',
    'tool',
    'call',
    'hello',
    '{"name":"E"}',
  );
  expect({ code, out }).toEqual({ code: 0, out: 'Hello, E!\n' });
});

test('help loads nothing of the project, for commands of ours and in whole', async () => {
  await using desk = await openDesk({ '.kern/extensions/hello.ts': hello });
  for (const argv of [
    ['--help'],
    ['help'],
    ['tool', '--help'],
    ['tool', 'call', '--help'],
    ['help', 'trust', 'grant'],
  ]) {
    const { code, out } = await desk.kern(...argv, '--trust');
    expect({ argv, code }).toEqual({ argv, code: 0 });
    expect(out).toContain('Usage: kern');
  }
  expect(existsSync(`${desk.project}/ran`)).toBe(false);
});

test('every command has help with an example', async () => {
  await using desk = await openDesk();
  const { commands } = (await desk.json('--help')) as {
    commands: readonly { path: readonly string[]; examples: readonly unknown[] }[];
  };
  expect(commands.length).toBeGreaterThan(25);
  for (const { path, examples } of commands)
    expect({ path, examples: examples.length > 0 }).toEqual({ path, examples: true });
});

test('a command and a flag of an extension are used like ours', async () => {
  const extension = `import { definePlugin } from 'kern/plugin';
import { commands, flags } from 'kern/contracts';
export default definePlugin({ id: 'weather', setup(ctx) {
  ctx.contribute(commands, { path: ['weather'], summary: 'Says the weather.', examples: [['Now', 'kern weather']],
    positionals: [{ name: 'place', required: true, summary: 'Where' }],
    run: async (own, args, host) => { host.print(own.id + ' in ' + args.positionals[0]); return 0; } });
  ctx.contribute(flags, { name: 'shout', kind: 'string', summary: 'Shouts.', apply: (value, own) => own.ui.notify('SHOUT ' + value) });
} });`;
  await using desk = await openDesk({ 'weather.ts': extension, 'hi.json': script });
  expect(await desk.kern('-e', 'weather.ts', 'weather', 'Oslo')).toEqual({
    code: 0,
    out: 'weather in Oslo\n',
    err: '',
  });
  expect((await desk.kern('-e', 'weather.ts', 'weathr')).err).toContain('Did you mean kern weather?');
  expect((await desk.kern('-e', 'weather.ts', 'weather', '--help')).out).toContain(
    'Usage: kern weather [options] <place>',
  );
  expect((await desk.kern('-e', 'weather.ts', '-p', 'hi', '--shout', 'loud', '--model', 'script/hi.json')).code).toBe(
    0,
  );
  expect((await desk.kern('-e', 'weather.ts', 'plugins', '--shout', 'loud')).err).toContain(
    'kern plugins has no option --shout',
  );
});

test('in the home folder itself a run moves to a temporary folder and says so, unless it is told where to be', async () => {
  await using desk = await openDesk({ 'hi.json': script });
  const model = ['--model', `script/${desk.project}/hi.json`];
  const json = ['--mode', 'json', '-p', 'hi', ...model];
  const cwdOf = (out: string): string => JSON.parse(out.split('\n', 1)[0] ?? '').cwd;
  const moved = await desk.at({ HOME: desk.project }).kern(...json);
  expect(moved.code).toBe(0);
  expect(moved.err).toContain(`${desk.project} is your home folder`);
  expect(cwdOf(moved.out)).not.toBe(desk.project);
  rmSync(cwdOf(moved.out), { recursive: true });
  for (const stay of [['--allow-home'], ['--cwd', '.']]) {
    const stayed = await desk.at({ HOME: desk.project }).kern(...json, ...stay);
    expect({ stay, err: stayed.err, cwd: cwdOf(stayed.out) }).toEqual({ stay, err: '', cwd: desk.project });
  }
  await desk.kern('config', 'set', 'startup.autoChdir', 'false');
  expect((await desk.at({ HOME: desk.project }).kern(...json)).err).toBe('');
});
