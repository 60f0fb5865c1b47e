import { chmodSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openDesk } from './test/line.ts';

const script = JSON.stringify({ version: 1, turns: [{ text: 'hello' }] });

test('a home that cannot be made stops nothing that only reads, and a run says that nothing is kept', async () => {
  await using desk = await openDesk({ 's.json': script, 'no-folder': '' });
  const { kern } = desk.at({ KERN_HOME: path.join(desk.project, 'no-folder', 'home') });
  expect(await kern('--help')).toMatchObject({ code: 0, err: '' });
  expect(await kern('plugins', '--json')).toMatchObject({ code: 0 });
  const ran = await kern('-p', 'hi', '--model', 'script/s.json', '--no-session');
  expect(ran).toMatchObject({ code: 0, out: 'hello\n' });
  expect(ran.err).toContain('no-folder/home cannot be written, so nothing is kept there');
});

test('a home that is no folder, or leads nowhere, is not used', async () => {
  await using desk = await openDesk({ file: '' });
  symlinkSync(path.join(desk.project, 'nowhere'), path.join(desk.project, 'link'));
  for (const name of ['file', 'link']) {
    const { code, err } = await desk.at({ KERN_HOME: path.join(desk.project, name) }).kern('--help');
    expect({ name, code, err }).toEqual({ name, code: 1, err: expect.stringContaining('KERN_HOME') });
  }
});

test('a home that others may read is made private', async () => {
  await using desk = await openDesk({});
  chmodSync(desk.home, 0o755);
  expect(await desk.kern('--help')).toMatchObject({ code: 0 });
  expect((statSync(desk.home).mode & 0o777).toString(8)).toBe('700');
});

test('what a config file says wrong is told with its place when a run starts, each thing once', async () => {
  await using desk = await openDesk({ 's.json': script });
  writeFileSync(
    path.join(desk.home, 'config.yml'),
    'startup:\n  autoChdir: sometimes\nmodle: x\nplugins:\n  tools.raed: false\n  tools.bash: { enabled: 3 }\n',
  );
  const { code, out, err } = await desk.kern('-p', 'hi', '--model', 'script/s.json', '--no-session');
  expect({ code, out }).toEqual({ code: 0, out: 'hello\n' });
  for (const [line, words] of [
    [2, 'startup.autoChdir'],
    [3, 'modle'],
    [5, 'plugins.tools.raed'],
    [6, 'plugins.tools.bash.enabled'],
  ] as const) {
    const lines = err.split('\n').filter((text) => text.includes(`${words}: `));
    expect(lines, err).toEqual([expect.stringContaining(`config.yml:${line}`)]);
  }
});

test('while something of a project is blocked, nobody is told that its settings belong to no plugin', async () => {
  await using desk = await openDesk({
    's.json': script,
    '.kern/extensions/mine.ts': `export default { id: 'mine', setup() {} };`,
    '.kern/config.yml': 'plugins: { mine: { loud: true } }\n',
  });
  const blocked = await desk.kern('-p', 'hi', '--model', 'script/s.json', '--no-session');
  expect(blocked.err).toContain('did not run');
  expect(blocked.err).not.toContain('no such plugin');
  const trusted = await desk.kern('-p', 'hi', '--model', 'script/s.json', '--no-session', '--trust');
  expect(trusted.err).not.toContain('no such plugin');
});

test('rules that become wrong while kern runs refuse every call, and say where they stand', async () => {
  const break_ = 'printf \'permissions: { mode: all, rules: foo }\' > "$CONFIG"';
  await using desk = await openDesk({});
  const config = path.join(desk.home, 'config.yml');
  writeFileSync(config, 'permissions: { mode: all, rules: [{ deny: "bash(echo secret)" }] }\n');
  writeFileSync(
    path.join(desk.project, 's.json'),
    JSON.stringify({
      version: 1,
      turns: [
        { calls: [{ name: 'bash', args: { command: break_.replace('$CONFIG', config) } }] },
        { calls: [{ name: 'bash', args: { command: 'sleep 1' } }] },
        { calls: [{ name: 'bash', args: { command: 'echo secret' } }] },
        { text: 'done' },
      ],
    }),
  );
  const { out } = await desk.kern('-p', 'hi', '--mode', 'json', '--model', 'script/s.json', '--no-session');
  const results = out.split('\n').flatMap((line) => (line.includes('"tool_execution_end"') ? [JSON.parse(line)] : []));
  expect(results.at(-1)).toMatchObject({ isError: true });
  expect(JSON.stringify(results.at(-1))).toContain('permissions.rules');
});
