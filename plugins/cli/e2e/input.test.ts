import { expect, test } from 'vitest';
import { openPlace } from './program.ts';

const script = (last: string): string => JSON.stringify({ version: 1, turns: [{ expect: { last }, text: 'good' }] });

test('what is piped in comes first in the message, and files are told before it', async () => {
  using place = openPlace({
    'a.txt': 'AAA\n',
    's.json': script('/^piped\\nfix it$/'),
  });
  const line = ['--mode', 'json', '@a.txt', 'fix it', '--model', 'script/s.json'];
  const { code, out, err } = await place.start(line, { stdin: 'piped' }).ended;
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const told = out
    .trim()
    .split('\n')
    .map((one) => JSON.parse(one))
    .flatMap(({ type, message }) => (type === 'message_end' ? [message] : []));
  expect(told.map(({ role }) => role)).toEqual(['custom', 'user', 'assistant']);
  expect(told[0].content[0].text).toContain('AAA');
});

test('what is piped in is the task where there is no other, also for kern alone', async () => {
  using place = openPlace({ 's.json': script('/^do this\\n$/') });
  expect(await place.start(['-p', '--model', 'script/s.json'], { stdin: 'do this\n' }).ended).toMatchObject({
    code: 0,
    out: 'good\n',
  });
  expect(await place.start([], { stdin: 'do this\n', env: { KERN_MODEL: 'script/s.json' } }).ended).toMatchObject({
    code: 0,
    out: 'good\n',
  });
  expect(await place.start([], { stdin: '' }).ended).toMatchObject({ code: 2, out: '' });
});

test('a pipe that stays silent holds up a message for a while only', async () => {
  using place = openPlace({ 's.json': script('/^hi$/') });
  const running = place.start(['-p', 'hi', '--model', 'script/s.json'], { stdin: 'open' });
  expect(await running.ended).toMatchObject({ code: 0, out: 'good\n' });
});

test('npm start without a model on a terminal shows the demo, and without one the usage', async () => {
  using place = openPlace();
  expect((await place.start([], { env: { KERN_FIRST_RUN: '1' } }).ended).out).toContain('The replies were scripted');
  expect(await place.run()).toMatchObject({ code: 2, out: '' });
}, 60_000);

test('the version is a line, or with --json a value', async () => {
  using place = openPlace();
  expect((await place.run('-V')).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(JSON.parse((await place.run('--version', '--json')).out)).toMatchObject({
    version: expect.any(String),
    node: process.versions.node,
  });
});

test('what an extension logs goes to stderr, whichever way it logs', async () => {
  const logs = `console.log('noise 1'); console.info('noise 2'); console.dir(['noise 3']); console.table(['noise 4']); imported.log('noise 5');`;
  using place = openPlace({
    's.json': script('/^hi$/'),
    '.kern/extensions/loud.js': `import imported from 'node:console';\nexport default { id: 'loud', setup() { ${logs} } };\n`,
  });
  for (const argv of [
    ['--mode', 'json', 'hi', '--model', 'script/s.json', '--trust'],
    ['plugins', '--json', '--trust'],
  ]) {
    const { code, out, err } = await place.run(...argv);
    expect({ code, noise: /noise \d/.test(out) }, err).toEqual({ code: 0, noise: false });
    for (const count of [1, 2, 3, 4, 5]) expect(err).toContain(`noise ${count}`);
  }
}, 60_000);
