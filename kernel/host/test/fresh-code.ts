import assert from 'node:assert/strict';
import { modules } from './modules.ts';
import { exported, failure, helperOf, moduleFolder, type Scenario } from './scenario.ts';

const entryOf: Readonly<Record<string, (helper: string) => string>> = {
  ts: (helper) =>
    `import { value } from '${helper}';\nconst typed: string = value;\nexport default { value: typed };\n`,
  mts: (helper) =>
    `import { value } from '${helper}';\nconst typed: string = value;\nexport default { value: typed };\n`,
  js: (helper) => `import { value } from '${helper}';\nexport default { value };\n`,
  mjs: (helper) => `import { value } from '${helper}';\nexport default { value };\n`,
  cjs: (helper) => `const { value } = require('${helper}');\nmodule.exports = { value };\n`,
};

function pairs(): Record<string, Scenario> {
  const found: Record<string, Scenario> = {};
  for (const [entry, entryText] of Object.entries(entryOf)) {
    for (const [helper, helperText] of Object.entries(helperOf)) {
      found[`a .${entry} sees its .${helper} as it was saved last`] = async (bench) => {
        if (entry === 'js' || helper === 'js') bench.write('package.json', moduleFolder);
        bench.write(`entry.${entry}`, entryText(`./helper.${helper}`));
        for (const value of ['one', 'two', 'three']) {
          bench.write(`helper.${helper}`, helperText(value));
          const loaded = await bench.load(`entry.${entry}`);
          assert.equal(exported(loaded), value);
          assert.deepEqual(
            [...loaded.files].sort(),
            [bench.path(`entry.${entry}`), bench.path(`helper.${helper}`)].sort(),
          );
        }
      };
    }
    found[`a .${entry} is itself read again`] = async (bench) => {
      if (entry === 'js') bench.write('package.json', moduleFolder);
      for (const value of ['one', 'two']) {
        bench.write(
          `entry.${entry}`,
          entry === 'cjs' ? `module.exports = { value: '${value}' };\n` : `export default { value: '${value}' };\n`,
        );
        assert.equal(exported(await bench.load(`entry.${entry}`)), value);
      }
    };
  }
  return found;
}

