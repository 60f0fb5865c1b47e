import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { EntryReport, ProviderReport } from 'kern/contracts';
import { expect, test } from 'vitest';
import { openDesk } from '../test/line.ts';

const extension = `export default { id: 'finder', setup(ctx) {
  const tool = { token: 'capability', id: 'tool' };
  const made = (name) => ({ name, description: 'x', inputSchema: { type: 'object' }, execute: async () => ({ content: [{ type: 'text', text: name }] }) });
  ctx.provide(tool, { id: 'found', displayName: 'What was found', priority: 50, load: () => ({ items: [{ item: made('found_tool') }, { item: made('read') }], warnings: ['one was odd'] }) });
} };`;

const providersOf = async (
  desk: Awaited<ReturnType<typeof openDesk>>,
  ...more: string[]
): Promise<readonly ProviderReport[]> =>
  ((await desk.json('providers', ...more)) as { providers: readonly ProviderReport[] }).providers;

test('discovery providers are listed with counts and warnings, and so is everyone who offers items', async () => {
  await using desk = await openDesk({ 'finder.js': extension });
  const providers = await providersOf(desk, '-e', 'finder.js');
  expect(providers.find(({ id }) => id === 'found')).toEqual({
    id: 'found',
    displayName: 'What was found',
    priority: 50,
    state: 'on',
    counts: { tool: 2 },
    warnings: ['[What was found] one was odd'],
    levels: { user: { state: 'on' }, project: { state: 'on' } },
  });
  expect(providers.find(({ id }) => id === 'tools.read')).toMatchObject({ counts: { tool: 1 } });
});

test('--why names winner and loser of one key', async () => {
  await using desk = await openDesk({ 'finder.js': extension });
  const { capability, entries } = (await desk.json('providers', '--why', 'tool', 'read', '-e', 'finder.js')) as {
    capability: string;
    entries: readonly EntryReport[];
  };
  expect(capability).toBe('tool');
  expect(entries.map(({ key, verdict }) => [key, verdict.state])).toEqual([
    ['read', 'won'],
    ['read', 'shadowed'],
  ]);
  const [winner, loser] = entries;
  expect(winner?.origin).toMatchObject({ plugin: 'finder', provider: 'found' });
  expect(loser).toMatchObject({
    origin: { plugin: 'tools.read', level: 'builtin', priority: 100 },
    verdict: { by: { plugin: 'finder' } },
  });
  expect((await desk.kern('providers', '--why', 'tool', 'read', '-e', 'finder.js')).out).toContain(
    'shadowed by finder',
  );
});

test('a kind that is none is refused with the near one, and a word without --why is told of it', async () => {
  await using desk = await openDesk();
  expect((await desk.kern('providers', '--why', 'tol')).err).toContain('Did you mean tool?');
  expect((await desk.kern('providers', 'tool')).err).toContain('kern providers --why tool');
});

test('a provider is switched off and on in the config', async () => {
  await using desk = await openDesk({ 'finder.js': extension });
  const off = (await desk.json('providers', 'disable', 'found', '-e', 'finder.js')) as { file: string };
  expect(readFileSync(off.file, 'utf8')).toContain('found: false');
  expect((await providersOf(desk, '-e', 'finder.js')).find(({ id }) => id === 'found')).toMatchObject({ state: 'off' });
  expect((await desk.kern('tool', 'call', 'found_tool', '-e', 'finder.js')).code).toBe(2);
  await desk.kern('providers', 'enable', 'found', '-e', 'finder.js');
  expect((await desk.kern('tool', 'call', 'found_tool', '-e', 'finder.js')).out).toBe('found_tool\n');
});

const review = '---\nname: review\ndescription: Reviews.\n---\nReview.';
const found = {
  '.git/HEAD': '',
  '.kern/skills/review/SKILL.md': review,
  '.agents/skills/review/SKILL.md': review,
  '.agents/skills/silent/SKILL.md': '---\nname: silent\n---\n',
  '.mcp.json': '{ "mcpServers": { "docs": { "command": "./docs.sh" }, "web": { "url": "https://web.test" } } }',
  'docs.sh': 'exit 0',
  'ssh.json': 'not json',
};

