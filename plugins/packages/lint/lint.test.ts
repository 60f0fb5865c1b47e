import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { openDesk } from '../../cli/test/line.ts';
import { tarball } from '../test/tarball.ts';

interface Told {
  readonly ok: boolean;
  readonly findings: readonly {
    readonly severity: string;
    readonly code: string;
    readonly file: string;
    readonly line?: number;
    readonly message: string;
    readonly hint: string;
  }[];
  readonly packages: readonly { readonly [field: string]: unknown }[];
}

const good = {
  'package.json': JSON.stringify({
    name: 'kern-weather',
    version: '1.0.0',
    type: 'module',
    files: ['*.ts', 'skills'],
    kern: { extensions: ['./index.ts'] },
    peerDependencies: { kern: '>=0.0.1-a' },
    dependencies: {},
  }),
  'index.ts': `import { tools, type Tool } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { z } from 'zod';
import { sky } from './sky.ts';
import type { Other } from 'only-a-type';
export default definePlugin({ id: 'weather', setup: (ctx) => ctx.contribute(tools, {
  name: 'weather', description: sky, parameters: z.object({}), execute: async () => ({ content: [] }),
}) });
`,
  'sky.ts': `export const sky: string = 'blue';\n`,
  'skills/umbrella/SKILL.md': '---\nname: umbrella\ndescription: When to take one.\n---\nAlways.\n',
};
const at = (folder: string, files: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text]));

test('a package that is in order is told with what it registers, brings and runs', async () => {
  await using desk = await openDesk(
    at('weather', { ...good, 'package.json': good['package.json'].replace('>=0.0.1-a', '*') }),
  );
  expect(await desk.json('plugins', 'lint', 'weather')).toMatchObject({
    ok: true,
    findings: [],
    packages: [
      {
        name: 'kern-weather',
        version: '1.0.0',
        entries: ['index.ts'],
        brings: { skills: ['umbrella'] },
        registers: { ids: ['weather'], tools: ['weather'] },
        runs: ['extension index.ts, as part of kern'],
      },
    ],
  });
  const { code, out } = await desk.kern('plugins', 'lint', 'weather');
  expect({ code, out }).toEqual({
    code: 0,
    out: expect.stringContaining('kern-weather 1.0.0: nothing to complain of'),
  });
});

test('a tarball is looked through, and its findings are told by its name', async () => {
  await using desk = await openDesk();
  const pack = (name: string, files: Readonly<Record<string, string>>): string => {
    writeFileSync(path.join(desk.project, name), tarball(files));
    return path.join(desk.project, name);
  };
  pack('good.tgz', { ...good, 'package.json': good['package.json'].replace('>=0.0.1-a', '*') });
  expect(await desk.kern('plugins', 'lint', 'good.tgz')).toMatchObject({
    code: 0,
    out: expect.stringContaining(
      'kern-weather 1.0.0: nothing to complain of\n  registers plugin weather, tool weather',
    ),
  });
  const broken = pack('broken.tgz', { ...good, 'index.ts': 'export default {{\n' });
  expect(await desk.kern('plugins', 'lint', 'broken.tgz')).toMatchObject({
    code: 1,
    out: expect.stringContaining(`${path.join('broken.tgz', 'index.ts')}:1: error`),
  });
  expect(await desk.json('plugins', 'lint', 'broken.tgz')).toMatchObject({ packages: [{ path: broken }] });
});

test('what is neither an extension nor a package nor a tarball is refused', async () => {
  await using desk = await openDesk({ words: 'x:0:0\n', 'half.tgz': 'no tarball\n' });
  expect(await desk.kern('plugins', 'lint', 'words')).toMatchObject({
    code: 2,
    err: expect.stringContaining('words is no extension, no package and no tarball'),
  });
  expect(await desk.kern('plugins', 'lint', 'half.tgz')).toMatchObject({
    code: 2,
    err: expect.stringContaining('it is no .tgz'),
  });
});

test('nothing of what is looked at runs', async () => {
  await using desk = await openDesk();
  const mark = path.join(desk.project, 'mark');
  desk.write(
    'x/package.json',
    JSON.stringify({
      name: 'x',
      version: '1.0.0',
      private: true,
      scripts: { postinstall: `touch ${mark}` },
      kern: { extensions: ['./index.js'] },
    }),
  );
  desk.write(
    'x/index.js',
    `import fs from 'node:fs';\nfs.writeFileSync(${JSON.stringify(mark)}, '');\nexport default { id: 'x', setup() {} };\n`,
  );
  expect((await desk.json('plugins', 'lint', 'x')) as Told).toMatchObject({
    ok: true,
    findings: [{ severity: 'warning', code: 'script_not_run' }],
  });
  expect(existsSync(mark)).toBe(false);
});

