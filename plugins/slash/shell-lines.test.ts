import { existsSync } from 'node:fs';
import path from 'node:path';
import { bashOperations, toolCall } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { capturedUi } from 'kern/testing';
import { expect, test } from 'vitest';
import { openDesk } from '../cli/test/line.ts';
import { isAlive, openGround } from './test/ground.ts';

const untrusted = { check: async () => 'untrusted' as const };
const notRun = 'stand for the output of a command that has not been run';

test('lines and blocks run once, before the model reads the text, in the working directory', async () => {
  const g = await openGround({
    'a.txt': 'A',
    '.kern/commands/state.md':
      'Files: !`ls *.txt; echo once >> ran`.\n\n```!\necho one\necho two\n```\n\nNothing: (!`true`).\nx!`not a line` stays.',
  });
  expect(await g.send('/state')).toBe('Files: a.txt.\n\none\ntwo\n\nNothing: ().\nx!`not a line` stays.');
  expect(g.read('ran')).toBe('once\n');
  expect(g.kern.complaints()).toEqual([]);
});

test('what a person types is a word of a line, and brings no line of its own; neither does an output', async () => {
  const g = await openGround({
    '.claude/commands/say.md': 'You said $ARGUMENTS: !`echo $1`.',
    '.claude/commands/eval.md': 'It is !`eval "$1"`.',
    'lines.txt': '!`touch marker`',
    '.claude/commands/show.md': 'See !`cat lines.txt`.',
  });
  expect(await g.send(`/say 'x; touch marker $(touch marker) "' \`touch marker\` !\`touch marker\``)).toMatch(
    /: x; touch marker \$\(touch marker\) "\.$/,
  );
  expect(await g.send('/show')).toContain('See !`touch marker`.');
  expect(await g.send('/eval "touch marker; ls"')).toContain(notRun);
  expect(g.told()).toEqual([expect.stringContaining('a shell line of /eval')]);
  expect(g.told()[0]).toMatch(/\.claude\/commands\/eval\.md.*could become a command there/);
  expect(g.has('marker')).toBe(false);
});

test('commands of Gemini CLI have their own marks; arguments in them are one word', async () => {
  const g = await openGround({
    '.gemini/commands/find.toml': `prompt = "Found for {{args}}: !{for x in {{args}}; do echo \\"<$x>\\"; done} !{echo open"`,
  });
  expect(await g.send('/find a b; touch marker')).toContain(
    'Found for a b; touch marker: <a b; touch marker> !{echo open',
  );
  expect(g.told()[0]).toContain('the brace that ends it is missing');
  expect(g.has('marker')).toBe(false);
});

test('a line that fails shows what it printed and how it ended, and the text goes on', async () => {
  const g = await openGround({ '.kern/commands/bad.md': 'It says !`echo out; echo err >&2; exit 3` and !`echo on`.' });
  expect(await g.send('/bad')).toMatch(/^It says out\nerr\n\nCommand exited with code 3\.? and on\.$/);
});

test('a long output is cut, and says so; a line that takes too long is ended with all it has started', async () => {
  const g = await openGround(
    {
      '.kern/commands/long.md': 'It is !`seq 1 5000`.',
      '.kern/commands/slow.md': 'It is !`echo begun; sleep 600 & echo $! > pid; sleep 600`.',
    },
    { config: { slash: { shellTimeout: 1 } } },
  );
  const long = await g.send('/long');
  expect(long).toMatch(/^It is \[Cut: the last 10 KB of \d+ KB\]\n\d+\n/);
  expect(long).toMatch(/\n5000/);
  expect(long.length).toBeLessThan(11_000);
  expect(await g.send('/slow')).toMatch(/^It is begun\n\nCommand timed out after 1 s/);
  await expect.poll(() => isAlive(Number(g.read('pid'))), { timeout: 10_000 }).toBe(false);
});

