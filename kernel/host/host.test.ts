import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { house, word } from './test/house.ts';

const user = (name: string): string => `home/extensions/${name}`;
const project = (name: string): string => `project/.kern/extensions/${name}`;

test('what the user, the project and the person at the keyboard bring is loaded, each as its own change', async () => {
  await using h = await house(
    {
      [user('a.ts')]: word('a', 'user'),
      [project('b.mjs')]: word('b', 'project'),
      'elsewhere/c.ts': word('c', 'named'),
      'elsewhere/d/index.ts': word('d', 'named'),
      'elsewhere/e/package.json': '{"kern": {"extensions": ["./main.js"]}, "type": "module"}',
      'elsewhere/e/main.js': word('e', 'named'),
    },
    { runTrust: true, explicit: ['elsewhere/c.ts', 'elsewhere/d', 'elsewhere/e'] },
  );
  await h.host.start();
  expect(h.words()).toEqual(['a: user', 'b: project', 'c: named', 'd: named', 'e: named']);
  expect(h.told).toEqual(['c live', 'd live', 'e live', 'a live', 'b live']);
  expect(h.kernel.known.map(({ definition, level }) => `${definition.id} ${level}`).sort()).toEqual([
    'a user',
    'b project',
    'c session',
    'd session',
    'e session',
    'listener builtin',
  ]);
});

test('one that is broken, in whatever way, stops none of the others', async () => {
  await using h = await house({
    [user('a.ts')]: word('a', 'fine'),
    [user('syntax.ts')]: 'export default {{{',
    [user('throws.ts')]: `throw new Error('at the top');`,
    [user('nothing.ts')]: `export const x = 1;`,
    [user('shape.ts')]: `export default { id: 'shape', requires: 'a', setup() {} };`,
    [user('setup.ts')]: `export default { id: 'setup', setup() { throw new Error('in setup'); } };`,
    [user('hangs.ts')]: `export default { id: 'hangs', setup: () => new Promise(() => {}) };`,
    [user('loads.ts')]: `await new Promise(() => {}); export default { id: 'loads', setup() {} };`,
    [user('z.ts')]: word('z', 'fine'),
  });
  await h.host.start();
  expect(h.words()).toEqual(['a: fine', 'z: fine']);
  expect(h.failures()).toEqual([
    'hangs: setup_late',
    'loads: load_late',
    'nothing: plugin_no_default',
    'setup: plugin_failed',
    'shape: plugin_bad_shape',
    'syntax: plugin_syntax',
    'throws: plugin_threw',
  ]);
});

test('a plugin that requires another comes after it, whatever their files are called', async () => {
  await using h = await house({
    [user('a.ts')]: word('a', 'last', `requires: ['m'],`),
    [user('m.ts')]: word('m', 'middle', `requires: ['z'],`),
    [user('z.ts')]: word('z', 'first'),
  });
  await h.host.start();
  expect(h.told).toEqual(['z live', 'm live', 'a live']);
  expect(h.failures()).toEqual([]);
});

test('what requires a plugin that failed joins when that is mended', async () => {
  await using h = await house({
    [user('a.ts')]: word('a', 'here', `requires: ['b'],`),
    [user('b.ts')]: `throw new Error('not yet');`,
  });
  await h.host.start();
  expect(h.failures()).toEqual(['a: requirement_missing', 'b: plugin_threw']);
  await h.watch();
  h.write(user('b.ts'), word('b', 'mended'));
  await h.become('a: here', 'b: mended');
  expect(h.failures()).toEqual([]);
});

test('a first load that failed is tried again when the file is mended, and when a missing import appears', async () => {
  await using h = await house({
    [user('a.ts')]: 'export default {{{',
    [user('b.ts')]: `import { text } from './late.ts';\n${word('b', 'x').replace("'x'", 'text')}`,
  });
  await h.host.start();
  expect(h.words()).toEqual([]);
  expect(h.failures()).toEqual(['a: plugin_syntax', 'b: plugin_missing_import']);
  await h.watch();
  h.write(user('a.ts'), word('a', 'mended'));
  await h.become('a: mended');
  h.write(user('late.ts'), `export const text = 'came';`);
  await h.become('a: mended', 'b: came');
  expect(h.failures().filter((line) => !line.startsWith('late'))).toEqual([]);
});

