import { readdir } from 'node:fs/promises';
import path from 'node:path';
import {
  auth,
  type CommandArgs,
  type CommandHost,
  modelProblems,
  models,
  processes,
  type Workbench,
  workbench,
} from 'kern/contracts';
import { codeOf, messageOf, visible } from 'kern/plugin';

interface Check {
  readonly id: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly text: string;
  readonly fix?: string;
}

/** Every check, in the order in which a person would go about it. Ends with 1 when one failed. */
export async function doctor(args: CommandArgs, host: CommandHost): Promise<number> {
  const { view } = host;
  await Promise.all([view.use(workbench).load(), view.use(processes).load(), view.use(models).load()]);
  const bench = view.service(workbench);
  const found = await Promise.all([
    node(bench),
    program('git', 'git', 'Repositories are read without it, but nothing of them is shown.', host),
    program('ripgrep', 'rg', 'Searching is slower without it.', host),
    home(bench),
    copies(bench),
    config(bench),
    plugins(bench),
    trust(bench),
    modelChecks(host),
    descriptions(host),
    keys(host),
  ]);
  const checks = found.flat();
  const isOk = checks.every(({ state }) => state !== 'fail');
  if (args.shared.json) {
    host.json({ ok: isOk, checks });
    return isOk ? 0 : 1;
  }
  for (const { state, id, text, fix } of checks) {
    host.print(`${mark(state, host.color)} ${id}: ${text}`);
    if (fix !== undefined) host.print(`     ${fix.replaceAll('\n', '\n     ')}`);
  }
  return isOk ? 0 : 1;
}

function mark(state: Check['state'], color: boolean): string {
  const word = { ok: 'ok  ', warn: 'warn', fail: 'FAIL' }[state];
  const code = { ok: 32, warn: 33, fail: 31 }[state];
  return color ? `\u001b[${code}m${word}\u001b[0m` : word;
}

async function node({ program: own }: Workbench): Promise<readonly Check[]> {
  const [major = 0] = process.versions.node.split('.').map(Number);
  const text = `${process.versions.node} (${process.execPath}), kern ${own.version}${own.fromSource ? ' from its sources' : ''}`;
  return [
    major >= 24
      ? { id: 'node', state: 'ok', text }
      : { id: 'node', state: 'fail', text, fix: 'kern needs Node 24 or newer: https://nodejs.org' },
  ];
}

/** A program that kern uses where it is there. */
async function program(
  id: string,
  command: string,
  without: string,
  { view, signal }: CommandHost,
): Promise<readonly Check[]> {
  try {
    const child = view.service(processes).spawn(command, ['--version'], { timeoutMs: 5_000, signal });
    const { exitCode, stdout } = await child.result;
    if (exitCode === 0) return [{ id, state: 'ok', text: stdout.split('\n', 1)[0] ?? '' }];
    return [
      {
        id,
        state: 'warn',
        text: `${command} --version ended with ${exitCode ?? 'a signal'}. ${without}`,
        fix: `Install ${id} anew.`,
      },
    ];
  } catch (error) {
    const why =
      codeOf(error) === 'ENOENT' || /ENOENT|not found/.test(messageOf(error))
        ? `${command} is not on the PATH`
        : messageOf(error);
    return [
      { id, state: 'warn', text: `${why}. ${without}`, fix: `Install it: apt-get install ${id}, brew install ${id}` },
    ];
  }
}

async function home({ home: folder, root }: Workbench): Promise<readonly Check[]> {
  return [{ id: 'home', state: 'ok', text: `${visible(folder)}; the project is ${visible(root)}` }];
}

/** What was in a file that is written in place, while it is written: such a copy stays only if the writing did not end. */
async function copies({ home: folder }: Workbench): Promise<readonly Check[]> {
  const place = path.join(folder, 'cache', 'kern-backups');
  let names: readonly string[];
  try {
    names = (await readdir(place)).toSorted();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    return [{ id: 'copies', state: 'warn', text: `${place} cannot be read: ${messageOf(error)}` }];
  }
  if (names.length === 0) return [];
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : '';
  return [
    {
      id: 'copies',
      state: 'warn',
      text: `kern may have been killed while it wrote into a file; what was in it before is in ${place}: ${names.slice(0, mostNames).join(', ')}${more}`,
      fix: 'After the first - stands the name of the file. Compare the two: copy the old content back where the file is torn, then remove the copy.',
    },
  ];
}

