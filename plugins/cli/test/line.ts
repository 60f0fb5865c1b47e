import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Writable } from 'node:stream';
import { answerOrReport } from '../answer.ts';
import { compose } from '../compose.ts';

/** What a line came to. */
export interface Answer {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A project and a home of its own, in which lines are answered without a process of their own. */
export interface Desk extends AsyncDisposable {
  readonly project: string;
  /** Stands for KERN_HOME. */
  readonly home: string;
  write(name: string, text: string): string;
  kern(...argv: string[]): Promise<Answer>;
  /** The same, parsed: for lines with --json. */
  json(...argv: string[]): Promise<unknown>;
  /** The same place with other variables. */
  at(env: Readonly<Record<string, string>>): Pick<Desk, 'kern'>;
}

export async function openDesk(
  files: Readonly<Record<string, string>> = {},
  env: Readonly<Record<string, string>> = {},
): Promise<Desk> {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'kern-desk-')));
  const project = path.join(folder, 'project');
  const home = path.join(folder, 'home');
  const write = (name: string, text: string): string => {
    const file = path.join(project, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  mkdirSync(home, { mode: 0o700 });
  mkdirSync(project);
  for (const [name, text] of Object.entries(files)) write(name, text);
  const kernIn = async (more: Readonly<Record<string, string>>, argv: readonly string[]): Promise<Answer> => {
    const [out, err] = [collector(), collector()];
    const code = await answerOrReport(argv, {
      stdin: process.stdin,
      piped: undefined,
      stdout: out.stream,
      stderr: err.stream,
      env: { PATH: process.env.PATH ?? '', HOME: folder, KERN_HOME: home, ...env, ...more },
      cwd: project,
      signal: new AbortController().signal,
      version: '0.0.0-test',
      compose,
    });
    return { code, out: out.text(), err: err.text() };
  };
  const kern = (...argv: string[]): Promise<Answer> => kernIn({}, argv);
  return {
    project,
    home,
    write,
    kern,
    at: (more) => ({ kern: (...argv) => kernIn(more, argv) }),
    json: async (...argv) => JSON.parse((await kern(...argv, '--json')).out),
    [Symbol.asyncDispose]: async () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}

function collector(): { readonly stream: NodeJS.WriteStream; text(): string } {
  let text = '';
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      text += String(chunk);
      done();
    },
  });
  // What a command uses of its streams is what any stream has.
  return { stream: stream as unknown as NodeJS.WriteStream, text: () => text };
}