test('a missing import that appears between the load and the watching is seen', async () => {
  await using h = await house({
    [user('pack/index.ts')]: `import { text } from './late.ts';\n${word('b', 'x').replace("'x'", 'text')}`,
  });
  await h.host.start();
  h.write(user('pack/late.ts'), `export const text = 'came';`);
  await h.watch();
  expect(h.words()).toEqual(['b: came']);
});

test('an edit goes live, of the entry and of a helper, and two saves at once are one', async () => {
  await using h = await house({
    [user('pack/index.ts')]: `import { text } from './deep/text.ts';\n${word('a', 'x').replace("'x'", "text + ' 1'")}`,
    [user('pack/deep/text.ts')]: `export const text = 'one';`,
  });
  await h.host.start();
  await h.watch();
  expect(h.words()).toEqual(['a: one 1']);
  h.write(user('pack/deep/text.ts'), `export const text = 'two';`);
  await h.become('a: two 1');
  h.told.length = 0;
  h.write(user('pack/deep/text.ts'), `export const text = 'three';`);
  h.write(
    user('pack/index.ts'),
    `import { text } from './deep/text.ts';\n${word('a', 'x').replace("'x'", "text + ' 2'")}`,
  );
  await h.become('a: three 2');
  await h.settle();
  expect(h.told).toEqual(['a live']);
});

test('a broken edit keeps the old, says why, and the next good one goes live', async () => {
  await using h = await house({ [user('a.ts')]: word('a', 'good') });
  await h.host.start();
  await h.watch();
  h.told.length = 0;
  for (const [text, why] of [
    ['export default {{{', 'a.ts:1 cannot be parsed'],
    ['\n\nthrow new Error("not now");', 'a.ts:3 failed while it was loaded: not now'],
    [`import './nowhere.ts';`, 'which is not there'],
    ['export const nothing = 1;', 'has no plugin as its default export'],
    [word('a', 'bad', `requires: ['nobody'],`), 'requires nobody'],
    [
      `export default { id: 'a',\n setup() { throw new Error('no luck'); } };`,
      'a.ts:2: plugin a failed in setup: no luck',
    ],
  ] as const) {
    h.write(user('a.ts'), text);
    await h.until(
      () => h.told.some((line) => line.includes(why)),
      () => h.told,
    );
    expect(h.told.filter((line) => line.includes(why))).toEqual([
      expect.stringMatching(/^a kept: .*a\.ts.*\nsave a version that loads; kern plugins why a$/),
    ]);
    expect(h.journal().some((line) => line.startsWith('kept_old: kept the old: ') && line.includes(why))).toBe(true);
    expect(h.words()).toEqual(['a: good']);
  }
  h.write(user('a.ts'), word('a', 'better'));
  await h.become('a: better');
  expect(h.failures()).toEqual([]);
});

test('an entry that is deleted takes its dependents along after a second, and brings them back', async () => {
  await using h = await house({
    [user('a.ts')]: word('a', 'base'),
    [user('b.ts')]: word('b', 'on it', `requires: ['a'],`),
    [user('c.ts')]: word('c', 'alone'),
  });
  await h.host.start();
  await h.watch();
  h.remove(user('a.ts'));
  await h.become('c: alone');
  expect(h.told).toEqual(expect.arrayContaining(['a unloaded', 'b unloaded']));
  h.write(user('a.ts'), word('a', 'again'));
  await h.become('a: again', 'b: on it', 'c: alone');
  expect(h.failures()).toEqual([]);
});

test('an entry that is away for less than a second never goes', async () => {
  await using h = await house({ [user('a.ts')]: word('a', 'one') });
  await h.host.start();
  await h.watch();
  h.remove(user('a.ts'));
  await new Promise((resolve) => setTimeout(resolve, 200));
  h.write(user('a.ts'), word('a', 'two'));
  await h.become('a: two');
  expect(h.told).not.toContain('a unloaded');
});

test('one that was named by -e goes with its file, and comes back with it', async () => {
  await using h = await house({ 'elsewhere/a.ts': word('a', 'one') }, { explicit: ['elsewhere/a.ts'] });
  await h.host.start();
  await h.watch();
  h.remove('elsewhere/a.ts');
  await h.become();
  h.write('elsewhere/a.ts', word('a', 'two'));
  await h.become('a: two');
});

