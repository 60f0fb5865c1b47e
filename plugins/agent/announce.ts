import type { CustomMessage, Message, PromptSection, ToolFace } from 'kern/contracts';

/** What kern itself tells the model in the middle of a conversation carries this type. */
export const announcementType = 'kern.announcement';

/** What an announcement told, so that a resumed session does not tell it again. */
export interface Told {
  /** Instructions by section; without a text: they no longer hold. */
  readonly sections: readonly { readonly id: string; readonly text?: string }[];
  /** Tools by name, with what became of them. */
  readonly tools: ToolNews;
}

export interface ToolNews {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** A change that follows the prefix as a message: what was sent before stays byte for byte, and prompt caches live. */
export function announcement(text: string, details?: Told): CustomMessage {
  return {
    role: 'custom',
    customType: announcementType,
    content: [{ type: 'text', text }],
    display: false,
    ...(details === undefined ? {} : { details }),
    timestamp: Date.now(),
  };
}

/** What a message told, if it is an announcement. */
export function toldBy(message: Message): Told | undefined {
  if (message.role !== 'custom' || message.customType !== announcementType) return undefined;
  const { details } = message;
  return typeof details === 'object' && details !== null && 'sections' in details && 'tools' in details
    ? (details as Told)
    : undefined;
}

/**
 * The tools of the next request: those sent before keep their place, new ones follow at the end. Without a difference
 * the bytes are the very same.
 */
export function nextTools(
  sent: readonly ToolFace[],
  now: readonly ToolFace[],
): { readonly faces: readonly ToolFace[]; readonly news: ToolNews } {
  const current = new Map(now.map((face) => [face.name, face]));
  const before = new Set(sent.map(({ name }) => name));
  const added = now.filter(({ name }) => !before.has(name));
  return {
    faces: [...sent.flatMap(({ name }) => current.get(name) ?? []), ...added],
    news: {
      added: added.map(({ name }) => name),
      changed: sent.filter((face) => isChanged(face, current.get(face.name))).map(({ name }) => name),
      removed: sent.filter(({ name }) => !current.has(name)).map(({ name }) => name),
    },
  };
}

/** What was told of the tools is taken as sent: a tool of which nothing is known stands there by its name. */
export function asTold(sent: readonly ToolFace[], news: ToolNews, now: readonly ToolFace[]): readonly ToolFace[] {
  const current = new Map(now.map((face) => [face.name, face]));
  const changed = new Set(news.changed);
  const gone = new Set([...news.removed, ...news.added]);
  const stayed = sent.filter(({ name }) => !gone.has(name));
  const added = news.added.map((name) => current.get(name) ?? { name, description: '', inputSchema: {} });
  return [...stayed.map((face) => (changed.has(face.name) ? (current.get(face.name) ?? face) : face)), ...added];
}

function isChanged(sent: ToolFace, now: ToolFace | undefined): boolean {
  if (now === undefined || sent === now) return false;
  return sent.description !== now.description || JSON.stringify(sent.inputSchema) !== JSON.stringify(now.inputSchema);
}

/** What became of the tools, as the model reads it; empty where nothing did. */
export function toolLines({ added, changed, removed }: ToolNews): string {
  return [
    says('Tools now available', added),
    says('Tools that changed', changed),
    says('Tools no longer available', removed),
  ]
    .filter((line) => line !== '')
    .join('\n');
}

const says = (what: string, names: readonly string[]): string =>
  names.length === 0 ? '' : `${what}: ${names.join(', ')}.`;

/** What changed in the instructions since they were told, by section. */
export function sectionNews(told: ReadonlyMap<string, string>, now: readonly PromptSection[]): Told['sections'] {
  const current = new Set(now.map(({ id }) => id));
  return [
    ...now.filter(({ id, text }) => told.get(id) !== text),
    ...Array.from(told.keys(), (id) => ({ id })).filter(({ id }) => !current.has(id)),
  ];
}

/** The same as the model reads it, a paragraph each. */
export function sectionLines(told: ReadonlyMap<string, string>, news: Told['sections']): readonly string[] {
  return news.map(({ id, text }) => {
    if (text === undefined) return `The instructions "${id}" no longer hold.`;
    return told.has(id)
      ? `The instructions "${id}" changed. They now read:\n${text}`
      : `These instructions (${id}) are new:\n${text}`;
  });
}