const bad: readonly (readonly [
  name: string,
  files: Readonly<Record<string, string>>,
  code: string,
  place: string,
  said: RegExp,
])[] = [
  [
    'a manifest that is no JSON',
    { 'package.json': '{\n  "name": "x",\n  oops\n}' },
    'manifest_json',
    'package.json:3',
    /no JSON/,
  ],
  [
    'an entry that is not there',
    { 'package.json': '{"name":"x","private":true,\n"kern":{\n"extensions":["./gone.ts"]}}' },
    'entry',
    'package.json:3',
    /gone\.ts is not there/,
  ],
  [
    'an entry outside of the package',
    { 'package.json': '{"name":"x","private":true,"kern":{"extensions":["../y.ts"]}}' },
    'entry',
    'package.json:1',
    /outside/,
  ],
  [
    'an entry that is not packed',
    {
      'package.json': '{"name":"x","private":true,"files":["lib"],"kern":{"extensions":["./index.js"]}}',
      'index.js': "export default { id: 'x', setup() {} };",
    },
    'entry_not_packed',
    'package.json:1',
    /leaves it out/,
  ],
  [
    'a file that is not packed',
    {
      'package.json': '{"name":"x","private":true,"files":["index.js"],"kern":{"extensions":["./index.js"]}}',
      'index.js': "import id from './id.js';\nexport default { id, setup() {} };",
      'id.js': "export default 'x';",
    },
    'file_not_packed',
    'id.js',
    /leaves it out/,
  ],
  [
    'a version that is none',
    {
      'package.json': '{"name":"x","version":"one","private":true}',
      'index.js': "export default { id: 'x', setup() {} };",
    },
    'manifest_version',
    'package.json:1',
    /"one"/,
  ],
  [
    'another kern',
    {
      'package.json': '{"name":"x","private":true,"engines":{"kern":"^7"}}',
      'index.js': "export default { id: 'x', setup() {} };",
    },
    'kern_range',
    'package.json:1',
    /\^7/,
  ],
  [
    'a syntax error',
    { 'index.ts': 'const a: number = 1;\nexport default {{{\n' },
    'syntax',
    'index.ts:2',
    /cannot be parsed/,
  ],
  [
    'an import that leads nowhere',
    { 'index.ts': "import { a } from './gone.ts';\nexport default { id: a, setup() {} };\n" },
    'import_missing',
    'index.ts:1',
    /\.\/gone\.ts/,
  ],
  [
    'an import that leaves the folder',
    { '../other.ts': '', 'index.ts': "import a from '../other.ts';\nexport default { id: a, setup() {} };\n" },
    'import_outside',
    'index.ts:1',
    /outside/,
  ],
  [
    'a package that is not stated',
    {
      'package.json': '{"name":"x","private":true,"devDependencies":{"zzz":"1"}}',
      'index.ts': "import a from 'zzz';\nexport default { id: a, setup() {} };\n",
    },
    'dependency_unstated',
    'index.ts:1',
    /only among its devDependencies/,
  ],
  [
    'a module kern does not have',
    { 'index.ts': "import { tools } from 'kern/contract';\nexport default { id: 'x', setup: () => tools };\n" },
    'import_unknown',
    'index.ts:1',
    /kern\/contract/,
  ],
  [
    'a name kern does not have',
    {
      'index.ts':
        "import { tols } from 'kern/contracts';\nexport default { id: 'x', setup: (ctx) => ctx.use(tols) };\n",
    },
    'name_unknown',
    'index.ts:2',
    /no tols/,
  ],
  ['no default export', { 'index.ts': 'export const a = 1;\n' }, 'no_default', 'index.ts:1', /nothing by default/],
  [
    'a default export of another kind',
    { 'index.ts': 'export default 5;\n' },
    'no_plugin',
    'index.ts',
    /no plugin and no function/,
  ],
  [
    'an id that is none',
    {
      'index.ts':
        "import { definePlugin } from 'kern/plugin';\nexport default definePlugin({ id: 'a b', setup() {} });\n",
    },
    'id_illegal',
    'index.ts:2',
    /"a b"/,
  ],
  [
    'the id of a built-in',
    {
      'index.ts':
        "import { definePlugin } from 'kern/plugin';\nexport default definePlugin({ id: 'tools.read', setup() {} });\n",
    },
    'id_taken',
    'index.ts:2',
    /built-in/,
  ],
  [
    'a tool name that is none',
    {
      'index.ts':
        "import { tools } from 'kern/contracts';\nexport default { id: 'x', setup: (ctx) => ctx.contribute(tools, { name: 'my tool' }) };\n",
    },
    'name_illegal',
    'index.ts:2',
    /"my tool"/,
  ],
  [
    'a tool twice',
    {
      'index.ts':
        "import { tools } from 'kern/contracts';\nexport default { id: 'x', setup: (ctx) => {\n ctx.contribute(tools, { name: 'a' });\n ctx.contribute(tools, { name: 'a' });\n} };\n",
    },
    'name_twice',
    'index.ts:4',
    /tool a is there twice/,
  ],
  [
    'a skill without a description',
    { 'package.json': '{"name":"x","private":true,"kern":{}}', 'skills/a/SKILL.md': '---\nname: a\n---\nText.' },
    'description_missing',
    'skills/a/SKILL.md:1',
    /no description/,
  ],
  [
    'an MCP server that says nothing',
    {
      'package.json': '{"name":"x","private":true,"kern":{"mcpServers":"./mcp.json"}}',
      'mcp.json': '{"mcpServers":{"a":{}}}',
    },
    'shape',
    'mcp.json',
    /neither a command nor a url/,
  ],
  [
    'a package that is none',
    { 'package.json': '{"name":"x","version":"1.0.0","main":"lib.js"}', 'lib.js': '' },
    'package_empty',
    'package.json',
    /nothing that kern could use/,
  ],
];

