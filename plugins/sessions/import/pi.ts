import { join } from 'node:path';
import type { SessionSource } from 'kern/contracts';
import { headLines, textOf } from './transcript-lines.ts';

/** Sessions of pi. They also open as they are; taken over, they lie among ours, and pi's stay with pi. */
export const pi: SessionSource = {
  id: 'pi',
  displayName: 'pi',
  folders: ({ home, env }) => [join(env.PI_CODING_AGENT_DIR ?? join(home, '.pi', 'agent'), 'sessions')],
  recognizes: (head) => isSession(head) && !isOfOhMyPi(head),
  cwdOf,
  read: async (file, signal) => (await import('./pi-read.ts')).readPi(file, signal),
};

/** Sessions of oh-my-pi. */
export const ohMyPi: SessionSource = {
  id: 'oh-my-pi',
  displayName: 'oh-my-pi',
  // It takes the variable of pi, too: what lies there is told apart by what it says.
  folders: ({ home, env }) =>
    [join(home, '.omp', 'agent'), ...(env.PI_CODING_AGENT_DIR === undefined ? [] : [env.PI_CODING_AGENT_DIR])].map(
      (folder) => join(folder, 'sessions'),
    ),
  recognizes: (head) => isSession(head) && isOfOhMyPi(head),
  cwdOf,
  read: async (file, signal) => (await import('./pi-read.ts')).readPi(file, signal),
};

const isSession = (head: string): boolean =>
  headLines(head)
    .slice(0, 5)
    .some(({ type, id }) => type === 'session' && typeof id === 'string');

/** It keeps a title before the header, or in it, and names a model by one word. */
function isOfOhMyPi(head: string): boolean {
  return headLines(head).some(
    (line) =>
      (line.type === 'title' && line.id === undefined) ||
      (line.type === 'session' && 'titleSource' in line) ||
      (line.type === 'model_change' && typeof line.model === 'string'),
  );
}

function cwdOf(head: string): string | undefined {
  return textOf(headLines(head).find(({ type }) => type === 'session')?.cwd);
}