test('a renamed file stays the same plugin: its state is carried over', async () => {
  const counting = (mark: string): string => `
import { definePlugin, anything } from 'kern/plugin';
import { words } from 'test/words';
export default definePlugin({ id: 'a', setup(ctx) {
  const count = ctx.state('count', anything(), () => 0);
  ctx.contribute(words, { key: 'a', text: '${mark} ' + count.value });
  ctx.onStart(() => { count.value += 1; });
} });`;
  await using h = await house({
    [user('old.ts')]: counting('before'),
    [user('b.ts')]: word('b', 'on it', `requires: ['a'],`),
  });
  await h.host.start();
  await h.watch();
  expect(h.words()).toEqual(['a: before 0', 'b: on it']);
  h.rename(user('old.ts'), user('new.ts'));
  await h.until(() => h.states()['home/extensions/new.ts'] === 'loaded', h.states);
  await h.become('a: before 1', 'b: on it');
  h.write(user('new.ts'), counting('after'));
  await h.become('a: after 1', 'b: on it');
  expect(Object.keys(h.states()).sort()).toEqual(['home/extensions/b.ts', 'home/extensions/new.ts']);
  expect(h.told).not.toContain('a unloaded');
  expect(h.failures()).toEqual([]);
});

test('a file that changes its id is another plugin; one whose new id is taken stays what it was', async () => {
  await using h = await house({ [user('a.ts')]: word('a', 'one'), [user('b.ts')]: word('b', 'two') });
  await h.host.start();
  await h.watch();
  h.write(user('a.ts'), word('c', 'three'));
  await h.become('b: two', 'c: three');
  h.write(user('a.ts'), word('b', 'taken'));
  await h.until(() => h.failures().length > 0, h.failures);
  expect(h.failures()).toEqual(['c: id_taken']);
  expect(h.told.at(-1)).toMatch(/^c kept: the id b \(.*a\.ts\) is taken by .*b\.ts$/m);
  expect(h.words()).toEqual(['b: two', 'c: three']);
  h.write(user('a.ts'), word('a', 'back'));
  await h.become('a: back', 'b: two');
  expect(h.failures()).toEqual([]);
});

test('of two files with one id the second is refused, and takes over when the first goes', async () => {
  await using h = await house({ [user('a.ts')]: word('same', 'first'), [user('b.ts')]: word('same', 'second') });
  await h.host.start();
  expect(h.words()).toEqual(['same: first']);
  expect(h.failures()).toEqual(['b: id_taken']);
  expect(h.states()).toEqual({ 'home/extensions/a.ts': 'loaded', 'home/extensions/b.ts': 'failed' });
  await h.watch();
  h.remove(user('a.ts'));
  await h.become('same: second');
  expect(h.failures()).toEqual([]);
});

test('one id at two levels is two plugins, and the project goes before the user', async () => {
  await using h = await house(
    { [user('a.ts')]: word('a', 'user'), [project('a.ts')]: word('a', 'project') },
    { runTrust: true },
  );
  await h.host.start();
  expect(h.words()).toEqual(['a: project']);
  expect(h.failures()).toEqual([]);
});

test('the id of a built-in is taken, unless the user says that it replaces that', async () => {
  await using h = await house(
    {
      [user('a.ts')]: word('listener', 'mine'),
      [project('b.ts')]: word('listener', 'theirs', `replaces: 'listener',`),
    },
    { runTrust: true },
  );
  await h.host.start();
  expect(h.words()).toEqual([]);
  expect(h.failures()).toEqual(['listener: id_taken', 'listener: id_taken']);
});

test('a written file that is reported is live before any file event, also before watching began', async () => {
  await using h = await house({ [user('a.ts')]: word('a', 'one') });
  await h.host.start();
  h.kernel.touched([h.write(user('a.ts'), word('a', 'two'))]);
  await h.settle();
  expect(h.words()).toEqual(['a: two']);
  h.kernel.touched([h.write(user('b.ts'), word('b', 'new'))]);
  await h.settle();
  expect(h.words()).toEqual(['a: two', 'b: new']);
  h.write(user('b.ts'), word('b', 'by the shell'));
  h.kernel.touched([h.path('home')]);
  await h.settle();
  expect(h.words()).toEqual(['a: two', 'b: by the shell']);
  await h.watch();
  h.kernel.touched([h.write(user('c/index.ts'), word('c', 'watched'))]);
  await h.settle();
  h.kernel.touched([h.write(user('a.ts'), word('a', 'three'))]);
  await h.settle();
  expect(h.words()).toEqual(['a: three', 'b: by the shell', 'c: watched']);
});

