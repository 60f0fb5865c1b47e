import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { described, noShell, toolDesk } from './test/desk.ts';

interface Listed {
  readonly tools: readonly { readonly name: string; readonly description: string; readonly origin: object }[];
}

test.skipIf(noShell)('a program of the person describes itself, is listed, and is called with JSON', async () => {
  await using desk = await toolDesk();
  desk.tool(
    'greet.sh',
    described(
      `{"description": "Greets.", "parameters": {"required": ["who"]}}`,
      'read -r args; echo "hello $args from $KERN_TOOL"',
    ),
  );
  const { tools } = (await desk.json('tool', 'list')) as Listed;
  expect(tools.find(({ name }) => name === 'greet')).toMatchObject({
    description: 'Greets.',
    origin: { plugin: 'tool.greet', level: 'user' },
  });
  expect(await desk.kern('tool', 'call', 'greet', '{"who": "you"}')).toMatchObject({
    code: 0,
    out: 'hello {"who":"you"} from greet\n',
  });
  const refused = await desk.kern('tool', 'call', 'greet', '{}');
  expect(refused.code).toBe(1);
  expect(refused.out + refused.err).toContain('who');
});

test.skipIf(noShell)('JSON with content is the result, all else is text, and an exit code is an error', async () => {
  await using desk = await toolDesk();
  const answers: Readonly<Record<string, string>> = {
    parts: `echo '{"content": [{"type": "text", "text": "one"}], "details": {"n": 1}}'`,
    text: `echo '{"content": "two", "isError": true}'`,
    data: `echo '{"rows": [1, 2]}'`,
    fails: 'echo half; echo "no such row" >&2; exit 3',
    silent: ':',
    long: 'i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done',
  };
  for (const [name, text] of Object.entries(answers)) desk.tool(`${name}.sh`, described('{"description": "x"}', text));
  const call = (name: string): Promise<unknown> => desk.json('tool', 'call', name, '{}');
  expect(await call('parts')).toEqual({ content: [{ type: 'text', text: 'one' }], details: { n: 1 }, isError: false });
  expect(await call('text')).toEqual({ content: [{ type: 'text', text: 'two' }], isError: true });
  expect(await call('data')).toMatchObject({ content: [{ type: 'text', text: '{"rows": [1, 2]}' }], isError: false });
  expect(await call('fails')).toMatchObject({
    content: [{ type: 'text', text: 'fails failed with the exit code 3\n\nhalf\n\nno such row' }],
    isError: true,
  });
  expect(await call('silent')).toMatchObject({ content: [{ text: '(no output)' }], isError: false });
  const long = (await call('long')) as { content: [{ text: string }]; details: { meta: { truncation: object } } };
  expect(long.content[0].text).toContain('Showing lines 1-2000 of 3000.');
  expect(long.details.meta.truncation).toMatchObject({ totalLines: 3000, artifactId: expect.any(String) });
});

test.skipIf(noShell)(
  'what describes no tool is told with the file and what it should print; the others are there',
  async () => {
    await using desk = await toolDesk();
    desk.tool('fine.sh', described('{"description": "Fine."}', 'echo fine'));
    desk.tool('words.sh', 'echo words');
    desk.tool('nameless.sh', described('{"name": "a b", "description": "x"}', ''));
    desk.tool('ends.sh', 'echo "needs python" >&2; exit 2');
    writeFileSync(path.join(desk.home, 'tools/notes.sh'), '#!/bin/sh\n');
    const { out, err } = await desk.kern('tool', 'call', 'fine', '{}');
    expect(out, err).toBe('fine\n');
    const { err: told } = await desk.kern('plugins', '--why');
    const { plugins } = (await desk.json('plugins')) as {
      plugins: { id: string; failure?: { message: string; hint?: string } }[];
    };
    const failure = (id: string): string | undefined => plugins.find((one) => one.id === id)?.failure?.message;
    const all = JSON.stringify(plugins) + told;
    expect(all).toContain('words.sh --describe printed no JSON');
    expect(all).toContain(
      'nameless.sh --describe printed what describes no tool: name: 1 to 64 letters, digits, _ or -',
    );
    expect(all).toContain('ends.sh --describe ended with the exit code 2: needs python');
    expect(all).toContain(`notes.sh cannot be started`);
    expect(failure('tool.fine')).toBeUndefined();
  },
);

