import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { exported, failure, helperOf, moduleFolder, type Scenario } from './scenario.ts';

/** How files of a plugin find each other, packages and the host. */
export const modules: Readonly<Record<string, Scenario>> = {
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