interface Shown {
  readonly provider: ProviderReport;
  readonly items: readonly (EntryReport & { readonly capability: string })[];
}

test('one provider is shown with each of its items, and what came of it', async () => {
  await using desk = await openDesk(found);
  const { provider, items } = (await desk.json('providers', 'agents')) as Shown;
  expect(provider).toMatchObject({
    id: 'agents',
    counts: { skill: 2 },
    levels: { user: { state: 'on' }, project: { state: 'on' } },
  });
  expect(items.map(({ capability, key, verdict }) => [capability, key, verdict.state])).toEqual([
    ['skill', 'review', 'shadowed'],
    ['skill', 'silent', 'invalid'],
  ]);
  const { out } = await desk.kern('providers', 'agents');
  expect(out).toContain('shadowed by discovery.native (project): ');
  expect(out).toContain('invalid: description is missing');
  expect((await desk.kern('providers', 'ssh')).err).toContain('[ssh.json] ');
  expect((await desk.kern('providers', 'agent-s')).err).toContain('Did you mean agents');
});

test('what would run and is not trusted is listed as that; trust of the run makes it a winner', async () => {
  await using desk = await openDesk(found);
  const states = async (...more: string[]): Promise<readonly unknown[]> =>
    ((await desk.json('providers', 'mcp-json', ...more)) as Shown).items.map(({ key, verdict }) => [
      key,
      verdict.state,
    ]);
  expect(await states()).toEqual([
    ['docs', 'untrusted'],
    ['web', 'untrusted'],
  ]);
  expect(await states('--trust')).toEqual([
    ['docs', 'won'],
    ['web', 'won'],
  ]);
});

test('a level of a provider is switched by itself, and then nothing of it is read', async () => {
  await using desk = await openDesk(found);
  const { file } = (await desk.json('providers', 'disable', 'agents:project')) as { file: string };
  const written = (): string => readFileSync(file, 'utf8');
  expect(written()).toBe('providers:\n  agents:\n    user: true\n    project: false\n');
  const shown = (await desk.json('providers', 'agents')) as Shown;
  expect(shown.items).toEqual([]);
  expect(shown.provider).toMatchObject({
    state: 'on',
    levels: {
      user: { state: 'on' },
      project: { state: 'off', by: expect.stringContaining('providers.agents.project') },
    },
  });
  expect((await desk.kern('providers')).out).toMatch(/agents +project off/);
  await desk.kern('providers', 'disable', 'agents:user');
  expect(written()).toBe('providers:\n  agents: false\n');
  await desk.kern('providers', 'enable', 'agents:project');
  expect(written()).toBe('providers:\n  agents:\n    user: false\n    project: true\n');
  expect(((await desk.json('providers', 'agents')) as Shown).items).toHaveLength(2);
});

test('a single item is switched off, and the one behind it wins', async () => {
  await using desk = await openDesk(found);
  const verdicts = async (): Promise<readonly unknown[]> =>
    ((await desk.json('providers', '--why', 'skill', 'review')) as { entries: readonly EntryReport[] }).entries.map(
      ({ verdict }) => verdict.state,
    );
  await desk.kern('providers', 'disable', 'skill:review');
  expect(await verdicts()).toEqual(['disabled', 'disabled']);
  expect((await desk.kern('providers', 'disable', 'skill:revew')).err).toContain('Did you mean');
  await desk.kern('providers', 'enable', 'skill:review');
  expect(await verdicts()).toEqual(['won', 'shadowed']);
});

test('what a project’s config says about a provider of everyone is not heard', async () => {
  await using desk = await openDesk({ ...found, '.kern/config.yml': 'providers:\n  agents: false\n' });
  const { provider } = (await desk.json('providers', 'agents')) as Shown;
  expect(provider.levels?.user).toEqual({ state: 'on' });
});