test.skipIf(noShell)(
  'nothing of a project is run before it is trusted, not even to describe itself, nor what it was changed to',
  async () => {
    await using desk = await toolDesk();
    const mark = path.join(desk.home, 'mark');
    const text = (word: string): string => described('{"description": "x"}', `echo ${word}; echo ${word} >> ${mark}`);
    desk.ofProject('count.sh', `[ "$1" = --describe ] && echo described >> ${mark}\n${text('one')}`);
    desk.ofProject('code.js', `require('node:fs').appendFileSync(${JSON.stringify(mark)}, 'code');`);
    for (const argv of [['tool', 'list'], ['trust'], ['doctor'], ['plugins'], ['providers']]) await desk.kern(...argv);
    const refused = await desk.kern('tool', 'call', 'count', '{}');
    expect(refused.code, refused.err).toBe(4);
    expect(refused.err).toContain('.kern/tools/count.sh');
    expect(existsSync(mark)).toBe(false);
    await desk.kern('trust', 'grant', 'plugin:.kern/tools/count.sh');
    expect((await desk.kern('tool', 'call', 'count', '{}')).out).toBe('one\n');
    expect(readFileSync(mark, 'utf8')).toBe('described\none\n');
    const before = readFileSync(mark, 'utf8');
    desk.ofProject('count.sh', text('two'));
    expect((await desk.kern('tool', 'call', 'count', '{}')).code).toBe(4);
    expect(readFileSync(mark, 'utf8')).toBe(before);
  },
);

test('a module is a tool, a list of them, or a function that makes some as oh-my-pi has it', async () => {
  await using desk = await toolDesk();
  const text = `(text) => ({ content: [{ type: 'text', text }] })`;
  desk.tool(
    'plain.js',
    `const t = ${text};
    export default { description: 'Plain.', parameters: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }, execute: async (id, { n }) => t('plain ' + n) };`,
  );
  desk.tool(
    'typed.ts',
    `import { z } from 'zod'; import { defineTool, textResult } from 'kern/contracts';
    export default [defineTool({ name: 'twice', description: 'Twice.', parameters: z.object({ n: z.number() }), execute: async (_id, { n }) => textResult(String(2 * n)) }),
      { name: 'bare', description: 'Bare.', execute: async () => 'bare' }];`,
  );
  desk.tool(
    'made/index.ts',
    `export default async (pi: any) => ({
      name: 'made', label: 'Made', description: 'Made.', parameters: pi.typebox.Type.Object({ word: pi.typebox.Type.String() }),
      async execute(id: string, params: any, onUpdate: any, ctx: any, signal: AbortSignal) {
        onUpdate({ content: [{ type: 'text', text: 'on' }] });
        const { stdout } = await pi.exec('echo', [params.word]);
        return { content: [{ type: 'text', text: [stdout.trim(), signal.aborted, typeof ctx.ui.confirm, pi.hasUI, pi.cwd === ctx.cwd].join(' ') }] };
      },
    });`,
  );
  const call = async (name: string, args: string): Promise<string> => {
    const { out, err } = await desk.kern('tool', 'call', name, args);
    return out.trim() + err;
  };
  expect(await call('plain', '{"n": 2}')).toBe('plain 2');
  expect(await call('twice', '{"n": 2}')).toBe('4');
  expect(await call('bare', '{}')).toBe('bare');
  expect(await call('made', '{"word": "hi"}')).toMatch(/^hi false function false true/);
});

