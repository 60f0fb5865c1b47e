import { expect, test } from 'vitest';
import { openPlace, type Place, type Running } from './program.ts';

// What lies in a project is edited while one run goes on: first to something else, then so that it is broken, then so that
// it is whole again. The run waits for files of the test, and the end of its command tells kern what may have changed.

const call = (name: string, args: object = {}): object => ({ name, args });
/** A call that says that it has begun, and lasts until the test has done its part. */
const until = (name: string): object =>
  call('bash', { command: `echo > at-${name}; until [ -e ${name} ]; do sleep 0.05; done` });

async function begun(running: Running, place: Place, name: string): Promise<void> {
  const over = running.ended.then(({ out, err }) => {
    throw new Error(`it never came to ${name}:\n${out}\n${err}`);
  });
  await Promise.race([place.exists(`at-${name}`), over]);
  over.catch(() => {});
}

/** Tells the model what there is, as plugins see it, and the test what kern has noticed. */
const look = `
import { appendFileSync } from 'node:fs';
import { capabilityChanged, configChanged, definePlugin, pluginChanged } from 'kern/plugin';
import { mcpServers, skills, tools } from 'kern/contracts';
import { z } from 'zod';
const noticed = (what) => appendFileSync('noticed', what + '\\n');
export default definePlugin({ id: 'look', setup: (ctx) => {
  ctx.tap(capabilityChanged, ({ capability, changed }) => changed.forEach((key) => noticed(capability + ' ' + key)));
  ctx.tap(pluginChanged, ({ id, state }) => noticed(id + ' ' + state));
  ctx.tap(configChanged, () => noticed('config'));
  ctx.contribute(tools, {
  name: 'look', description: 'Looks.', parameters: z.object({ tag: z.string() }),
  execute: async (_id, { tag }) => {
    await Promise.all([ctx.use(mcpServers).load(), ctx.use(skills).load()]);
    const texts = await Promise.all(ctx.use(skills).items().map(async ({ name, read }) => name + '=' + (await read())));
    const servers = ctx.use(mcpServers).items().map(({ name, command }) => name + '=' + command);
    return { content: [{ type: 'text', text: [tag, ...texts, ...servers].join(' ') }] };
  } });
} });
`;

/** A tool that says a word, loudly if it is told to. */
const hello = (word: string): string => `
import { definePlugin } from 'kern/plugin';
import { tools } from 'kern/contracts';
import { z } from 'zod';
export default definePlugin({ id: 'hello', config: z.object({ loud: z.string().default('') }), setup: (ctx) => ctx.contribute(tools, {
  name: 'hello', description: 'Says hello.', parameters: z.object({ tag: z.string() }),
  execute: async (_id, { tag }) => ({ content: [{ type: 'text', text: tag + ' ${word} ' + ctx.config.loud }] }),
}) });
`;

/** Hooks that refuse a tool, with the tag of the call and a word. */
const hookOf = (matcher: string, word: string): string =>
  JSON.stringify({
    hooks: {
      PreToolUse: [
        {
          matcher,
          hooks: [
            {
              type: 'command',
              command: `echo "$(grep -oE '(before|after)-[0-9]' | head -1) ${matcher} ${word}" >&2; exit 2`,
            },
          ],
        },
      ],
    },
  });

/** All that is edited, whole: with a word that tells one edit from another. */
const whole = (word: string): Readonly<Record<string, string>> => ({
  'AGENTS.md': `Agents ${word}.`,
  '.claude/skills/review/SKILL.md': `---\nname: review\ndescription: Skill ${word}.\n---\n${word}`,
  '.kern/rules/tabs.md': `---\ndescription: Tabs.\nalwaysApply: true\n---\nRule ${word}.`,
  '.claude/commands/greet.md': `---\ndescription: Greets.\n---\nGreet ${word} $ARGUMENTS`,
  '.mcp.json': `{ "mcpServers": { "docs": { "command": "${word}" } } }`,
});
const wholeCode = (word: string): Readonly<Record<string, string>> => ({
  '.kern/extensions/hello.ts': hello(word),
  '.claude/settings.json': hookOf('Read', word),
  '.kern/hooks.json': hookOf('ls', word),
  'over.yml': `plugins: { hello: { loud: ${word.toUpperCase()} } }\n`,
});

