import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  type AgentSession,
  agentSessions,
  type Message,
  type ModelRequest,
  modelRequest,
  type ScriptSource,
  skillsOffered,
} from 'kern/contracts';
import { definePlugin, type PluginDefinition } from 'kern/plugin';
import { bootKern, script } from 'kern/testing';
import { expect, onTestFinished, test } from 'vitest';
import { leftOutBy } from './wanted.ts';

const textOf = (message: Message | undefined): string =>
  message?.content.map((part) => ('text' in part ? part.text : '')).join('\n') ?? '';

interface Opened {
  readonly session: AgentSession;
  readonly requests: readonly ModelRequest[];
  readonly at: (name: string) => string;
}

const skill = (name: string, rest = '', body = `Do ${name}.`): string =>
  `---\nname: ${name}\ndescription: How to ${name}.\n${rest}---\n${body}\n`;

async function open(
  files: Readonly<Record<string, string>>,
  {
    turns = [{ text: 'ok' }],
    config,
    plugins = [],
    tools,
  }: {
    turns?: ScriptSource['turns'];
    config?: Readonly<Record<string, unknown>>;
    plugins?: readonly PluginDefinition[];
    tools?: readonly string[];
  } = {},
): Promise<Opened> {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'kern-skills-')));
  const at = (name: string): string => path.join(folder, name);
  for (const [name, text] of Object.entries({ '.git/HEAD': '', ...files })) {
    mkdirSync(path.dirname(at(name)), { recursive: true });
    writeFileSync(at(name), text);
  }
  const replies = script(turns);
  const requests: ModelRequest[] = [];
  const recorder = definePlugin({
    id: 'recorder',
    setup: (ctx) => ctx.tap(modelRequest, (request) => void requests.push(request)),
  });
  const kern = await bootKern([recorder, ...plugins], {
    cwd: folder,
    home: at('nobody'),
    config: { agent: { title: { enabled: false } }, ...(config === undefined ? {} : { skills: config }) },
  });
  await kern.view.use(agentSessions).load();
  const session = await kern.view.service(agentSessions).create({
    view: kern.view,
    cwd: folder,
    persist: false,
    model: replies.model,
    ...(tools === undefined ? {} : { tools }),
  });
  onTestFinished(async () => {
    await session[Symbol.asyncDispose]();
    await kern[Symbol.asyncDispose]();
    replies.dispose();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  return { session, requests, at };
}

const files = {
  '.kern/skills/review/SKILL.md': skill('review'),
  '.kern/skills/secret/SKILL.md': skill('secret', 'disable-model-invocation: true\n'),
  '.kern/skills/inner/SKILL.md': skill('inner', 'user-invocable: false\n'),
};

test('the model is told of skills by name, description and file, and not of their texts', async () => {
  const { session, requests } = await open(files);
  await session.prompt({ text: 'x' });
  const prompt = requests[0]?.systemPrompt ?? '';
  expect(prompt).toContain('- inner: How to inner. [.kern/skills/inner/SKILL.md]\n\n- review: How to review.');
  expect(prompt).not.toContain('secret');
  expect(prompt).not.toContain('Do review.');
});

test('a model without tools is told of none', async () => {
  const { session, requests } = await open(files, { tools: [] });
  await session.prompt({ text: 'x' });
  expect(requests[0]?.systemPrompt).not.toContain('There are skills');
});

test('/skill:name sends the text of the skill with what was said behind it', async () => {
  const { session, requests, at } = await open(files);
  await session.prompt({ text: '/skill:review the parser' });
  expect(textOf(requests[0]?.messages[0])).toBe(
    `<skill name="review" path="${at('.kern/skills/review/SKILL.md')}">\nPaths in it start from ${at('.kern/skills/review')}\n\nDo review.\n</skill>\n\nthe parser`,
  );
});

test('a skill has places for what is said behind it', async () => {
  const { session, requests } = await open({
    '.kern/skills/greet/SKILL.md': skill('greet', '', 'Greet $ARGUMENTS twice.'),
  });
  await session.prompt({ text: '/skill:greet the world' });
  expect(textOf(requests[0]?.messages[0])).toMatch(/Greet the world twice\.\n<\/skill>$/);
});

test.for([
  ['/skill:reviw x', /^There is no skill reviw\. Did you mean review\? Skills here: review, secret\./],
  ['/skill:inner', /^The skill inner is for the model alone/],
] as const)('%s is answered by kern, and no model is asked', async ([text, said]) => {
  const { session, requests } = await open(files);
  expect(await session.prompt({ text })).toMatchObject({
    status: 'error',
    error: { code: 'usage', message: expect.stringMatching(said) },
  });
  expect(requests).toEqual([]);
});

test('settings leave skills out, by names with *', async () => {
  const { session, requests } = await open(files, { config: { ignoredSkills: ['rev*'] } });
  await session.prompt({ text: 'x' });
  expect(requests[0]?.systemPrompt).not.toContain('review');
  expect(requests[0]?.systemPrompt).toContain('- inner:');
  expect(leftOutBy('a.b', { includeSkills: ['a.?'], ignoredSkills: [] })).toBeUndefined();
  expect(leftOutBy('axb', { includeSkills: ['a.*'], ignoredSkills: [] })).toBe('includeSkills');
});

test('a plugin decides which skills are offered', async () => {
  const picky = definePlugin({
    id: 'picky',
    setup: (ctx) => ctx.tap(skillsOffered, ({ skills }) => ({ skills: skills.filter(({ name }) => name === 'inner') })),
  });
  const { session, requests } = await open(files, { plugins: [picky] });
  await session.prompt({ text: 'x' });
  expect(requests[0]?.systemPrompt).toContain('- inner:');
  expect(requests[0]?.systemPrompt).not.toContain('review');
});

test('a skill in use, asked for or read by the model, is told again word for word after a compaction', async () => {
  const { session, requests } = await open(
    { ...files, '.kern/skills/lint/SKILL.md': skill('lint'), '.kern/skills/idle/SKILL.md': skill('idle') },
    {
      turns: [
        { text: 'one' },
        { calls: [{ name: 'read', args: { path: '.kern/skills/lint/SKILL.md' } }] },
        { text: 'two' },
        { text: 'three' },
      ],
    },
  );
  await session.prompt({ text: '/skill:review' });
  await session.prompt({ text: 'lint, please' });
  const { pins } = await session.compactWith({ instructions: 'short' });
  expect(pins.map(({ id, text }) => [id, text]).filter(([id]) => id?.startsWith('skill:'))).toEqual([
    ['skill:lint', 'Do lint.'],
    ['skill:review', 'Do review.'],
  ]);
  await session.prompt({ text: 'go on' });
  expect(requests.at(-1)?.messages.map(textOf).join('\n')).toContain('Do lint.');
});
