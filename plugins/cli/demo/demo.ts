import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  agentSessions,
  type CommandArgs,
  type CommandHost,
  type RunResult,
  type Workbench,
  workbench,
} from 'kern/contracts';
import { type Context, KernError, type View } from 'kern/plugin';
import { makeProject } from './project.ts';
import { Stage } from './stage.ts';

interface Scene {
  readonly name: string;
  readonly title: string;
  readonly prompt: string;
}

const scenes: readonly Scene[] = [
  {
    name: 'fix-a-test',
    title: '1. A failing test in a small repository',
    prompt: 'Find out why the test fails, and fix it.',
  },
  {
    name: 'write-a-tool',
    title: '2. A tool that is not there yet',
    prompt: 'How many words has README.md? Count them with a tool of your own.',
  },
];

/** The two scenes, in a temporary folder that is gone afterwards. */
export async function demo(ctx: Context, args: CommandArgs, host: CommandHost): Promise<number> {
  await host.view.use(workbench).load();
  const bench = host.view.service(workbench);
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'kern-demo-')));
  const clean = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  ctx.onCrash(clean);
  const { json } = args.shared;
  const project = path.join(folder, 'duration');
  const stage = new Stage(json ? () => {} : (line) => host.print(line), host.color, project);
  try {
    const played = await play(bench, folder, project, stage, host);
    if (json) host.json({ scripted: true, scenes: played, ok: true });
    else for (const line of ending(bench)) host.print(line);
    return 0;
  } finally {
    clean();
  }
}

async function play(
  bench: Workbench,
  folder: string,
  project: string,
  stage: Stage,
  host: CommandHost,
): Promise<readonly object[]> {
  stage.line('This is what kern does. There is no model in it: the replies are scripted, read from a file.');
  stage.line('Everything else is real: the session, the tools, the test runs, the edit, the reload.');
  const hasGit = await makeProject(project, host);
  if (!hasGit) stage.line('(git is not there, so the folder is not a repository. Nothing else changes.)');
  const home = path.join(folder, 'home');
  mkdirSync(home, { mode: 0o700 });
  await using house = await bench.elsewhere({ cwd: project, home, trust: true, permissionMode: 'all' });
  const played: object[] = [];
  for (const scene of scenes) {
    stage.title(scene.title);
    stage.line(`you    ${scene.prompt}`);
    const before = stage.calls.length;
    const run = await runScene(scene, house.view, scriptOf(scene, bench, folder), stage, host);
    played.push({ name: scene.name, turns: run.turns, calls: stage.calls.slice(before), text: run.text });
  }
  return played;
}

async function runScene(
  { prompt }: Scene,
  view: View,
  script: string,
  stage: Stage,
  { signal }: CommandHost,
): Promise<RunResult> {
  await view.use(agentSessions).load();
  const { cwd } = view.where;
  await using session = await view
    .service(agentSessions)
    .create({ view, cwd, model: `script/${script}`, persist: false });
  const subscription = session.subscribe((event) => stage.show(event));
  const abort = (): void => void session.abort();
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    const run = await session.prompt({ text: prompt });
    if (run.status === 'ok') return run;
    throw new KernError(
      run.error?.code ?? 'demo_failed',
      `the demo stopped: ${run.error?.message ?? run.status}`,
      run.error?.hint === undefined ? {} : { hint: run.error.hint },
    );
  } finally {
    signal.removeEventListener('abort', abort);
    subscription.dispose();
  }
}

/** The script with the place of this Node in it: the one on the PATH may be missing, or too old. */
function scriptOf({ name }: Scene, { program }: Workbench, folder: string): string {
  const text = readFileSync(path.join(program.root, 'plugins', 'cli', 'demo', `${name}.yml`), 'utf8');
  const file = path.join(folder, `${name}.yml`);
  const node = JSON.stringify(JSON.stringify(process.execPath)).slice(1, -1);
  writeFileSync(file, text.replaceAll('{{node}}', node));
  return file;
}

function ending({ program }: Workbench): readonly string[] {
  const isCheckout = existsSync(path.join(program.root, 'plugins', 'cli', 'setup.mjs'));
  return [
    '',
    'The replies were scripted; everything else was real. Three ways to get a model:',
    '',
    '  1. a key          export ANTHROPIC_API_KEY=…   or   export OPENAI_API_KEY=…',
    '  2. a local one    start Ollama, LM Studio, llama.cpp or vLLM: it is found on its usual port',
    '  3. any server     export OPENAI_BASE_URL=https://…/v1   or describe it in ~/.kern/models.yml',
    '',
    `Then: ${isCheckout ? 'npm start -- "find the failing test and fix it"' : 'kern "find the failing test and fix it"'}`,
  ];
}