test('a built-in goes before a file of its name, and that is told', async () => {
  await using desk = await toolDesk({ 'a.txt': 'theirs' });
  desk.tool('read.js', `export default { description: 'Mine.', execute: async () => 'mine' };`);
  desk.tool('edit.js', `export default { description: 'Mine.', execute: async () => 'mine' };`);
  const { out } = await desk.kern('tool', 'call', 'read', '{"path": "a.txt"}');
  expect(out).toContain('theirs');
  const { tools } = (await desk.json('tool', 'list')) as Listed;
  expect(tools.filter(({ name }) => name === 'edit')).toMatchObject([{ origin: { level: 'builtin' } }]);
  const why = await desk.kern('providers', '--why', 'tool', 'read');
  expect(why.out).toContain('tool.read');
  desk.write('s.json', JSON.stringify({ version: 1, turns: [{ text: 'ok' }] }));
  const { err } = await desk.kern('-p', 'hi', '--model', 'script/s.json');
  for (const name of ['read', 'edit'])
    expect(err).toContain(
      `the tool ${name} of ${path.join(desk.home, 'tools', `${name}.js`)} is not offered: kern's own tool goes before it`,
    );
});

test('what lies in folders of other agents is a tool once its provider is switched on for code, and it is trusted', async () => {
  await using desk = await toolDesk({
    '.claude/tools/theirs.js': `export default () => ({ name: 'theirs', description: 'Theirs.', parameters: { type: 'object' }, execute: async () => ({ content: [{ type: 'text', text: 'theirs' }] }) });`,
  });
  const names = async (): Promise<readonly string[]> =>
    ((await desk.json('tool', 'list')) as Listed).tools.map(({ name }) => name);
  await desk.kern('trust', 'grant');
  expect(await names()).not.toContain('theirs');
  writeFileSync(path.join(desk.home, 'config.yml'), 'providers: { claude: { code: true } }\n');
  expect(await names()).toContain('theirs');
  await desk.kern('trust', 'revoke');
  expect(await names()).not.toContain('theirs');
});

test('of two files of one name the one of the project goes before, once it is trusted', async () => {
  await using desk = await toolDesk();
  const says = (word: string): string => `export default { description: 'x', execute: async () => '${word}' };`;
  desk.tool('same.js', says('mine'));
  desk.ofProject('same.js', says('theirs'));
  const call = async (): Promise<string> => (await desk.kern('tool', 'call', 'same', '{}')).out;
  expect(await call()).toBe('mine\n');
  await desk.kern('trust', 'grant');
  expect(await call()).toBe('theirs\n');
});

test.skipIf(noShell)('the examples of the page are tools that work', async () => {
  const page = readFileSync(new URL('../docs/pages/custom-tools.md', import.meta.url), 'utf8');
  const [weather = '', die = '', branch = '', words = ''] = Array.from(
    page.matchAll(/```(?:ts|js|sh)\n((?:import|export|#!)[\s\S]*?)```/g),
    ([, code = '']) => code,
  );
  await using desk = await toolDesk({ 'a.txt': 'one two three\n' });
  desk.tool('weather.ts', weather);
  desk.tool('die.js', die);
  desk.tool('branch.ts', branch);
  desk.tool('words.sh', words.replace('#!/bin/sh\n', ''));
  const { tools } = (await desk.json('tool', 'list')) as Listed;
  const names = tools.map(({ name }) => name);
  for (const name of ['weather', 'die', 'branch', 'words']) expect(names).toContain(name);
  expect((await desk.kern('tool', 'call', 'words', '{"file": "a.txt"}')).out.trim()).toBe('3');
  expect((await desk.kern('tool', 'call', 'die', '{}')).out.trim()).toMatch(/^[1-6]$/);
});

test('switched off, it makes nothing of any file', async () => {
  await using desk = await toolDesk();
  desk.tool('plain.js', `export default { description: 'Plain.', execute: async () => 'plain' };`);
  writeFileSync(path.join(desk.home, 'config.yml'), 'plugins: { custom-tools: false }\n');
  const { tools } = (await desk.json('tool', 'list')) as Listed;
  expect(tools.map(({ name }) => name)).not.toContain('plain');
});
