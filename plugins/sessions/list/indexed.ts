/** What is known of a file without reading it again. */
export interface Indexed {
  readonly size: number;
  readonly modifiedMs: number;
  /** It is no session. */
  readonly isNone?: true;
  /** Up to here whole lines were read, so that only what is added has to be; the bytes before it, to know that they still are there. */
  readonly at: number;
  readonly before: string;
  readonly id: string;
  readonly name: string;
  readonly cwd: string;
  readonly created: string;
  /** The time of the last entry. */
  readonly last: string;
  readonly messages: number;
  /** One more is on a last line that has no newline yet. */
  readonly tail: 0 | 1;
  readonly firstMessage: string;
  readonly parentSession?: string;
}

const texts = ['before', 'id', 'name', 'cwd', 'created', 'last', 'firstMessage'] as const;
const numbers = ['size', 'modifiedMs', 'at', 'messages', 'tail'] as const;

/** Whatever stands in the file of the index. */
export function isIndexed(value: unknown): value is Indexed {
  if (typeof value !== 'object' || value === null) return false;
  const record = value as Record<string, unknown>;
  return (
    texts.every((key) => typeof record[key] === 'string') &&
    numbers.every((key) => typeof record[key] === 'number') &&
    (record.parentSession === undefined || typeof record.parentSession === 'string')
  );
}
