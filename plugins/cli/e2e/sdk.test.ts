import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));
const { isBuilt }: { isBuilt(root: string): boolean } = await import(
  new URL('../build/stamp.mjs', import.meta.url).href
);
// What is tested is what the sources say: the build only where it is as new as they are.
const fromSource = !existsSync(path.join(root, 'dist')) || !isBuilt(root);

/** A program of somebody else's, with kern among its packages. */
function program(files: Readonly<Record<string, string>>): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'kern-host-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(path.join(folder, 'node_modules'));
  symlinkSync(root, path.join(folder, 'node_modules', 'kern'), 'dir');
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  return folder;
}

test('a program imports kern, calls tools by themselves, and ends when it is done', async () => {
  const folder = program({
    'host.mjs': `
      import { createCodingTools } from 'kern';
      const [read, bash] = createCodingTools(process.cwd());
      const said = await bash.execute('1', { command: 'echo hello > a.txt; sleep 300 &' });
      const got = await read.execute('2', { path: 'a.txt' });
      console.log(JSON.stringify([said.details.exitCode, got.content[0].text.trim()]));
    `,
  });
  const args = [...(fromSource ? ['--conditions=kern-source'] : []), 'host.mjs'];
  const env = { PATH: process.env.PATH, HOME: folder, KERN_HOME: path.join(folder, 'home') };
  const { stdout } = await run(process.execPath, args, { cwd: folder, env, timeout: 60_000 });
  expect(JSON.parse(stdout)).toEqual([0, 'hello']);
}, 90_000);

test('the types of the package say what a program may do', async () => {
  const folder = program({
    'tsconfig.json': JSON.stringify({
      // Our sources hold with our own options; a program has others.
      ...(fromSource ? { extends: path.join(root, 'tsconfig.json'), include: [], exclude: [] } : {}),
      compilerOptions: {
        ...{ noEmit: true, strict: true, module: 'nodenext', target: 'es2024', skipLibCheck: true },
        ...{ types: ['node'], typeRoots: [path.join(root, 'node_modules', '@types')] },
        ...(fromSource ? {} : { lib: ['es2024', 'esnext.disposable'] }),
      },
      files: ['host.mts'],
    }),
    'host.mts': `
      import { type AgentTool, createAgentSession, createCodingTools, createToolDefinition, type ToolDefinition } from 'kern';
      const tools: AgentTool[] = createCodingTools('.');
      const seen: ToolDefinition = createToolDefinition('read');
      export const names: readonly string[] = [...tools.map((tool) => tool.name), seen.name];
      export const answer = async (): Promise<string> => {
        await using open = await createAgentSession({ persist: false });
        return (await open.session.prompt({ text: 'hello' })).text;
      };
      // @ts-expect-error: there is no such tool
      createToolDefinition('nothing');
    `,
  });
  const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const checked = await run(process.execPath, [tsc, '-p', folder], { cwd: folder, timeout: 80_000 }).catch(
    (error: { stdout?: string }) => error,
  );
  // Of our sources something else may be wrong, which the type check of the checkout says.
  expect(
    (checked.stdout ?? 'tsc did not run')
      .split('\n')
      .filter((line) => line.startsWith('host') || line.startsWith('tsc')),
  ).toEqual([]);
}, 90_000);
