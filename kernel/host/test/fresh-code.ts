import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { LoadError } from '../load-error.ts';
import type { Workbench } from './workbench.ts';

/** What must hold in every way kern is run: under the test runner, and in plain Node from the sources. */
export type Scenario = (bench: Workbench) => Promise<void>;

const entryOf: Readonly<Record<string, (helper: string) => string>> = {
  ts: (helper) =>
    `import { value } from '${helper}';\nconst typed: string = value;\nexport default { value: typed };\n`,
  mts: (helper) =>
    `import { value } from '${helper}';\nconst typed: string = value;\nexport default { value: typed };\n`,
  js: (helper) => `import { value } from '${helper}';\nexport default { value };\n`,
  mjs: (helper) => `import { value } from '${helper}';\nexport default { value };\n`,
  cjs: (helper) => `const { value } = require('${helper}');\nmodule.exports = { value };\n`,
};

const helperOf: Readonly<Record<string, (value: string) => string>> = {
  ts: (value) => `export const value: string = '${value}';\n`,
  mts: (value) => `export const value: string = '${value}';\n`,
  js: (value) => `export const value = '${value}';\n`,
  mjs: (value) => `export const value = '${value}';\n`,
  cjs: (value) => `module.exports = { value: '${value}' };\n`,
  json: (value) => JSON.stringify({ value }),
};

const moduleFolder = JSON.stringify({ name: 'plugin-under-test', type: 'module' });

