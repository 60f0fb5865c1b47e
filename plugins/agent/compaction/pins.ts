import { compactionPins, type Job, jobs, type PinnedText } from 'kern/contracts';
import type { View } from 'kern/plugin';
import type { Requests } from './details.ts';
import type { FileLists } from './files.ts';

/** A list of hundreds of files is no help; the newest are. */
const shownFiles = 300;

/** What plugins pin, and the commands that run in the background. Of two with one id the first counts. */
export async function askedPins(view: View, sessionId: string): Promise<readonly PinnedText[]> {
  const answers = await view.call(compactionPins, { sessionId });
  const own = jobsPin(view, sessionId);
  const pins = new Map<string, PinnedText>();
  for (const pin of [...answers.flat().filter(isPin), ...(own === undefined ? [] : [own])])
    if (!pins.has(pin.id) && pin.text !== '') pins.set(pin.id, { id: pin.id, title: pin.title, text: pin.text });
  return [...pins.values()];
}

/** What kern pins of what it no longer shows. */
export function ownPins(requests: Requests, files: FileLists): readonly PinnedText[] {
  const { texts } = requests;
  return [
    ...(texts.length === 0
      ? []
      : [{ id: 'kern.request', title: 'What the person asked for, word for word', text: texts.join('\n\n') }]),
    ...filesPin('kern.files-changed', 'Files changed so far', files.changed),
    ...filesPin('kern.files-read', 'Files read so far', files.read),
  ];
}

/** A summary, and right behind it, word for word, what is pinned. */
export function withPins(summary: string, pins: readonly PinnedText[]): string {
  return [summary.trim(), ...pins.map(({ title, text }) => `## ${title}\n\n${text}`)].join('\n\n');
}

function filesPin(id: string, title: string, files: readonly string[]): readonly PinnedText[] {
  if (files.length === 0) return [];
  const more = files.length - shownFiles;
  const lines = more > 0 ? [`(and ${more} before these)`, ...files.slice(-shownFiles)] : files;
  return [{ id, title, text: lines.join('\n') }];
}

function jobsPin(view: View, sessionId: string): PinnedText | undefined {
  // Where nobody has started a command in the background yet, its service sleeps.
  const running = view
    .use(jobs)
    .items()
    .flatMap((service) => service.list(sessionId))
    .filter(({ end }) => end === undefined);
  if (running.length === 0) return undefined;
  return { id: 'kern.jobs', title: 'Commands that run in the background', text: running.map(jobLine).join('\n') };
}

function jobLine({ id, label, cwd, log, startedAt }: Job): string {
  const since = new Date(startedAt).toISOString();
  return `${id}: ${label.split('\n', 1)[0]} (in ${cwd}, since ${since}; its output: artifact://${log.id})`;
}

function isPin(value: unknown): value is PinnedText {
  return (
    typeof value === 'object' &&
    value !== null &&
    ['id', 'title', 'text'].every((name) => typeof (value as Record<string, unknown>)[name] === 'string')
  );
}