test('who gives the prompt up ends the line that runs', async () => {
  const g = await openGround({ '.kern/commands/slow.md': 'It is !`echo $$ > pid; sleep 600`.' });
  const prompted = g.session.prompt({ text: '/slow' });
  await expect.poll(() => g.has('pid') && g.read('pid') !== '', { timeout: 20_000 }).toBe(true);
  g.session.abort();
  expect(await prompted).toMatchObject({ status: 'aborted' });
  await expect.poll(() => isAlive(Number(g.read('pid'))), { timeout: 10_000 }).toBe(false);
  expect(g.requests).toEqual([]);
});

test('skills have lines, and places in them', async () => {
  const g = await openGround({
    '.kern/skills/greet/SKILL.md': '---\nname: greet\ndescription: Greets.\n---\nSay !`echo hello "$1"` to $1.',
    '.kern/skills/time/SKILL.md': '---\nname: time\ndescription: Tells.\n---\nIt is !`echo now`.',
  });
  expect(await g.send(`/skill:greet "the world"`)).toMatch(/\n\nSay hello the world to the world\.\n<\/skill>$/);
  expect(await g.send('/skill:time in Rome')).toMatch(/\n\nIt is now\.\n<\/skill>\n\nin Rome$/);
});

test('prompt templates have them as well', async () => {
  const g = await openGround({ '.kern/prompts/state.md': 'It is !`echo $1`.' });
  expect(await g.send('/state fine')).toBe('It is fine.');
});

test('nothing of a project runs before it is trusted, and that is told once', async () => {
  const g = await openGround(
    {
      '.claude/commands/state.md': 'It is !`touch marker; echo ran`.',
      '.claude/skills/greet/SKILL.md': '---\nname: greet\ndescription: Greets.\n---\nSay !`touch marker`.',
    },
    { trust: untrusted },
  );
  expect(await g.send('/state')).toContain(`It is !\`touch marker; echo ran\`.\n\n(In this text,`);
  expect(await g.send('/state')).toContain(notRun);
  expect(await g.send('/skill:greet')).toContain('Say !`touch marker`.');
  expect(g.has('marker')).toBe(false);
  const [first, ...others] = g.told();
  expect(first).toMatch(
    /the shell lines of \/state \(.*\.claude\/commands\/state\.md\) do not run: nobody has trusted/,
  );
  expect(first).toContain('kern trust grant');
  expect(others).toEqual([expect.stringContaining('/skill:greet')]);
});

test("a person's own run without trust; those of another agent once its code is switched on", async () => {
  const files = {
    '../home/commands/mine.md': 'Mine: !`echo ran`.',
    '../user/.claude/commands/theirs.md': 'Theirs: !`echo ran`.',
  };
  const g = await openGround(files, { trust: untrusted });
  expect(await g.send('/mine')).toBe('Mine: ran.');
  expect(await g.send('/theirs')).toContain(notRun);
  expect(g.told().join()).toContain('providers: { claude: { code: true } } lets them run');
  const on = await openGround(files, {
    trust: untrusted,
    settings: { providers: { claude: { code: true } } },
  });
  expect(await on.send('/theirs')).toBe('Theirs: ran.');
  const off = await openGround(files, { settings: { providers: { claude: { code: false } } } });
  expect(await off.send('/theirs')).toContain(notRun);
  expect(off.kern.complaints()).toEqual([]);
});

const state = { '.kern/commands/state.md': '---\nallowed-tools: Bash\n---\nIt is !`touch marker; echo ran`.' };
const asks = { 'permissions.mode': 'ask' };

test.for([
  [{ 'permissions.mode': 'plan' }, 'mode plan'],
  [{ permissions: { rules: [{ deny: 'bash(touch *)' }] } }, 'deny bash(touch *)'],
  [asks, 'Nobody can be asked here'],
] as const)('permissions judge a line like a call of the model: %j', async ([settings, why]) => {
  const g = await openGround(state, { settings });
  expect(await g.send('/state')).toContain(notRun);
  expect(g.has('marker')).toBe(false);
  expect(g.told()).toEqual([expect.stringContaining(why)]);
});