test('folders that the settings name are a provider with levels, and skills that they leave out are listed as that', async () => {
  await using desk = await openDesk({
    ...found,
    'tools/skills/inner/SKILL.md': '---\nname: inner\ndescription: Inner.\n---\n',
  });
  const outside = path.join(path.dirname(desk.project), 'elsewhere');
  for (const [folder, name] of [
    [outside, 'outer'],
    [outside, 'review'],
  ] as const) {
    mkdirSync(path.join(folder, name), { recursive: true });
    writeFileSync(path.join(folder, name, 'SKILL.md'), `---\nname: ${name}\ndescription: Outer.\n---\n`);
  }
  const config = (more: object): void =>
    writeFileSync(
      path.join(desk.home, 'config.yml'),
      JSON.stringify({ plugins: { skills: { customDirectories: ['tools/skills', outside], ...more } } }),
    );
  const states = async (): Promise<readonly unknown[]> =>
    ((await desk.json('providers', 'custom')) as Shown).items.map(({ key, origin, verdict }) => [
      key,
      origin.level,
      verdict.state,
      'by' in verdict && typeof verdict.by === 'string' ? verdict.by : undefined,
    ]);
  config({});
  expect(await states()).toEqual([
    ['inner', 'project', 'won', undefined],
    ['outer', 'user', 'won', undefined],
    ['review', 'user', 'shadowed', undefined],
  ]);
  config({ ignoredSkills: ['out*'] });
  expect((await states())[1]).toEqual(['outer', 'user', 'disabled', 'plugins.skills.ignoredSkills']);
  config({ includeSkills: ['outer'] });
  expect((await states())[0]).toEqual(['inner', 'project', 'disabled', 'plugins.skills.includeSkills']);
  config({});
  await desk.kern('providers', 'disable', 'custom:user');
  expect(await states()).toEqual([['inner', 'project', 'won', undefined]]);
});

test('names, matchers and paths of files are shown without what a terminal would obey', async () => {
  const evil = 'a\u001b[2J\nb';
  await using desk = await openDesk({
    '.git/HEAD': '',
    '.mcp.json': JSON.stringify({ mcpServers: { [evil]: { command: 'x' } } }),
    '.kern/hooks.json': JSON.stringify({
      hooks: { PreToolUse: [{ matcher: evil, hooks: [{ type: 'command', command: 'true' }] }] },
    }),
    'AGENTS.md': 'Agents.',
    'CLAUDE.md': 'Claude.',
  });
  const lines = [
    ['providers'],
    ['providers', 'mcp-json'],
    ['providers', '--why', 'mcp-server'],
    ['providers', '--why', 'mcp-server', evil],
    ['providers', '--why', 'hook'],
    ['providers', '--why', 'tool', evil],
  ];
  const said = await Promise.all(lines.map(async (line) => (await desk.kern(...line)).out));
  expect(said.join('')).not.toContain('\u001b');
  expect(said.slice(1).map((out) => out.includes('a\\u{1b}[2J\\nb'))).toEqual([true, true, true, true, true]);
  // What gives way to another file is listed, too.
  expect((await desk.kern('providers', '--why', 'context-file', 'project:0')).out).toMatch(
    /shadowed by \S+ \(project\): \S+AGENTS\.md .*CLAUDE\.md/,
  );
});

test('a project that switches off what the person has on is told that it stays on, and gets none of the person’s own words', async () => {
  await using desk = await openDesk(found);
  writeFileSync(
    path.join(desk.home, 'config.yml'),
    'providers:\n  agents: { enabled: true, code: true, priority: 71 }\n',
  );
  const { out, err } = await desk.kern('providers', 'disable', 'agents', '--project');
  expect(out).toContain('agents stays on');
  expect(err).toContain('Your own config goes before the project');
  const { file, state } = (await desk.json('providers', 'disable', 'agents', '--project')) as {
    file: string;
    state: string;
  };
  expect(state).toBe('on');
  expect(readFileSync(file, 'utf8')).toBe('providers:\n  agents: false\n');
});
