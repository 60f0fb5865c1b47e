import { rmSync } from 'node:fs';
import path from 'node:path';
import { contextFiles, mcpServers, rules, skills } from 'kern/contracts';
import { capabilityChanged, definePlugin } from 'kern/plugin';
import { expect, test } from 'vitest';
import { type House, openHouse } from '../../cli/test/house.ts';

const skill = (name: string, text: string): string => `---\nname: ${name}\ndescription: ${text}.\n---\n${text}`;
const patience = { timeout: 15_000, interval: 20 };

/** What is told of changes. */
async function listen(house: House): Promise<string[]> {
  const told: string[] = [];
  const listener = definePlugin({
    id: 'listener',
    setup: (ctx) =>
      ctx.tap(capabilityChanged, ({ capability, added, changed, removed }) => {
        told.push(...added.map((key) => `+${capability}:${key}`));
        told.push(...changed.map((key) => `~${capability}:${key}`));
        told.push(...removed.map((key) => `-${capability}:${key}`));
      }),
  });
  const unit = { key: 'user::listener', level: 'user' as const, source: 'test', definition: listener, revision: 1 };
  await house.change({ put: [unit] });
  return told;
}

/** The first look of a watcher is over. */
const begun = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 700));

test('what is added, edited and taken away is there, and told by name, without anyone asking again', async () => {
  await using house = await openHouse({
    '.git/HEAD': '',
    '.agents/skills/a/SKILL.md': skill('a', 'one'),
    '.agents/skills/b/SKILL.md': skill('b', 'one'),
    'AGENTS.md': 'first',
  });
  const { view, project } = house;
  for (const kind of [skills, rules, contextFiles, mcpServers]) await view.use(kind as typeof skills).load();
  const told = await listen(house);
  await begun();
  const names = (): readonly string[] =>
    view
      .use(skills)
      .items()
      .map(({ name }) => name);
  expect(names()).toEqual(['a', 'b']);

  house.write('.agents/skills/a/SKILL.md', skill('a', 'two'));
  await expect.poll(() => told, patience).toEqual(['~skill:a']);
  expect(view.use(skills).get('a')?.item.description).toBe('two.');
  expect(await view.use(skills).get('a')?.item.read()).toBe('two');

  house.write('.agents/skills/c/SKILL.md', skill('c', 'new'));
  await expect.poll(names, patience).toEqual(['a', 'b', 'c']);
  rmSync(path.join(project, '.agents/skills/b'), { recursive: true });
  await expect.poll(names, patience).toEqual(['a', 'c']);

  house.write('.kern/rules/tabs.md', 'Use tabs.');
  await expect
    .poll(
      () =>
        view
          .use(rules)
          .items()
          .map(({ name }) => name),
      patience,
    )
    .toEqual(['tabs']);
  house.write('AGENTS.md', 'second');
  await expect.poll(() => told.includes('~context-file:project:0'), patience).toBe(true);
  house.write('.mcp.json', '{"mcpServers":{"x":{"command":"x"},"y":{"command":"y"}}}');
  await expect.poll(() => view.use(mcpServers).items().length, patience).toBe(2);
  house.write('.mcp.json', '{"mcpServers":{"x":{"command":"x"},"y":{"command":"z"}}}');
  await expect.poll(() => told.at(-1), patience).toBe('~mcp-server:y');
  expect(told).toEqual([
    '~skill:a',
    '+skill:c',
    '-skill:b',
    // It slept until there was something of its own.
    '+places:native',
    '+rule:tabs',
    '~context-file:project:0',
    '+places:mcp-json',
    '+mcp-server:x',
    '+mcp-server:y',
    '~mcp-server:y',
  ]);
}, 60_000);

test('a build within a skill, and what another agent keeps in its folder, ask nobody', async () => {
  await using house = await openHouse({
    '.git/HEAD': '',
    '.agents/skills/a/SKILL.md': skill('a', 'one'),
    '.agents/skills/a/target/x': '',
    '.agents/log/x': '',
  });
  const { view } = house;
  await view.use(skills).load();
  await begun();
  const told = await listen(house);
  const before = house.revision();
  for (let nth = 0; nth < 50; nth += 1) house.write(`.agents/skills/a/target/${nth}`, 'built');
  for (let nth = 0; nth < 50; nth += 1) house.write('.agents/log/x', String(nth));
  await begun();
  expect(house.revision()).toBe(before);
  house.write('.agents/skills/a/SKILL.md', skill('a', 'two'));
  await expect.poll(() => told, patience).toEqual(['~skill:a']);
}, 60_000);

test('a build that writes 5,000 files where rules are looked for asks a few times, not once a file', async () => {
  await using house = await openHouse({ '.git/HEAD': '', '.kern/rules/tabs.md': 'Use tabs.', '.kern/rules/out/x': '' });
  const { view } = house;
  const reader = view.use(rules);
  await reader.load();
  await begun();
  const before = house.revision();
  for (let nth = 0; nth < 5_000; nth += 1) {
    house.write(`.kern/rules/out/${nth}.o`, '');
    if (nth % 50 !== 0) continue;
    house.write('.kern/rules/tabs.md', `Use ${nth} tabs.`);
    await new Promise(setImmediate);
  }
  const read = async (): Promise<string | undefined> => reader.get('tabs')?.item.read();
  await expect.poll(read, patience).toBe('Use 4950 tabs.');
  await begun();
  // Windows close when it is quiet, and once a second while it is not.
  expect(house.revision() - before).toBeLessThan(50);
  expect(reader.items().map(({ name }) => name)).toEqual(['tabs']);
}, 60_000);
