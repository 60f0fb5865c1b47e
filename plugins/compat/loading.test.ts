import { readFileSync } from 'node:fs';
import { tools } from 'kern/contracts';
import { expect, test } from 'vitest';
import { openDesk } from '../cli/test/line.ts';
import { openHouse } from './test/house.ts';

const tool = (name: string, answer: string): string =>
  `pi.registerTool({ name: '${name}', label: 'x', description: 'Answers.', parameters: { type: 'object', properties: {} },
    execute: async () => ({ content: [{ type: 'text', text: ${answer} }], details: {} }) });`;

test('an edit takes over between two calls: the old takes leave, the new begins, and a broken one changes nothing', async () => {
  const version = (text: string): string => `
    import { word } from './word.ts';
    export default (pi) => {
      pi.registerFlag('mood', { type: 'string', default: 'none' });
      ${tool('word', `'${text} ' + word`)}
      for (const name of ['session_start', 'session_shutdown']) pi.on(name, ({ reason }) => say('${text}', name, reason));
    };`;
  await using h = await openHouse(
    { a: version('one') },
    {
      files: { '../extensions/word.ts': `export const word = 'first';` },
      turns: [{ calls: [{ name: 'word', args: {} }] }, { text: 'ok' }],
    },
  );
  const call = async (): Promise<string> => {
    await h.session.prompt({ text: 'go' });
    const result = h.session.messages().findLast(({ role }) => role === 'toolResult');
    return result?.content.map((part) => ('text' in part ? part.text : '')).join('') ?? '';
  };
  expect(await call()).toBe('one first');
  h.kern.watch();
  const log = h.kern.kernel.snapshot().activations.find(({ id }) => id === 'ext.a')?.unit.source ?? '';
  const head = readFileSync(log, 'utf8').split('\n').slice(0, 2).join('\n');
  h.write('../extensions/word.ts', `export const word = 'second';`);
  h.write('../extensions/a.ts', `${head}\n${version('two')}`);
  await expect.poll(() => h.said().length, { timeout: 20_000 }).toBeGreaterThan(2);
  expect(h.said()).toEqual([
    ['one', 'session_start', 'startup'],
    ['one', 'session_shutdown', 'reload'],
    ['two', 'session_start', 'reload'],
  ]);
  h.write('../extensions/a.ts', `${head}\nexport default (pi) => { throw new Error('broken'); };`);
  await expect.poll(() => h.complaints().length, { timeout: 20_000 }).toBe(1);
  expect(h.complaints()[0]).toContain('broken');
  expect(h.session.view.use(tools).get('word')?.origin.plugin).toBe('ext.a');
});

test('what one of the names lacks is an error that says so, and a copy of its own is what an extension means', async () => {
  await using h = await openHouse(
    {
      lacks: `import { InteractiveMode } from '@earendil-works/pi-coding-agent';
        export default (pi) => { class Mine extends InteractiveMode {} };`,
      later: `import { InteractiveMode } from '@earendil-works/pi-coding-agent';
        export default (pi) => pi.on('session_start', () => new InteractiveMode());`,
      own: `import { Type } from 'typebox';
        import * as tui from '@earendil-works/pi-tui';
        export default () => say(Type, typeof tui.visibleWidth);`,
      required: `
        const { createRequire } = require('node:module');
        const { Type, default: whole } = require('@sinclair/typebox');
        const { VERSION, CONFIG_DIR_NAME } = require('@earendil-works/pi-coding-agent');
        export default () => say(Type.String(), whole.Number(), VERSION, CONFIG_DIR_NAME);`,
    },
    {
      files: {
        '../extensions/node_modules/typebox/package.json': `{ "name": "typebox", "type": "module", "exports": "./index.js" }`,
        '../extensions/node_modules/typebox/index.js': `export const Type = 'my own';`,
      },
    },
  );
  expect(h.said()).toEqual(
    expect.arrayContaining([
      ['my own', 'function'],
      [{ type: 'string' }, { type: 'number' }, '1.6.0', '.kern'],
    ]),
  );
  expect([...h.complaints()].sort()).toEqual([
    'ext.lacks: plugin ext.lacks failed in start: @earendil-works/pi-coding-agent has no InteractiveMode in kern',
    'ext.later: the extension later failed in session_start: @earendil-works/pi-coding-agent has no InteractiveMode in kern',
  ]);
});

/** Files of a project and of a home, written before anything starts. */
async function withFiles(files: Readonly<Record<string, string>>, options: Parameters<typeof openHouse>[1] = {}) {
  return openHouse({}, { ...options, files });
}

