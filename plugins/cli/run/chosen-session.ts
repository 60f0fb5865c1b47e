import path from 'node:path';
import { type CommandArgs, type CommandHost, type SessionOptions, type SessionSummary, sessions } from 'kern/contracts';
import { codeOf, KernError, type Ui, visible } from 'kern/plugin';

/** What the line says of the session to go on in, and the words that are left for the model. */
export interface ChosenSession {
  readonly options: Pick<SessionOptions, 'resume' | 'fork' | 'sessionDir'>;
  readonly words: readonly string[];
}

/** Of those that could be meant, so many are shown. */
const shownSessions = 15;

/** From `-c`, `-r`, `--session` and `--fork` to a file. `ui`: the person who may choose, where one is there. */
export async function chosenSession(
  { options, positionals, shared }: CommandArgs,
  host: Pick<CommandHost, 'view' | 'say' | 'signal'>,
  ui: Ui | undefined,
): Promise<ChosenSession> {
  refuseContradictions(options);
  const { cwd } = shared;
  const { sessionDir } = options;
  const dir = typeof sessionDir === 'string' ? path.resolve(cwd, sessionDir) : undefined;
  const isFork = options.fork !== undefined;
  const done = (resume: string | undefined, words = positionals): ChosenSession => ({
    options: {
      ...(resume === undefined ? {} : { resume }),
      ...(resume !== undefined && isFork ? { fork: true } : {}),
      ...(dir === undefined ? {} : { sessionDir: dir }),
    },
    words,
  });
  const known = host.view.service(sessions);
  if (options.continue === true) {
    const latest = await known.latest({ cwd, dir });
    if (latest === undefined) host.say('kern: there is no session of this folder yet: a new one begins');
    return done(latest);
  }
  const given = [options.session, options.resume, options.fork].find((text) => typeof text === 'string' && text !== '');
  if (typeof given === 'string') return done(await known.find(given, { cwd, dir }));
  if (options.resume === undefined && !isFork) return done(undefined);
  // `-r 0193a1 "go on"`: the first word may be the id.
  const [first, ...others] = positionals;
  const named = first === undefined ? undefined : await namedBy(first, (wanted) => known.find(wanted, { cwd, dir }));
  if (named !== undefined) return done(named, others);
  const listed = await known.list({ cwd, dir, signal: host.signal });
  return done(await choose(listed, ui));
}

/** What stands for a session: by itself or with an id it says which. */
function refuseContradictions({
  continue: latest,
  resume,
  session,
  fork,
  noSession,
  name,
}: CommandArgs['options']): void {
  if (session === '')
    throw new KernError('usage', '--session needs the path or the id of a session', {
      hint: '`kern sessions` lists those of this folder; -c goes on in the latest.',
    });
  const saying = [
    ...(latest === true ? ['--continue'] : []),
    ...(resume === undefined ? [] : ['--resume']),
    ...(session === undefined ? [] : ['--session']),
    ...(typeof fork === 'string' && fork !== '' ? [`--fork ${fork}`] : []),
  ];
  if (saying.length > 1)
    throw new KernError('usage', `${saying.slice(0, -1).join(', ')} and ${saying.at(-1)} each choose a session`, {
      hint: 'Give one of them.',
    });
  if (noSession === true && name !== undefined)
    throw new KernError('usage', '--name names a session that --no-session does not keep');
}

/** A word that names a session. One that only might is a message where no session is meant by it. */
async function namedBy(word: string, find: (wanted: string) => Promise<string>): Promise<string | undefined> {
  const isPath = word.endsWith('.jsonl');
  // An id begins with its time: so a word of letters is none.
  const isId = /^[0-9a-f]{4}[0-9a-f-]*$/i.test(word) && /\d/.test(word);
  if (!isPath && !isId) return undefined;
  try {
    return await find(word);
  } catch (error) {
    const isSure = isPath || word.length >= 8 || codeOf(error) === 'session_ambiguous';
    if (isSure) throw error;
    return undefined;
  }
}

async function choose(listed: readonly SessionSummary[], ui: Ui | undefined): Promise<string> {
  if (listed.length === 0)
    throw new KernError('session_not_found', 'there is no session of this folder', {
      hint: '`kern sessions list --all` shows those of other folders.',
    });
  const newest = listed.slice(0, shownSessions);
  if (ui === undefined)
    throw new KernError('usage', 'nobody is here to choose a session: give its id', {
      hint: `The newest of this folder:\n${newest
        .slice(0, 5)
        .map((one) => `  ${one.id}  ${lineOf(one)}`)
        .join('\n')}`,
    });
  const lines = newest.map((one, nth) => `${lineOf(one)}  ${one.id.slice(-6)}${nth === 0 ? '  (newest)' : ''}`);
  const chosen = await ui.select('Which session?', lines);
  const file = newest[chosen === undefined ? -1 : lines.indexOf(chosen)]?.file;
  if (file === undefined) throw new KernError('usage', 'no session was chosen');
  return file;
}

function lineOf({ modified, name, firstMessage, messages }: SessionSummary): string {
  const about = visible(name ?? firstMessage)
    .replace(/\s+/g, ' ')
    .trim();
  const short = about.length > 60 ? `${about.slice(0, 59)}…` : about;
  return `${modified.slice(0, 16).replace('T', ' ')}  ${short === '' ? '(nothing said)' : short}  (${messages} messages)`;
}
