import { basename } from 'node:path';
import type { SessionHeader } from 'kern/contracts';

/** The newest version that kern writes and understands. */
export const currentVersion = 3;

/** What the lines before the first entry say. */
export interface Heading {
  readonly header: SessionHeader;
  /** As it is written; undefined where there is none. */
  readonly raw: Readonly<Record<string, unknown>> | undefined;
  readonly version: number;
  /** oh-my-pi keeps the title of a session here. */
  readonly title: string | undefined;
  /** The first version said the model and the thinking level here. */
  readonly model: string | undefined;
  readonly thinking: string | undefined;
}

/** A version that is missing is the first; one that is no number is unknown. */
export function versionOf(raw: Readonly<Record<string, unknown>>): number {
  if (raw.version === undefined || raw.version === null) return 1;
  const version = Number(raw.version);
  return Number.isInteger(version) && version >= 1 ? version : Number.NaN;
}

export function headingOf(raw: Readonly<Record<string, unknown>>, file: string): Heading {
  const { id, timestamp, cwd, parentSession, title, provider, modelId, thinkingLevel } = raw;
  return {
    header: {
      ...raw,
      type: 'session',
      version: currentVersion,
      id: typeof id === 'string' && id !== '' ? id : idOfName(file),
      timestamp: typeof timestamp === 'string' ? timestamp : timeOfName(file),
      cwd: typeof cwd === 'string' ? cwd : '',
      ...(typeof parentSession === 'string' ? { parentSession } : {}),
    },
    raw,
    version: versionOf(raw),
    title: typeof title === 'string' && title !== '' ? title : undefined,
    model: typeof provider === 'string' && typeof modelId === 'string' ? `${provider}/${modelId}` : undefined,
    thinking: typeof thinkingLevel === 'string' ? thinkingLevel : undefined,
  };
}

/** Where a file has lost its first line: what its name tells. */
export function lostHeading(file: string): Heading {
  return {
    header: { type: 'session', version: currentVersion, id: idOfName(file), timestamp: timeOfName(file), cwd: '' },
    raw: undefined,
    version: currentVersion,
    title: undefined,
    model: undefined,
    thinking: undefined,
  };
}

/** `<time>_<id>.jsonl`. */
function idOfName(file: string): string {
  const name = basename(file).replace(/\.jsonl$/, '');
  return name.slice(name.lastIndexOf('_') + 1);
}

function timeOfName(file: string): string {
  const found = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)(?:-(\d{3}))?Z/.exec(basename(file));
  if (found === null) return new Date(0).toISOString();
  const [, day, hours, minutes, seconds, ms = '000'] = found;
  return `${day}T${hours}:${minutes}:${seconds}.${ms}Z`;
}