test.for([true, false])('a person is asked about it, and says %s', async (answer) => {
  const ui = capturedUi([answer]);
  const g = await openGround(state, { settings: asks, ui });
  expect(await g.send('/state')).toContain(answer ? 'It is ran.' : notRun);
  expect(ui.shown).toEqual([expect.stringMatching(/^confirm: Allow bash\?: runs touch marker; echo ran/)]);
  expect(g.has('marker')).toBe(answer);
});

test("allowed-tools of a person's own command answers what would be asked, and no more", async () => {
  const head = '---\nallowed-tools: Bash(echo:*), Bash(touch:*)\n---\n';
  const files = {
    '../home/commands/mine.md': `${head}Mine: !\`echo ran\` !\`touch marker\` !\`echo a; touch marker\`.`,
    '.kern/commands/ours.md': `${head}Ours: !\`echo ran\`.`,
  };
  const rules = { permissions: { mode: 'ask', rules: [{ deny: 'bash(touch *)' }] }, ...asks };
  const g = await openGround(files, { settings: rules });
  expect(await g.send('/mine')).toContain('Mine: ran !`touch marker` !`echo a; touch marker`.');
  // What a project says of itself loosens nothing.
  expect(await g.send('/ours')).toContain('Ours: !`echo ran`.');
  expect(g.has('marker')).toBe(false);
});

test('plugins see a line as a call of bash, and may refuse it or run it elsewhere', async () => {
  const refuses = definePlugin({
    id: 'refuses',
    setup: (ctx) => ctx.tap(toolCall, ({ args }) => (args.command === 'id' ? { block: 'not this' } : undefined)),
  });
  const elsewhere = definePlugin({
    id: 'elsewhere',
    setup: (ctx) =>
      ctx.contribute(bashOperations, {
        async exec(command, _cwd, { onData }) {
          onData(Buffer.from(`<${command}> from afar\n`));
          return { exitCode: 0 };
        },
      }),
  });
  const g = await openGround(
    { '.kern/commands/who.md': 'I am !`id`, it is !`uname`.' },
    {
      plugins: [refuses, elsewhere],
    },
  );
  expect(await g.send('/who')).toContain('I am !`id`, it is <uname> from afar.');
  expect(g.told()).toEqual([expect.stringContaining('not this')]);
});

test('kern -p runs the lines of a trusted project, and of another it says what to do', async () => {
  await using desk = await openDesk({
    '.claude/commands/state.md': 'It is !`echo $1; touch marker`.',
    's.json': JSON.stringify({ version: 1, turns: [{ expect: { last: 'It is fine day.' }, text: 'good' }] }),
    'other.json': JSON.stringify({ version: 1, turns: [{ expect: { last: notRun }, text: 'as it stands' }] }),
  });
  const line = (model: string): readonly string[] => [
    '-p',
    '/state "fine day"',
    '--model',
    `script/${model}`,
    '--yolo',
  ];
  const before = await desk.kern(...line('other.json'));
  expect(before).toMatchObject({ code: 0, out: 'as it stands\n' });
  expect(before.err).toMatch(/the shell lines of \/state .*kern trust grant/);
  const marker = path.join(desk.project, 'marker');
  expect(existsSync(marker)).toBe(false);
  const trust = await desk.kern('trust');
  expect(trust.out).toMatch(/command:\/state +untrusted +claude +echo \$1; touch marker$/m);
  expect(await desk.kern(...line('s.json'), '--trust')).toEqual({ code: 0, out: 'good\n', err: expect.any(String) });
  expect(existsSync(marker)).toBe(true);
  expect((await desk.kern('trust', 'grant')).code).toBe(0);
  expect((await desk.kern(...line('s.json'))).out).toBe('good\n');
  desk.write('.claude/commands/state.md', 'It is !`echo $1; touch other`.');
  const changed = await desk.kern(...line('other.json'));
  expect(changed.err).toContain('what stands there is not what was trusted');
}, 60_000);
