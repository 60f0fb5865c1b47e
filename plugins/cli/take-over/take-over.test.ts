import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type CommandHost, type Workbench, workbench } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { bootKernel, capturedUi } from 'kern/testing';
import { expect, test } from 'vitest';
import { offerSettings } from '../run/first-start.ts';
import { type Desk, openDesk } from '../test/line.ts';
import takeOverPlugin from './index.ts';

/** Files of another program beside the desk's project, where HOME is. */
function elsewhere(desk: Desk, name: string, text: string): string {
  const file = path.join(path.dirname(desk.home), name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const piSettings = {
  defaultProvider: 'anthropic',
  defaultModel: 'claude-x',
  defaultThinkingLevel: 'high',
  theme: 'dark',
  steeringMode: 'all',
  compaction: { enabled: false, reserveTokens: 9_000, modelOverrides: { a: 1 } },
  retry: { maxRetries: 5, maxAgentDelayMs: 30_000, provider: { timeoutMs: 5 } },
  enabledModels: ['a/*'],
  packages: ['npm:x'],
  shellPath: '/bin/zsh',
  defaultProjectTrust: 'always',
};

test('the settings of pi become those of kern; what has no place is listed with the reason', async () => {
  await using desk = await openDesk({ x: '' });
  const file = elsewhere(desk, '.pi/agent/settings.json', JSON.stringify(piSettings));
  const result = await desk.json('config', 'import', 'pi');
  expect(result).toMatchObject({ program: 'pi', file, dryRun: false, providers: [] });
  const { taken, left } = result as { taken: { key: string; value: unknown }[]; left: { from: string; why: string }[] };
  expect(Object.fromEntries(taken.map(({ key, value }) => [key, value]))).toEqual({
    model: 'anthropic/claude-x',
    thinking: 'high',
    theme: 'dark',
    'plugins.agent.steeringMode': 'all',
    'plugins.agent.compaction.enabled': false,
    'plugins.agent.compaction.reserveTokens': 9_000,
    'plugins.agent.retry.maxRetries': 5,
    'plugins.agent.retry.maxDelayMs': 30_000,
    'plugins.tools.bash.shellPath': '/bin/zsh',
  });
  expect(left.map(({ from }) => from).sort()).toEqual([
    'compaction.modelOverrides.a',
    'defaultProjectTrust',
    'enabledModels',
    'packages',
    'retry.provider.timeoutMs',
  ]);
  expect(left.find(({ from }) => from === 'defaultProjectTrust')?.why).toContain('never taken over');
  expect(await desk.json('config', 'get', 'plugins.agent.compaction.reserveTokens')).toMatchObject({ value: 9_000 });
  expect(await desk.json('config', 'get', 'model')).toMatchObject({ value: 'anthropic/claude-x' });
  expect((await desk.kern('config')).err).toBe('');
});

test('a dry run writes nothing, and checks as the real one does', async () => {
  await using desk = await openDesk({ x: '' });
  elsewhere(desk, '.pi/agent/settings.json', '{"defaultThinkingLevel": "auto", "steeringMode": "all"}');
  const { out, code } = await desk.kern('config', 'import', 'pi', '--dry-run');
  expect(code).toBe(0);
  expect(out).toMatch(
    /would be taken over from .*settings\.json \(pi\):\n {2}plugins\.agent\.steeringMode +"all"\nnot taken over:\n {2}defaultThinkingLevel +thinking: expected one of off/,
  );
  expect(existsSync(path.join(desk.home, 'config.yml'))).toBe(false);
});

test('what the person has set in kern already stays', async () => {
  await using desk = await openDesk({ x: '' });
  elsewhere(desk, '.pi/agent/settings.json', JSON.stringify(piSettings));
  writeFileSync(path.join(desk.home, 'config.yml'), '# mine\nthinking: low\n');
  expect((await desk.kern('config', 'import', 'pi')).out).toContain('thinking is set in kern already');
  expect(readFileSync(path.join(desk.home, 'config.yml'), 'utf8')).toMatch(/^# mine\nthinking: low\n/);
});

test('oh-my-pi: YAML, roles of models, and what is switched off by a number below zero', async () => {
  await using desk = await openDesk({ x: '' });
  elsewhere(
    desk,
    '.omp/agent/config.yml',
    `modelRoles: { default: "openai/gpt-x:high", smol: openai/gpt-small, plan: a/b }
compaction: { strategy: context-full, thresholdPercent: -1, keepRecentTokens: 100 }
symbolPreset: nerd
colorBlindMode: true
theme: { dark: titanium }
edit: { mode: patch }
disabledProviders: [codex]
tools: { approvalMode: yolo }
`,
  );
  const { taken, left } = (await desk.json('config', 'import', 'oh-my-pi')) as {
    taken: { key: string; value: unknown }[];
    left: { from: string }[];
  };
  expect(Object.fromEntries(taken.map(({ key, value }) => [key, value]))).toEqual({
    model: 'openai/gpt-x',
    'plugins.agent.title.model': 'openai/gpt-small',
    'plugins.agent.compaction.keepRecentTokens': 100,
    symbolPreset: 'nerd',
    colorBlindMode: true,
    'plugins.tools.edit.format': 'patch',
    disabledProviders: ['codex'],
  });
  expect(left.map(({ from }) => from).sort()).toEqual(['modelRoles.plan', 'theme.dark', 'tools.approvalMode']);
});

test('oh-my-pi: the database of older versions', async () => {
  await using desk = await openDesk({ x: '' });
  const file = elsewhere(desk, '.omp/agent/agent.db', '');
  const db = new DatabaseSync(file);
  db.exec(
    `CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT); INSERT INTO settings VALUES ('steeringMode', '"all"'), ('retry', '{"maxRetries": 7}')`,
  );
  db.close();
  const { taken } = (await desk.json('config', 'import', 'oh-my-pi')) as { taken: { key: string }[] };
  expect(taken.map(({ key }) => key)).toEqual(['plugins.agent.steeringMode', 'plugins.agent.retry.maxRetries']);
});

const models = {
  providers: {
    near: {
      baseUrl: 'http://localhost:1/v1',
      api: 'openai-completions',
      apiKey: 'NEAR_KEY',
      models: [{ id: 'm', maxTokens: 5 }],
    },
    far: {
      baseUrl: 'https://far.test',
      api: 'anthropic-messages',
      apiKey: 'sk-very-secret',
      headers: { x: 'also-secret' },
      models: [],
    },
    odd: { baseUrl: 'https://odd.test', api: 'bedrock' },
  },
};

test('providers come along, their keys only when they are asked for', async () => {
  await using desk = await openDesk({ x: '' });
  elsewhere(desk, '.pi/agent/settings.json', '{}');
  elsewhere(desk, '.pi/agent/models.json', JSON.stringify(models));
  elsewhere(desk, '.pi/agent/auth.json', '{"anthropic":{"type":"api_key","key":"sk-hidden"},"x":{"type":"oauth"}}');
  const file = path.join(desk.home, 'models.yml');
  const { out } = await desk.kern('config', 'import', 'pi');
  expect(out).toContain('kern reads the key from ANTHROPIC_API_KEY');
  expect(out).toMatch(/auth: x +sign-ins are not taken over/);
  expect(out).toMatch(/models: far\.apiKey +a key in clear: --keys takes it along/);
  expect(out).toMatch(/models: odd +kern does not speak "bedrock"/);
  const first = readFileSync(file, 'utf8');
  expect(first).toContain('$NEAR_KEY');
  expect(first + out).not.toMatch(/secret|hidden/);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect((await desk.kern('--list-models')).err).not.toContain('models.yml');

  // What is there stays as it is.
  writeFileSync(file, '# mine\nproviders:\n  near: { wire: anthropic, baseUrl: http://other } # kept\n');
  expect((await desk.kern('config', 'import', 'pi', '--keys')).out).toMatch(
    /models: near +models\.yml has one of that name/,
  );
  expect(readFileSync(file, 'utf8')).toMatch(
    /^# mine\nproviders:\n {2}near: \{ wire: anthropic, baseUrl: http:\/\/other \} # kept\n/,
  );
  expect(readFileSync(file, 'utf8')).toContain('sk-very-secret');
});

test('what is not there, cannot be read or is unknown is said', async () => {
  await using desk = await openDesk({ x: '' });
  expect((await desk.kern('config', 'import', 'pi')).err).toContain('.pi/agent/settings.json is not there');
  expect((await desk.kern('config', 'import', 'oh-my-pie')).err).toContain('Did you mean oh-my-pi?');
  elsewhere(desk, '.pi/agent/settings.json', '{"a": ');
  const { code, err } = await desk.kern('config', 'import', 'pi');
  expect(code).toBe(2);
  expect(err).toContain('cannot be read');
});

/** The offer, as a person who answers so would see it. */
async function offered(desk: Desk, answers: readonly (string | boolean | undefined)[], available = true) {
  const ui = { ...capturedUi(answers), available };
  const said: string[] = [];
  const set: string[] = [];
  const config = {
    files: () => [{ layer: 'user', file: '', exists: existsSync(path.join(desk.home, 'config.yml')), shadowed: false }],
    get: async (key: string) => ({ key, value: undefined, origin: { layer: 'default' } }),
    set: async (key: string) => {
      set.push(key);
      return 'config.yml';
    },
  };
  const bench = { home: desk.home, config } as unknown as Workbench;
  const plugin = definePlugin({ id: 'bench', declares: [workbench], setup: (ctx) => ctx.contribute(workbench, bench) });
  await using t = await bootKernel([plugin, takeOverPlugin], { ui });
  const env = { HOME: path.dirname(desk.home) };
  await offerSettings({ view: t.view, env, say: (line: string) => said.push(line) } as unknown as CommandHost);
  return { asked: ui.shown, said, set };
}

test('the first start asks once, and takes over what the person wants', async () => {
  await using desk = await openDesk({ x: '' });
  elsewhere(desk, '.pi/agent/settings.json', '{"steeringMode": "all"}');
  const first = await offered(desk, [true]);
  expect(first.asked).toEqual([expect.stringMatching(/^confirm: Take over your settings of pi\?: .*settings\.json/)]);
  expect(first.set).toEqual(['plugins.agent.steeringMode']);
  expect(first.said.join('\n')).toContain('taken over from');
  expect(await offered(desk, [true])).toEqual({ asked: [], said: [], set: [] });
});

test('of two programs the person chooses one, or none', async () => {
  for (const [answer, taken] of [
    ['no', []],
    [undefined, []],
    ['oh-my-pi', ['symbolPreset']],
  ] as const) {
    await using desk = await openDesk({ x: '' });
    elsewhere(desk, '.pi/agent/settings.json', '{"steeringMode": "all"}');
    const file = elsewhere(desk, '.omp/agent/config.yml', 'symbolPreset: ascii\n');
    const { set, asked } = await offered(desk, [answer === 'oh-my-pi' ? `oh-my-pi (${file})` : answer]);
    expect(asked).toHaveLength(1);
    expect(set).toEqual(taken);
  }
});

test('where nobody can be asked there is one line, once', async () => {
  await using desk = await openDesk({ x: '' });
  elsewhere(desk, '.pi/agent/settings.json', '{"steeringMode": "all"}');
  expect(await offered(desk, [], false)).toEqual({
    asked: [],
    set: [],
    said: ['kern: there are settings of pi; `kern config import pi` takes them over'],
  });
  expect((await offered(desk, [], false)).said).toEqual([]);
});

test('nothing is said where there is a config, or nothing to take over', async () => {
  await using desk = await openDesk({ x: '' });
  expect(await offered(desk, [true])).toEqual({ asked: [], said: [], set: [] });
  elsewhere(desk, '.pi/agent/settings.json', '{"steeringMode": "all"}');
  writeFileSync(path.join(desk.home, 'config.yml'), 'thinking: low\n');
  expect(await offered(desk, [true])).toEqual({ asked: [], said: [], set: [] });
});