test('nothing is watched for a report before watching has begun', async () => {
  await using h = await house({ [user('a.ts')]: word('a', 'one') });
  await h.host.start();
  h.kernel.touched([h.path('home'), h.path('project')]);
  await h.settle();
  h.write(user('a.ts'), word('a', 'two'));
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(h.words()).toEqual(['a: one']);
});

test('what came and went before watching began is noticed when it begins', async () => {
  await using h = await house({ [user('a.ts')]: word('a', 'one'), [user('b.ts')]: word('b', 'one') });
  await h.host.start();
  h.write(user('a.ts'), word('a', 'two'));
  h.write(user('c.ts'), word('c', 'new'));
  h.remove(user('b.ts'));
  await h.watch();
  await h.become('a: two', 'c: new');
});

test('extension folders that are made later are looked into', async () => {
  await using h = await house({}, { runTrust: true });
  await h.host.start();
  await h.watch();
  h.write(user('a.ts'), word('a', 'user'));
  await h.become('a: user');
  h.write(project('b.ts'), word('b', 'project'));
  await h.become('a: user', 'b: project');
});

test('a package that appears is loaded, and follows its package.json to another entry', async () => {
  await using h = await house({ [user('a.ts')]: word('a', 'one') });
  await h.host.start();
  await h.watch();
  h.write(user('pack/src/one.ts'), word('pack', 'one'));
  h.write(user('pack/src/two.ts'), word('pack', 'two'));
  h.write(user('pack/package.json'), '{"kern": {"extensions": ["src/one.ts"]}}');
  await h.become('a: one', 'pack: one');
  h.write(user('pack/package.json'), '{"kern": {"extensions": ["src/two.ts"]}}');
  await h.become('a: one', 'pack: two');
  await h.until(() => Object.keys(h.states()).length === 2, h.states);
  expect(h.failures()).toEqual([]);
  h.write(user('pack/package.json'), '{"kern": {"extensions": []}}');
  await h.become('a: one');
});

test('what was named by -e is loaded without trust, also without extensions', async () => {
  await using h = await house(
    { [user('a.ts')]: word('a', 'user'), [project('b.ts')]: word('b', 'project') },
    { noExtensions: true, explicit: [project('b.ts')] },
  );
  await h.host.start();
  expect(h.words()).toEqual(['b: project']);
});

test('what is named by -e and lies in an extension folder is one plugin, at the level of the person', async () => {
  await using h = await house(
    { [project('a.ts')]: word('a', 'one'), [user('b.ts')]: word('b', 'one') },
    { explicit: [project('a.ts'), user('b.ts')] },
  );
  await h.host.start();
  expect(h.words()).toEqual(['a: one', 'b: one']);
  expect(h.states()).toEqual({ [project('a.ts')]: 'loaded', [user('b.ts')]: 'loaded' });
  await h.watch();
  h.write(project('a.ts'), word('a', 'two'));
  await h.become('a: two', 'b: one');
  expect(h.told).not.toContain('.kern/extensions/a.ts blocked: this project is not trusted');
});

test('plugins that take long because there are many are not late', async () => {
  // Each keeps the one processor busy for a while before it goes on.
  const busy = (id: string): string => `
const until = Date.now() + 250;
while (Date.now() < until);
await new Promise((resolve) => setTimeout(resolve, 1));
${word(id, 'here')}`;
  const names = Array.from({ length: 16 }, (_, at) => `p${String(at).padStart(2, '0')}`);
  await using h = await house({
    ...Object.fromEntries(names.map((id) => [user(`${id}/index.ts`), `import './busy.ts';\n${word(id, 'here')}`])),
    ...Object.fromEntries(names.map((id) => [user(`${id}/busy.ts`), busy(id)])),
  });
  await h.host.start();
  expect(h.failures()).toEqual([]);
  expect(h.words()).toHaveLength(16);
});