/** Of copies, in one line. */
const mostNames = 10;

async function config({ config: settings }: Workbench): Promise<readonly Check[]> {
  const problems = await settings.problems();
  if (problems.length === 0) {
    const files = settings.files().filter(({ exists }) => exists);
    return [
      {
        id: 'config',
        state: 'ok',
        text:
          files.length === 0
            ? 'no config file: everything is at its default'
            : files.map(({ file }) => file).join(', '),
      },
    ];
  }
  return problems.map(({ file, line, key, message }): Check => {
    const place = file === undefined ? '' : `${file}${line === undefined ? '' : `:${line}`}: `;
    return { id: 'config', state: 'warn', text: `${place}${key === undefined ? '' : `${key}: `}${message}` };
  });
}

async function plugins(bench: Workbench): Promise<readonly Check[]> {
  const reports = await bench.plugins();
  const bad = reports.filter(({ failure }) => failure !== undefined);
  const wrong = bad.map(
    ({ id, state, source, failure }): Check => ({
      id: 'plugins',
      state: 'fail',
      text: `${id} ${state === 'active' ? 'kept its old version' : 'failed'}: ${failure?.message ?? ''} (${visible(source)})`,
      fix: failure?.hint ?? `Mend it, or switch it off: kern plugins disable ${id}`,
    }),
  );
  const strays = bench
    .strays()
    .map(({ path, message }): Check => ({ id: 'plugins', state: 'warn', text: `${path}: ${message}` }));
  if (wrong.length + strays.length > 0) return [...wrong, ...strays];
  const extensions = reports.filter(({ level, state }) => level !== 'builtin' && state === 'active').length;
  return [{ id: 'plugins', state: 'ok', text: `${reports.length} known, ${extensions} of them extensions that run` }];
}

async function trust(bench: Workbench): Promise<readonly Check[]> {
  const { state, items } = await bench.trust.status();
  const open = items.filter((item) => item.state !== 'trusted');
  if (open.length === 0)
    return [
      {
        id: 'trust',
        state: 'ok',
        text:
          state === 'nothing'
            ? 'this project declares nothing that would run'
            : 'what this project declares is trusted',
      },
    ];
  const names = open.map(
    ({ kind, id, state: own }) => `${kind}:${visible(id)}${own === 'changed' ? ' (changed)' : ''}`,
  );
  return [
    {
      id: 'trust',
      state: 'warn',
      text: `not trusted, so it does not run: ${names.join(', ')}`,
      fix: 'Look at it, then: kern trust grant',
    },
  ];
}

async function modelChecks({ view, signal }: CommandHost): Promise<readonly Check[]> {
  try {
    const usable = (await view.service(models).list(signal)).filter(({ available }) => available);
    const chosen = await view.service(models).resolve(undefined, signal);
    const providers = [...new Set(usable.map(({ provider }) => provider))];
    return [
      {
        id: 'models',
        state: 'ok',
        text: `${chosen.id} is used; ${usable.length} models of ${providers.join(', ') || chosen.provider}`,
      },
    ];
  } catch (error) {
    const hint =
      typeof error === 'object' && error !== null && 'hint' in error && typeof error.hint === 'string'
        ? error.hint
        : undefined;
    return [
      {
        id: 'models',
        state: codeOf(error) === 'no_model' ? 'warn' : 'fail',
        text: messageOf(error),
        ...(hint === undefined ? {} : { fix: hint }),
      },
    ];
  }
}

/** What somebody has described of models, and how it is not taken. */
async function descriptions({ view, signal }: CommandHost): Promise<readonly Check[]> {
  const reader = view.use(modelProblems);
  await reader.load(signal);
  return reader.items().map(
    ({ text }): Check => ({
      id: 'models',
      state: 'warn',
      text: visible(text),
      fix: 'What the mistake is in is left out, and nothing takes its place: `kern docs models` shows the form.',
    }),
  );
}

async function keys({ view }: CommandHost): Promise<readonly Check[]> {
  await view.use(auth).load();
  const problems = view.service(auth).problems?.() ?? [];
  return problems.map((text): Check => ({ id: 'auth', state: 'warn', text: visible(text) }));
}
