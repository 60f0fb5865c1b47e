import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { type CommandArgs, type CommandHost, processes, workbench } from 'kern/contracts';
import { type Context, KernError } from 'kern/plugin';

const testFile = /\.test\.(ts|mts|js|mjs|cjs)$/;

/** `kern plugins test [path…]`: node's own test runner, with kern's names leading to this kern. */
export async function runTests(ctx: Context, args: CommandArgs, host: CommandHost): Promise<number> {
  const { view, signal } = host;
  await Promise.all([view.use(workbench).load(), view.use(processes).load()]);
  const { program, root } = view.service(workbench);
  const { cwd } = view.where;
  const paths = args.positionals.length > 0 ? args.positionals : [path.join(root, '.kern', 'extensions')];
  const files = paths.flatMap((one) => testsIn(path.resolve(cwd, one), one));
  if (files.length === 0)
    throw new KernError('usage', `no test in ${paths.join(', ')}`, {
      hint: 'Tests are files named *.test.ts (or .mts .js .mjs .cjs); `kern plugins new` writes one.',
    });
  const { json } = args.shared;
  const run = ctx.spawn(
    process.execPath,
    [
      ...(program.fromSource ? ['--conditions=kern-source'] : []),
      `--import=${new URL(`file://${path.join(program.root, 'plugins', 'cli', 'plugins', 'own-names.mjs')}`).href}`,
      '--test',
      '--test-isolation=none',
      `--test-reporter=${json ? 'tap' : 'spec'}`,
      ...files,
    ],
    {
      cwd,
      signal,
      env: {
        KERN_SOURCE: undefined,
        NODE_OPTIONS: undefined,
        NODE_TEST_CONTEXT: undefined,
        ...(host.color ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' }),
      },
      label: 'kern plugins test',
      onOutput: (chunk, stream) => {
        if (!json) (stream === 'stdout' ? host.stdout : host.stderr).write(chunk);
      },
    },
  );
  const { exitCode, stdout, stderr } = await run.result;
  if (json)
    host.json({
      files,
      passed: count(stdout, 'pass'),
      failed: count(stdout, 'fail'),
      output: exitCode === 0 ? '' : `${stdout}${stderr}`,
    });
  return exitCode === 0 ? 0 : 1;
}

const count = (tap: string, what: string): number => Number(new RegExp(`^# ${what} (\\d+)$`, 'm').exec(tap)?.[1] ?? 0);

function testsIn(full: string, shown: string): readonly string[] {
  if (!existsSync(full))
    throw new KernError('usage', `${shown} is not there`, {
      hint: 'Give a test file, or a folder in which tests are.',
    });
  if (!statSync(full).isDirectory()) return [full];
  const names = readdirSync(full, { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => testFile.test(name) && !name.split(path.sep).includes('node_modules'))
    .sort()
    .map((name) => path.join(full, name));
}