/** The same, each broken in its way. */
const broken: Readonly<Record<string, string>> = {
  'AGENTS.md': 'Agents\0broken.',
  '.claude/skills/review/SKILL.md': '---\nname: review\ndescription: Skill broken.\n\nbroken',
  '.kern/rules/tabs.md': '---\ndescription: Tabs.\nalwaysApply: true\nand this\n---\nRule broken.',
  '.claude/commands/greet.md': '---\ndescription: "Greets.\n---\nGreet broken $ARGUMENTS',
  '.mcp.json': '{ "mcpServers": { "docs": { "command": "broken" } }',
};
const brokenCode: Readonly<Record<string, string>> = {
  '.kern/extensions/hello.ts': `${hello('broken')}\n{{{`,
  '.claude/settings.json': hookOf('Read', 'broken').slice(0, -1),
  '.kern/hooks.json': hookOf('ls', 'broken').replace('"command":', '"comand":'),
  'over.yml': 'plugins: { hello: [',
};

/** What is told of a broken one: the file, and what is wrong with it. */
const held = ' — what it said before goes on to hold$';
const notices = [
  `^kern: .*/AGENTS\\.md: is no text${held}`,
  `^kern: .*/review/SKILL\\.md: the head that begins in line 1 has no end: a line of --- is missing${held}`,
  `^kern: .*/tabs\\.md: line 4 is no "key: value"${held}`,
  `^kern: .*/greet\\.md: line 2: description cannot be read: Missing closing .*${held}`,
  `^kern: .*/\\.mcp\\.json: line 1: Expected .*${held}`,
];
const codeNotices = [
  `^kern: .*/settings\\.json: line 1: Expected .*${held}`,
  `^kern: .*/hooks\\.json: hooks\\.PreToolUse\\[\\d+\\]\\S* \\(matcher .*\\) has no command${held}`,
  '^. plugin hello changed, but the old one was kept: .*hello\\.ts:10 cannot be parsed',
  '^kern: cannot be parsed: .*; what it said before stays in force \\(.*over\\.yml:1\\)$',
];

const put = (place: Place, files: Readonly<Record<string, string>>): void => {
  for (const [name, text] of Object.entries(files)) place.write(name, text);
};

interface Step {
  /** What counts once the step has been taken. */
  readonly data: string;
  readonly code: string;
  readonly files: Readonly<Record<string, string>>;
  /** What kern says when it has noticed all of it: to plugins, a line each, and on stderr. */
  readonly noticed?: readonly string[];
  readonly said?: readonly string[];
}

const noticedData = [
  'context-file project:0',
  'skill review',
  'rule tabs',
  'slash-command greet',
  'mcp-server docs',
  'hook PreToolUse:Read:',
  'hook PreToolUse:ls:',
];

/** The turns of a run that looks, waits for each step, and looks again in the next turn. */
function turnsOf(steps: readonly Step[], first: Step): readonly object[] {
  const seen = (tag: string, { data, code }: Step): object => ({
    toolResult: [
      { tool: 'look', contains: `${tag} review=${data} docs=${data}` },
      { tool: 'hello', contains: `${tag} ${code} ${code.toUpperCase()}` },
      { tool: 'read', contains: `${tag} Read ${code}`, isError: true },
      { tool: 'ls', contains: `${tag} ls ${code}`, isError: true },
    ],
  });
  const looks = (tag: string): readonly object[] => [
    call('look', { tag }),
    call('hello', { tag }),
    call('read', { path: tag }),
    call('ls', { path: tag }),
  ];
  // What was told stays where it was: the last word counts.
  const told = ({ data }: Step): object => ({
    system: `/^(?![\\s\\S]*no longer hold)(?=[\\s\\S]*Agents ${data}\\.)(?=[\\s\\S]*Skill ${data}\\.)(?=[\\s\\S]*Rule ${data}\\.)(?![\\s\\S]*broken)/`,
  });
  return steps.flatMap((step, at) => {
    const before = steps[at - 1] ?? first;
    return [
      { expect: { last: `Greet ${before.data} ${at}` }, calls: looks(`before-${at}`) },
      { expect: { ...told(before), ...seen(`before-${at}`, before) }, calls: [until(`step-${at}`)] },
      { expect: told(step), calls: looks(`after-${at}`) },
      { expect: seen(`after-${at}`, step), text: `step ${at} done` },
    ];
  });
}