test('packages name their entries for kern, pi or omp: files and folders', async () => {
  const say = (name: string): string => `export default (pi) => { ${tool(name, "'ok'")} };`;
  const entry = (folder: string): string => `../home/extensions/${folder}`;
  await using h = await withFiles({
    [entry('one/package.json')]: `{ "pi": { "extensions": ["./src/a.ts", "./more"] } }`,
    [entry('one/src/a.ts')]: say('one_a'),
    [entry('one/more/b.js')]: say('one_b'),
    [entry('one/more/c/index.ts')]: say('one_c'),
    [entry('two/package.json')]: `{ "omp": { "extensions": ["index.js"] } }`,
    [entry('two/index.js')]: say('two'),
    [entry('three/package.json')]:
      `{ "kern": { "id": "mine", "extensions": ["x.ts"] }, "pi": { "extensions": ["y.ts"] } }`,
    [entry('three/x.ts')]: say('three'),
    [entry('tools.ts')]: say('same_name_as_a_builtin'),
  });
  const own = h.kern.kernel
    .snapshot()
    .activations.filter(({ level }) => level === 'user')
    .map(({ id }) => id);
  expect(own.sort()).toEqual(['ext.one.a', 'ext.one.b', 'ext.one.c', 'ext.tools', 'ext.two', 'mine']);
  expect(h.complaints()).toEqual([]);
});

test('code in the folder of another agent runs only where a person switched it on and trusted it', async () => {
  const files = {
    '../.pi/agent/extensions/theirs.ts': `export default (pi) => { ${tool('theirs', "'user'")} };`,
    '.pi/extensions/ours.ts': `export default (pi) => { ${tool('ours', "'project'")} };`,
  };
  const found = (h: Awaited<ReturnType<typeof withFiles>>): readonly string[] =>
    h.kern.kernel
      .snapshot()
      .activations.map(({ id }) => id)
      .filter((id) => id.startsWith('pi.'))
      .sort();
  {
    await using h = await withFiles(files);
    expect(found(h)).toEqual([]);
  }
  const on = { '../home/config.yml': 'providers:\n  pi: { code: true }\n' };
  {
    await using h = await withFiles({ ...files, ...on });
    expect(found(h)).toEqual(['pi.theirs']);
    const blocked = h.kern.kernel.journal.all().filter(({ code }) => code === 'blocked');
    expect(blocked.map(({ message }) => message)).toEqual([
      '.pi/extensions/ours.ts is blocked: this project is not trusted',
    ]);
  }
  {
    await using h = await withFiles({ ...files, ...on }, { trust: true });
    expect(found(h)).toEqual(['pi.ours', 'pi.theirs']);
    h.kern.watch();
    let writes = 0;
    // Until somebody watches, nobody hears of it.
    const isLoaded = (): boolean => {
      writes += 1;
      h.write(`.pi/extensions/late-${writes}.ts`, `export default (pi) => { ${tool('late', "'late'")} };`);
      return found(h).some((id) => id.startsWith('pi.late'));
    };
    await expect.poll(isLoaded, { timeout: 15_000, interval: 500 }).toBe(true);
  }
  // A project does not switch it on for itself.
  await using h = await withFiles(
    { ...files, '.kern/config.yml': 'providers:\n  pi: { code: true }\n' },
    { trust: true },
  );
  expect(found(h)).toEqual([]);
});

test('a flag of an extension stands in the help, is read from the line, and known to the extension', async () => {
  const source = `export default (pi) => {
    pi.registerFlag('plan', { type: 'boolean', description: 'Start in plan mode' });
    pi.registerFlag('who', { type: 'string', default: 'me', description: 'Who it is' });
    pi.on('before_agent_start', () => ({ message: { customType: 'flags', content: pi.getFlag('plan') + ' ' + pi.getFlag('who') } }));
  };`;
  await using desk = await openDesk({
    'flagged.ts': source,
    'hi.json': JSON.stringify({ version: 1, turns: [{ text: 'done' }] }),
  });
  const help = await desk.kern('-e', 'flagged.ts', '--help');
  expect(help.out).toMatch(/--plan +Start in plan mode\n/);
  expect(help.out).toMatch(/--who <\w+> +Who it is\n/);
  const lines = (
    await desk.kern('-e', 'flagged.ts', '--plan', '--who', 'Ada', '--mode', 'json', '--model', 'script/hi.json', 'hi')
  ).out
    .trim()
    .split('\n')
    .map(
      (line) =>
        JSON.parse(line) as { type: string; message?: { customType?: string; content: readonly { text: string }[] } },
    );
  const told = lines.find(({ type, message }) => type === 'message_start' && message?.customType === 'flags');
  expect(told?.message?.content[0]?.text).toBe('true Ada');
});