function exported(loaded: { readonly exports: unknown }): unknown {
  return (loaded.exports as { value: unknown }).value;
}

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

  async 'host names lead to the host in every kind of file'(bench) {
    bench.write('package.json', moduleFolder);
    const text: Record<string, string> = {
      'entry.ts':
        `import { definePlugin } from 'kern/plugin';\nimport { tools } from 'kern/contracts';\nimport * as zod from 'zod';\n` +
        `export default { definePlugin, tools, z: zod.z };\n`,
      'entry.js':
        `import { definePlugin } from 'kern/plugin';\nimport { tools } from 'kern/contracts';\nimport { z } from 'zod';\n` +
        `export default { definePlugin, tools, z };\n`,
      'entry.cjs': `const { definePlugin } = require('kern/plugin');\nmodule.exports = { definePlugin, ...require('./second.cjs') };\n`,
    };
    bench.write('second.cjs', `module.exports = { tools: require("kern/contracts").tools, z: require("zod").z };\n`);
    for (const [name, source] of Object.entries(text)) {
      bench.write(name, source);
      const exports = (await bench.load(name)).exports as { definePlugin: unknown; tools: unknown; z: unknown };
      assert.equal(exports.definePlugin, Reflect.get(bench.host.kernel, 'definePlugin'), name);
      assert.equal(exports.tools, Reflect.get(bench.host.contracts, 'tools'), name);
      assert.equal(exports.z, Reflect.get(bench.host.zod, 'z'), name);
    }
  },

  async 'packages of a plugin are Node’s: loaded once, with their own zod, but with the host’s kernel'(bench) {
    const manifest = (name: string): string =>
      JSON.stringify({ name, type: 'module', exports: { '.': './main.js', './require': './main.cjs' } });
    bench.write('node_modules/zod/package.json', JSON.stringify({ name: 'zod', type: 'module', exports: './main.js' }));
    bench.write('node_modules/zod/main.js', `export const z = 'the zod of the package';\n`);
    bench.write('node_modules/@scope/lib/package.json', manifest('@scope/lib'));
    bench.write(
      'node_modules/@scope/lib/main.js',
      `import { copy } from 'kern/plugin';\nimport { z } from 'zod';\nexport const lib = { copy, z };\n`,
    );
    bench.write('node_modules/@scope/lib/main.cjs', `exports.copy = require('kern/plugin').copy;\n`);
    bench.write(
      'entry.ts',
      `import { lib } from '@scope/lib';\nimport { copy } from '@scope/lib/require';\nimport { z } from 'zod';\nimport { readFileSync } from 'node:fs';\n` +
        `import path, { join } from 'path';\nexport default { lib, copy, z, builtins: [typeof readFileSync, path.join === join] };\n`,
    );
    type Shape = { lib: { copy: string; z: string }; copy: string; z: { mark: string }; builtins: unknown[] };
    const first = await bench.load('entry.ts');
    const exports = first.exports as Shape;
    assert.deepEqual(first.files, [bench.path('entry.ts')]);
    assert.equal(exports.lib.z, 'the zod of the package');
    assert.equal(exports.z.mark, 'the zod of the host');
    assert.equal(exports.lib.copy, 'the host');
    assert.equal(exports.copy, 'the host');
    assert.deepEqual(exports.builtins, ['function', true]);
    bench.write('node_modules/@scope/lib/main.js', `export const lib = 'changed';\n`);
    assert.equal(((await bench.load('entry.ts')).exports as Shape).lib, exports.lib);
  },

  async 'a plugin that is itself an installed package is read afresh'(bench) {
    const root = bench.path('node_modules/installed');
    bench.write(
      'node_modules/installed/package.json',
      JSON.stringify({ name: 'installed', type: 'module', imports: { '#lib/*': './lib/*.js' } }),
    );
    bench.write('node_modules/installed/entry.ts', `import { value } from '#lib/helper';\nexport default { value };\n`);
    for (const value of ['one', 'two']) {
      bench.write('node_modules/installed/lib/helper.js', helperOf.js?.(value) ?? '');
      const loaded = await bench.loader.load(`${root}/entry.ts`, { root });
      assert.equal(exported(loaded), value);
      assert.equal(loaded.files.length, 2);
      assert.deepEqual(loaded.outside, []);
    }
  },

  async 'the graph holds what is imported and nothing else, also outside the folder and behind links'(bench) {
    bench.write('other.ts', `export const never = 1;\n`);
    bench.write('deep/entry.ts', `import { value } from '../shared.ts';\nexport default { value };\n`);
    bench.write('shared.ts', `export const value = 'shared';\n`);
    symlinkSync(bench.path('deep/entry.ts'), bench.path('deep/link.ts'));
    const loaded = await bench.load('deep/link.ts', { root: bench.path('deep') });
    assert.deepEqual(loaded.files, [bench.path('deep/entry.ts'), bench.path('shared.ts')]);
    assert.deepEqual(loaded.outside, [bench.path('shared.ts')]);
  },

  async 'an extension may be left out, and a .js may stand for its .ts'(bench) {
    bench.write(
      'entry.ts',
      `import { a } from './a';\nimport { b } from './b.js';\nimport { c } from './c';\nexport default { value: a + b + c };\n`,
    );
    bench.write('a.ts', `export const a: string = 'a';\n`);
    bench.write('b.ts', `export const b: string = 'b';\n`);
    bench.write('c/index.ts', `export const c: string = 'c';\n`);
    assert.equal(exported(await bench.load('entry.ts')), 'abc');
  },

  async 'specifiers of every form: with a query, a space, a per cent, a URL, an absolute path, the own name'(bench) {
    bench.write('package.json', JSON.stringify({ name: 'me', type: 'module', exports: { './part': './my part.js' } }));
    bench.write('my part.js', `export const part = {};\n`);
    bench.write('100%.js', `export const hundred = 100;\n`);
    bench.write(
      'entry.js',
      `import { part } from './my%20part.js';\nimport { part as again } from 'me/part';\nimport { part as other } from './my part.js?v=2';\n` +
        `import { hundred } from './100%.js';\nconst url = await import(new URL('./my%20part.js', import.meta.url).href);\n` +
        `const path = await import(import.meta.dirname + '/my part.js');\n` +
        `export default { value: [part === again, part === other, url.part === part, path.part === part, hundred] };\n`,
    );
    const loaded = await bench.load('entry.js');
    assert.deepEqual(exported(loaded), [true, false, true, true, 100]);
    assert.equal(loaded.files.length, 3);
  },

  async 'import() in CommonJS reaches the host, own files and packages'(bench) {
    bench.write('node_modules/lib/package.json', JSON.stringify({ name: 'lib', type: 'module', exports: './main.js' }));
    bench.write('node_modules/lib/main.js', `export const lib = 'lib';\n`);
    bench.write('own.mjs', `export const own = 'own';\n`);
    bench.write(
      'entry.cjs',
      `module.exports = { value: async () => [(await import('zod')).z.mark, (await import('./own.mjs')).own, (await import('lib')).lib] };\n`,
    );
    const value = exported(await bench.load('entry.cjs')) as () => Promise<string[]>;
    assert.deepEqual(await value(), ['the zod of the host', 'own', 'lib']);
  },

  async 'what cannot be read is an error, not a hang'(bench) {
    bench.write('entry.ts', `import './folder';\nexport default 1;\n`);
    bench.write('folder/nothing.md', '');
    const failed = await failure(bench.load('entry.ts'));
    assert.equal(failed.code, 'plugin_missing_import');
    assert.ok(failed.missing.includes(bench.path('folder/index.ts')));
    if (process.platform === 'win32') return;
    execFileSync('mkfifo', [bench.path('pipe.ts')]);
    bench.write('entry.ts', `import './pipe.ts';\nexport default 1;\n`);
    assert.equal((await failure(bench.load('entry.ts'))).code, 'plugin_missing_import');
    assert.equal((await failure(bench.load('pipe.ts'))).code, 'plugin_missing_import');
  },

  async 'an optional import that is not there is told, so that it can be watched'(bench) {
    bench.write(
      'entry.mjs',
      `let value = 'without';\ntry { ({ value } = await import('./optional.mjs')); } catch {}\nexport default { value };\n`,
    );
    const loaded = await bench.load('entry.mjs');
    assert.equal(exported(loaded), 'without');
    assert.ok(loaded.missing.includes(bench.path('optional.mjs')));
    bench.write('optional.mjs', helperOf.mjs?.('with') ?? '');
    assert.equal(exported(await bench.load('entry.mjs')), 'with');
  },

  async 'cycles, await at the top, and imports side by side see whole modules'(bench) {
    bench.write(
      'entry.ts',
      `import { viaB } from './b.ts';\nexport function fromEntry() { return 'entry'; }\nconst [x, y] = await Promise.all([import('./x.ts'), import('./y.mjs')]);\nexport default { value: [viaB(), x.x, y.y].join() };\n`,
    );
    bench.write('b.ts', `import { fromEntry } from './entry.ts';\nexport const viaB = () => 'b:' + fromEntry();\n`);
    bench.write('x.ts', `import { slow } from './slow.ts';\nexport const x = 'x' + slow;\n`);
    bench.write('y.mjs', `import { slow } from './slow.ts';\nexport const y = 'y' + slow;\n`);
    bench.write('slow.ts', `await new Promise((done) => setTimeout(done, 20));\nexport const slow = '-slow';\n`);
    assert.equal(exported(await bench.load('entry.ts')), 'b:entry,x-slow,y-slow');
    bench.write('one.cjs', `exports.early = 1;\nconst two = require('./two.cjs');\nexports.late = two.seen;\n`);
    bench.write('two.cjs', `const one = require('./one.cjs');\nexports.seen = [one.early, one.late];\n`);
    bench.write('cycle.cjs', `module.exports = { value: require('./one.cjs').late };\n`);
    assert.deepEqual(exported(await bench.load('cycle.cjs')), [1, undefined]);
  },

  async 'CommonJS may require an ES module, and import one later'(bench) {
    bench.write(
      'entry.cjs',
      `const { value } = require('./helper.ts');\nmodule.exports = { value, later: async () => (await import('./helper.ts')).value };\n`,
    );
    bench.write(
      'helper.ts',
      `import fs, { readFileSync } from 'node:fs';\nexport const value: string = String(fs.readFileSync === readFileSync);\n`,
    );
    const loaded = await bench.load('entry.cjs');
    assert.equal(exported(loaded), 'true');
    assert.equal(await (loaded.exports as { later(): Promise<string> }).later(), 'true');
  },

  async 'import.meta and CommonJS names say where a file lies'(bench) {
    bench.write(
      'entry.mjs',
      `export default { value: [import.meta.url, import.meta.filename, import.meta.dirname, import.meta.resolve('./x.mjs')] };\n`,
    );
    bench.write('x.mjs', '');
    const file = bench.path('entry.mjs');
    assert.deepEqual(exported(await bench.load('entry.mjs')), [
      `file://${file}`,
      file,
      bench.plugin,
      `file://${bench.path('x.mjs')}`,
    ]);
    bench.write('main.mjs', `export default { value: import.meta.main };\n`);
    assert.equal(exported(await bench.load('main.mjs')), false);
    bench.write(
      'entry.cjs',
      `#!/usr/bin/env node\nmodule.exports = { value: [__filename, __dirname, module.id, require.resolve('./x.mjs'), this === exports] };\n`,
    );
    const common = bench.path('entry.cjs');
    assert.deepEqual(exported(await bench.load('entry.cjs')), [
      common,
      bench.plugin,
      common,
      bench.path('x.mjs'),
      true,
    ]);
  },

  async 'TypeScript that Node cannot strip runs, and errors have the lines of the source'(bench) {
    bench.write(
      'entry.ts',
      `enum Kind {\n  A = 'a',\n}\nclass Point {\n  constructor(private readonly x: number) {}\n  fail(): never {\n    throw new Error('here ' + this.x);\n  }\n}\nexport default { kind: Kind.A, fail: () => new Point(1).fail() };\n`,
    );
    const exports = (await bench.load('entry.ts')).exports as { kind: string; fail(): never };
    assert.equal(exports.kind, 'a');
    assert.throws(exports.fail, (error: Error) => error.stack?.includes(`${bench.path('entry.ts')}:7:`) === true);
  },

  async 'nothing runs that is not admitted'(bench) {
    bench.write('entry.ts', `import './helper.ts';\nglobalThis.kernRan = true;\nexport default 1;\n`);
    bench.write('helper.ts', `globalThis.kernRan = true;\nexport {};\n`);
    const failed = await failure(
      bench.load('entry.ts', {
        admit: (file) => {
          if (file.endsWith('helper.ts')) throw new Error('helper.ts has changed since it was trusted');
        },
      }),
    );
    assert.equal(failed.code, 'plugin_refused');
    assert.equal(Reflect.get(globalThis, 'kernRan'), undefined);
  },

  async 'nothing of a plugin enters the registries of Node'(bench) {
    bench.write('entry.cjs', `module.exports = { value: [require('./a.cjs'), require('./b.json')] };\n`);
    bench.write('a.cjs', '');
    bench.write('b.json', '{}');
    await bench.load('entry.cjs');
    assert.deepEqual(
      Object.keys(createRequire(import.meta.url).cache).filter((file) => file.startsWith(bench.plugin)),
      [],
    );
  },
};

async function failure(promise: Promise<unknown>): Promise<LoadError> {
  try {
    await promise;
  } catch (error) {
    assert.ok(error instanceof LoadError, String(error));
    return error;
  }
  throw new assert.AssertionError({ message: 'it loaded, though it should not have' });
}