async function runThrough(place: Place, steps: readonly Step[], flags: readonly string[]): Promise<string> {
  const prompts = steps.flatMap((_, at) => [`/greet ${at}`]);
  const running = place.start([
    '-p',
    ...prompts,
    '--model',
    'script/s.json',
    '--no-session',
    '--yolo',
    '--config',
    'over.yml',
    ...flags,
  ]);
  for (const [at, { files, noticed = [], said = [] }] of steps.entries()) {
    await begun(running, place, `step-${at}`);
    const from = place.read('noticed').length;
    put(place, files);
    const isNoticed = (): boolean =>
      noticed.every((line) => place.read('noticed').slice(from).includes(line)) &&
      said.every((line) => new RegExp(line, 'm').test(running.err));
    const before = Date.now();
    // Where it is never noticed, what the turn expects says what is amiss.
    while (!isNoticed() && Date.now() - before < 10_000) await new Promise((resolve) => setTimeout(resolve, 20));
    place.write(`step-${at}`, '');
  }
  const { code, out, err } = await running.ended;
  expect({ code, last: out.trimEnd().split('\n').at(-1) }, err).toEqual({
    code: 0,
    last: `step ${steps.length - 1} done`,
  });
  return err;
}

test('every kind of file is live in the next turn of the same run; a broken edit keeps the old and is told, once', async () => {
  const noticed = [...noticedData, 'hello live', 'config'];
  const steps = [
    { data: 'two', code: 'two', files: { ...whole('two'), ...wholeCode('two') }, noticed },
    { data: 'two', code: 'two', files: { ...broken, ...brokenCode }, said: [...notices, ...codeNotices] },
    { data: 'three', code: 'three', files: { ...whole('three'), ...wholeCode('three') }, noticed },
  ];
  const first = { data: 'one', code: 'one', files: {} };
  using place = openPlace({
    '.git/HEAD': '',
    '.kern/extensions/look.ts': look,
    ...whole('one'),
    ...wholeCode('one'),
    's.json': JSON.stringify({ version: 1, turns: turnsOf(steps, first) }),
  });
  const err = await runThrough(place, steps, ['--trust']);
  for (const notice of [...notices, ...codeNotices])
    expect(err.match(new RegExp(notice, 'gm')) ?? [], `${notice}\n${err}`).toHaveLength(1);
  const news =
    /^↻ changed: context file \(here\), hook PreToolUse:Read:\S+, hook PreToolUse:ls:\S+, MCP server docs, rule tabs, skill review, and 1 more$/;
  const told = err.split('\n').filter((line) => line.startsWith('↻ changed'));
  expect(told).toEqual([expect.stringMatching(news), expect.stringMatching(news)]);
}, 90_000);

test('without trust what is data is live all the same, and code goes on as it was granted, with a notice', async () => {
  // The overlay of the config is the person's own.
  const { 'over.yml': _, ...code } = wholeCode('two');
  const noticed = [...noticedData, 'hello kept'];
  const steps = [{ data: 'two', code: 'one', files: { ...whole('two'), ...code }, noticed }];
  const first = { data: 'one', code: 'one', files: {} };
  using place = openPlace({
    '.git/HEAD': '',
    '.kern/extensions/look.ts': look,
    ...whole('one'),
    ...wholeCode('one'),
    's.json': JSON.stringify({ version: 1, turns: turnsOf(steps, first) }),
  });
  expect(await place.run('trust', 'grant')).toMatchObject({ code: 0 });
  const err = await runThrough(place, steps, []);
  expect(err).toMatch(/^. plugin hello changed, but the old one was kept: .*trust/m);
  for (const file of ['.claude/settings.json', '.kern/hooks.json'])
    expect(err.split(`the hooks of ${file} have changed and go on as they were: `)).toHaveLength(2);
  expect(err.match(/goes on to hold/g) ?? []).toEqual([]);
}, 60_000);