test.each(bad)('%s is told with its place, and answers 1', async (_what, files, code, place, said) => {
  await using desk = await openDesk(at('x', files));
  const { ok, findings } = (await desk.json('plugins', 'lint', 'x')) as Told;
  const found = findings.filter((one) => one.code === code);
  expect(ok).toBe(false);
  expect(found, JSON.stringify(findings)).toHaveLength(1);
  expect(found[0]).toMatchObject({
    severity: 'error',
    message: expect.stringMatching(said),
    hint: expect.stringMatching(/./),
  });
  const [file = '', line] = place.split(':');
  expect(found[0]).toMatchObject({
    file: path.join(desk.project, 'x', file),
    ...(line === undefined ? {} : { line: Number(line) }),
  });
  const shown = await desk.kern('plugins', 'lint', 'x');
  expect(shown).toMatchObject({ code: 1, out: expect.stringContaining(`x/${place}`) });
});

test('what only may be wrong is a warning, and answers 0', async () => {
  await using desk = await openDesk({
    'x/package.json': JSON.stringify({
      name: 'x',
      version: '1.0.0',
      scripts: { postinstall: 'true' },
      kern: { extensions: ['./index.ts'], skils: [] },
      dependencies: { kern: '1' },
    }),
    'x/index.ts':
      "import { spawn } from 'node:child_process';\nimport { tools } from 'kern/contracts';\nexport default { id: 'x', setup: (ctx) => { spawn; ctx.spawn('make', []); ctx.contribute(tools, { name: 'read' }); } };\n",
  });
  const { ok, findings, packages } = (await desk.json('plugins', 'lint', 'x')) as Told;
  expect(ok, JSON.stringify(findings)).toBe(true);
  expect(findings.map(({ code }) => code).sort()).toEqual([
    'dependency_host',
    'kern_range',
    'manifest_field',
    'name_taken',
    'own_processes',
    'script_not_run',
  ]);
  expect(findings.find(({ code }) => code === 'manifest_field')?.hint).toContain('skills');
  expect(packages[0]?.runs).toEqual(['extension index.ts, as part of kern', 'program make']);
});

test('a single file, a folder of extensions, and an extension written for pi are looked through', async () => {
  await using desk = await openDesk({
    'all/one.ts':
      "import { definePlugin } from 'kern/plugin';\nexport default definePlugin({ id: 'one', setup() {} });\n",
    'all/two/index.js':
      "const two = (pi) => { pi.registerTool({ name: 'two' }); pi.registerCommand('deux', {}); pi.registerFlag('zwei', { type: 'boolean' }); };\nmodule.exports = two;\n",
    'all/three.ts':
      "import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';\nimport { Type } from '@sinclair/typebox';\nexport default function (pi: ExtensionAPI) { pi.registerTool({ name: 'three', parameters: Type.Object({}) }); }\n",
  });
  const { ok, findings, packages } = (await desk.json('plugins', 'lint', 'all')) as Told;
  expect({ ok, findings }).toEqual({ ok: true, findings: [] });
  expect(packages.map(({ registers }) => registers)).toMatchObject([
    { ids: ['one'] },
    { tools: ['three'] },
    { tools: ['two'], slashCommands: ['deux'], flags: ['zwei'] },
  ]);
  expect((await desk.kern('plugins', 'lint', 'all/two')).out).toContain('registers tool two, /deux, --zwei');
  expect(await desk.json('plugins', 'lint', 'all/one.ts')).toMatchObject({
    ok: true,
    packages: [{ entries: ['one.ts'] }],
  });
  expect((await desk.kern('plugins', 'lint', 'nowhere')).code).toBe(2);
});

test('the examples, and what kern plugins new writes, are in order', async () => {
  await using desk = await openDesk();
  const examples = fileURLToPath(new URL('../../../extensions-examples', import.meta.url));
  const { findings } = (await desk.json('plugins', 'lint', examples)) as Told;
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  await desk.kern('plugins', 'new', 'weather');
  expect(await desk.json('plugins', 'lint', '.kern/extensions/weather')).toMatchObject({ ok: true, findings: [] });
}, 60_000);