export const scenarios: Readonly<Record<string, Scenario>> = {
  ...pairs(),

  async 'a file reached through a second file is read again'(bench) {
    bench.write(
      'entry.ts',
      `export { value } from './middle.mjs';\nimport { value } from './middle.mjs';\nexport default { value };\n`,
    );
    bench.write(
      'middle.mjs',
      `import data from './deep/data.json' with { type: 'json' };\nexport const value = data.value;\n`,
    );
    for (const value of ['one', 'two']) {
      bench.write('deep/data.json', JSON.stringify({ value }));
      const loaded = await bench.load('entry.ts');
      assert.equal(exported(loaded), value);
      assert.equal(loaded.files.length, 3);
    }
  },

  async 'a .js without a package.json is CommonJS or an ES module by what it says'(bench) {
    bench.write('entry.js', `module.exports = { value: require('./helper.js').value };\n`);
    bench.write('helper.js', `exports.value = 'one';\n`);
    assert.equal(exported(await bench.load('entry.js')), 'one');
    bench.write('helper.js', `export const value = 'two';\n`);
    assert.equal(exported(await bench.load('entry.js')), 'two');
    bench.write('entry.js', `import { value } from './helper.js';\nexport default { value };\n`);
    bench.write('helper.js', `exports.value = 'three';\n`);
    assert.equal(exported(await bench.load('entry.js')), 'three');
  },

  async 'what createRequire makes reads own files afresh'(bench) {
    for (const from of ['node:module', 'module']) {
      bench.write(
        'entry.mjs',
        `import { createRequire } from '${from}';\nconst need = createRequire(import.meta.url);\n` +
          `export default { value: need('./helper.cjs').value, data: need('./data.json').value, host: need('zod').z.mark };\n`,
      );
      for (const value of ['one', 'two']) {
        bench.write('helper.cjs', `exports.value = '${value}';\n`);
        bench.write('data.json', JSON.stringify({ value }));
        const loaded = await bench.load('entry.mjs');
        assert.deepEqual({ ...(loaded.exports as object) }, { value, data: value, host: 'the zod of the host' });
        assert.equal(loaded.files.length, 3);
      }
    }
  },

  async 'two saves, one load: the last is what runs'(bench) {
    bench.write('entry.ts', `export default { value: 'one' };\n`);
    assert.equal(exported(await bench.load('entry.ts')), 'one');
    bench.write('entry.ts', `export default { value: 'two' };\n`);
    bench.write('entry.ts', `export default { value: 'three' };\n`);
    assert.equal(exported(await bench.load('entry.ts')), 'three');
  },

  async 'atomic rename, truncate-then-write, delete and restore'(bench) {
    const text = (value: string): string => `export default { value: '${value}' };\n`;
    for (const name of ['entry.ts', 'entry.mjs']) {
      bench.write(name, text('one'));
      assert.equal(exported(await bench.load(name)), 'one');
      bench.replace(name, text('two'));
      assert.equal(exported(await bench.load(name)), 'two');
      bench.write(name, '');
      assert.equal(exported(await bench.load(name)), undefined);
      bench.write(name, text('three'));
      assert.equal(exported(await bench.load(name)), 'three');
      bench.remove(name);
      const gone = await failure(bench.load(name));
      assert.equal(gone.code, 'plugin_missing_import');
      assert.deepEqual(gone.missing, [bench.path(name)]);
      bench.write(name, text('four'));
      assert.equal(exported(await bench.load(name)), 'four');
    }
  },

  async 'a missing import that appears later'(bench) {
    for (const name of ['entry.ts', 'entry.mjs', 'entry.cjs']) {
      const ending = name.slice(name.lastIndexOf('.') + 1);
      bench.write(name, entryOf[ending]?.('./later.json') ?? '');
      const failed = await failure(bench.load(name));
      assert.equal(failed.code, 'plugin_missing_import');
      assert.deepEqual(failed.missing, [bench.path('later.json')]);
      assert.deepEqual(failed.files, [bench.path(name)]);
      bench.write('later.json', JSON.stringify({ value: 'came' }));
      assert.equal(exported(await bench.load(name)), 'came');
      bench.remove('later.json');
    }
  },

  async 'a missing package names where it would be, and is found once it is installed'(bench) {
    bench.write('entry.ts', `import { value } from 'late-package';\nexport default { value };\n`);
    const failed = await failure(bench.load('entry.ts'));
    assert.equal(failed.code, 'plugin_missing_import');
    assert.deepEqual(failed.missing, [bench.path('node_modules/late-package/package.json')]);
    bench.write(
      'node_modules/late-package/package.json',
      JSON.stringify({ name: 'late-package', type: 'module', exports: './main.js' }),
    );
    bench.write('node_modules/late-package/main.js', `export const value = 'installed';\n`);
    assert.equal(exported(await bench.load('entry.ts')), 'installed');
  },

  async 'old and new files of one plugin never mix'(bench) {
    const entry = (value: string): string =>
      `import { value } from './helper.mjs';\nexport default { value: '${value}/' + value, later: async () => (await import('./helper.mjs')).value, ` +
      `lazy: async () => (await import('./lazy.ts')).value };\n`;
    type Shape = { value: string; later(): Promise<string>; lazy(): Promise<string> };
    bench.write('entry.ts', entry('one'));
    bench.write('helper.mjs', helperOf.mjs?.('one') ?? '');
    bench.write('lazy.ts', `export { value } from './helper.mjs';\n`);
    const late: string[] = [];
    const old = (await bench.load('entry.ts', { onLateFile: (file) => late.push(file) })).exports as Shape;
    bench.write('entry.ts', entry('two'));
    bench.write('helper.mjs', helperOf.mjs?.('two') ?? '');
    const next = (await bench.load('entry.ts')).exports as Shape;
    assert.equal(old.value, 'one/one');
    assert.equal(next.value, 'two/two');
    assert.equal(await old.later(), 'one');
    assert.equal(await next.later(), 'two');
    // A file that old code imports for the first time is read as it is now, and shares what the old revision has.
    assert.deepEqual(late, []);
    assert.equal(await old.lazy(), 'one');
    assert.deepEqual(late, [bench.path('lazy.ts')]);
    bench.write('lazy.ts', `export const value = 'as it is on disk';\n`);
    assert.equal(await next.lazy(), 'as it is on disk');
    assert.equal(await old.lazy(), 'one');
  },

  async 'a half-written file is a syntax error with its line, and runs when it is whole'(bench) {
    const whole: Record<string, string> = {
      'entry.ts': `export default {\n  value: 'whole' as string,\n};\n`,
      'entry.mjs': `export default {\n  value: 'whole',\n};\n`,
      'entry.cjs': `module.exports = {\n  value: 'whole',\n};\n`,
    };
    for (const [name, text] of Object.entries(whole)) {
      bench.write(name, text.slice(0, text.indexOf('whole')));
      const failed = await failure(bench.load(name));
      assert.equal(failed.code, 'plugin_syntax', failed.message);
      assert.equal(failed.file, bench.path(name));
      assert.equal(failed.line, 2, failed.message);
      assert.deepEqual(failed.files, [bench.path(name)]);
      bench.write(name, text);
      assert.equal(exported(await bench.load(name)), 'whole');
    }
  },

  async 'a syntax error in a helper names the helper'(bench) {
    bench.write('entry.ts', `import './helper.js';\nimport data from './data.json';\nexport default data;\n`);
    bench.write('helper.js', `export const fine = 1;\nexport const broken = ;\n`);
    const failed = await failure(bench.load('entry.ts'));
    assert.deepEqual([failed.code, failed.file, failed.line], ['plugin_syntax', bench.path('helper.js'), 2]);
    bench.write('helper.js', '');
    bench.write('data.json', `{\n  "value": 1,\n}\n`);
    const data = await failure(bench.load('entry.ts'));
    assert.deepEqual([data.code, data.file, data.line], ['plugin_syntax', bench.path('data.json'), 3]);
    assert.deepEqual([...data.files].sort(), ['data.json', 'entry.ts', 'helper.js'].map(bench.path));
  },

  async 'a missing default export gives the namespace, for the caller to judge'(bench) {
    bench.write('entry.ts', `export const value = 'named';\n`);
    const loaded = await bench.load('entry.ts');
    assert.deepEqual({ ...(loaded.exports as object) }, { value: 'named' });
    bench.write('entry.cjs', `exports.value = 'named';\n`);
    assert.deepEqual({ ...((await bench.load('entry.cjs')).exports as object) }, { value: 'named' });
  },

  async 'the default is read once'(bench) {
    bench.write('entry.mjs', `export default { default: 'inner', value: 'outer' };\n`);
    assert.equal(exported(await bench.load('entry.mjs')), 'outer');
    bench.write(
      'entry.cjs',
      `Object.defineProperty(exports, '__esModule', { value: true });\nexports.default = { value: 'compiled' };\n`,
    );
    assert.equal(exported(await bench.load('entry.cjs')), 'compiled');
  },

  async 'code that throws runs once, and its error is the cause'(bench) {
    const counter = globalThis as { kernRuns?: number };
    for (const name of ['entry.ts', 'entry.mts', 'entry.mjs', 'entry.cjs', 'entry.js']) {
      counter.kernRuns = 0;
      bench.write('helper.mjs', `globalThis.kernRuns += 1;\nthrow new TypeError('planted');\n`);
      bench.write('helper.cjs', `globalThis.kernRuns += 1;\nthrow new TypeError('planted');\n`);
      bench.write(
        name,
        name.endsWith('.cjs') ? `require('./helper.cjs');\n` : `import './helper.mjs';\nexport default 1;\n`,
      );
      const failed = await failure(bench.load(name));
      assert.equal(failed.code, 'plugin_threw');
      assert.match(failed.message, /planted/);
      assert.ok(failed.cause instanceof TypeError);
      assert.equal(counter.kernRuns, 1, name);
      assert.equal(failed.files.length, 2);
      bench.write(name, `globalThis.kernRuns += 1;\nthrow new TypeError('planted');\n`);
      assert.equal((await failure(bench.load(name))).code, 'plugin_threw');
      assert.equal(counter.kernRuns, 2, name);
    }
    delete counter.kernRuns;
  },

  ...modules,
};