test('a path of -e that is not there is said', async () => {
  await using h = await house({ 'empty/x.txt': '' }, { explicit: ['nowhere.ts'] });
  await expect(h.host.start()).rejects.toMatchObject({ code: 'extension_missing' });
  await using g = await house({ 'empty/x.txt': '' }, { explicit: ['empty'] });
  await expect(g.host.start()).rejects.toMatchObject({ code: 'extension_missing' });
});

test('thirty edits of thirty plugins at once are all live in the end, and nothing is left over', async () => {
  const names = Array.from({ length: 30 }, (_, at) => `p${String(at).padStart(2, '0')}`);
  await using h = await house(Object.fromEntries(names.map((id) => [user(`${id}.ts`), word(id, 'one')])));
  await h.host.start();
  await h.watch();
  for (const id of names) h.write(user(`${id}.ts`), word(id, 'two'));
  await h.become(...names.map((id) => `${id}: two`));
  await h.kernel.drained();
  const { created, disposed, live, draining } = h.kernel.counts;
  expect({ left: created - disposed, live, draining }).toEqual({ left: 31, live: 31, draining: 0 });
});

test('many reloads of a plugin of two files leave nothing behind', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const weights: WeakRef<object>[] = [];
  const shared = globalThis as { kernTestWeights?: WeakRef<object>[] };
  shared.kernTestWeights = weights;
  const entry = (at: number): string => `
import { definePlugin } from 'kern/plugin';
import { words } from 'test/words';
import { weigh } from './weight.ts';
const weight = weigh(${at});
export default definePlugin({ id: 'a', setup(ctx) {
  ctx.contribute(words, { key: 'a', text: '${at}', weight });
  ctx.interval(() => weight, 10_000);
  ctx.watch([ctx.where.root], () => weight);
  ctx.signal.addEventListener('abort', () => weight);
} });`;
  const helper = (at: number): string =>
    `export function weigh(at) { const weight = { at, bytes: new Array(5_000).fill(${at}) }; globalThis.kernTestWeights.push(new WeakRef(weight)); return weight; }`;
  // Of the kinds that a test runner has none of.
  const watchers = (): number =>
    process.getActiveResourcesInfo().filter((kind) => /^FS|Watch|Process/.test(kind)).length;
  const before = watchers();
  {
    await using h = await house({ [user('a/index.ts')]: entry(0), [user('a/weight.ts')]: helper(0) });
    await h.host.start();
    await h.watch();
    const reloads = process.env.KERN_SOAK === '1' ? 300 : 20;
    for (let at = 1; at <= reloads; at += 1) {
      const files = [h.write(user('a/weight.ts'), helper(at)), h.write(user('a/index.ts'), entry(at))];
      h.kernel.touched(files);
      await h.settle();
      expect(h.words()).toEqual([`a: ${at}`]);
    }
    await h.kernel.drained();
    for (let turn = 0; turn < 5; turn += 1) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      collect();
    }
    expect(weights.length).toBeGreaterThanOrEqual(reloads + 1);
    // The live one, and what the last call may still hold.
    expect(weights.filter((weight) => weight.deref() !== undefined).length).toBeLessThanOrEqual(3);
    expect(h.kernel.counts).toMatchObject({ live: 2, draining: 0 });
  }
  delete shared.kernTestWeights;
  expect(watchers()).toBeLessThanOrEqual(before);
});

test('a package whose package.json breaks goes on as it was, which is told with the file, and at a start it is told too', async () => {
  const fine = '{"kern": {"extensions": ["./one.ts"]}}';
  await using h = await house({
    [user('pack/package.json')]: fine,
    [user('pack/one.ts')]: word('pack', 'one'),
    [user('bad/package.json')]: '{"kern',
    [user('gone/package.json')]: '{"kern": {"extensions": ["./not.ts"]}}',
  });
  await h.host.start();
  expect(h.words()).toEqual(['pack: one']);
  expect(h.journal().join('\n')).toContain('bad/package.json');
  expect(h.journal().join('\n')).toContain('gone/not.ts is not there');
  await h.watch();
  h.write(user('pack/package.json'), '{"kern": ');
  await h.until(
    () => h.told.some((line) => line.startsWith('pack kept: ') && line.includes('pack/package.json')),
    () => h.told,
  );
  expect(h.words()).toEqual(['pack: one']);
  h.write(user('pack/package.json'), fine);
  h.write(user('pack/one.ts'), word('pack', 'two'));
  await h.become('pack: two');
});
