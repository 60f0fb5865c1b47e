import type { CustomMessage, PromptSection, ToolFace } from 'kern/contracts';

/** What kern itself tells the model in the middle of a conversation carries this type. */
export const announcementType = 'kern.announcement';

/** A change that follows the prefix as a message: what was sent before stays byte for byte, and prompt caches live. */
export function announcement(text: string): CustomMessage {
  return {
    role: 'custom',
    customType: announcementType,
    content: [{ type: 'text', text }],
    display: false,
    timestamp: Date.now(),
  };
}

/**
 * The tools of the next request: those sent before keep their place, new ones follow at the end. The text says what
 * changed; without a change the list is the very same.
 */
export function nextTools(
  sent: readonly ToolFace[],
  now: readonly ToolFace[],
): { readonly faces: readonly ToolFace[]; readonly text: string | undefined } {
  if (sent.length === now.length && sent.every((face, index) => face === now[index]))
    return { faces: sent, text: undefined };
  const current = new Map(now.map((face) => [face.name, face]));
  const before = new Map(sent.map((face) => [face.name, face]));
  const removed = sent.filter(({ name }) => !current.has(name));
  const added = now.filter(({ name }) => !before.has(name));
  const changed = sent.filter((face) => isChanged(face, current.get(face.name)));
  if (removed.length + added.length + changed.length === 0) return { faces: sent, text: undefined };
  const stayed = sent.flatMap((face) => {
    const next = current.get(face.name);
    return next === undefined ? [] : [isChanged(face, next) ? next : face];
  });
  return {
    faces: [...stayed, ...added],
    text: [
      says('Tools now available', added),
      says('Tools that changed', changed),
      says('Tools no longer available', removed),
    ]
      .filter((line) => line !== '')
      .join('\n'),
  };
}

function isChanged(sent: ToolFace, now: ToolFace | undefined): boolean {
  if (now === undefined || sent === now) return false;
  return sent.description !== now.description || JSON.stringify(sent.inputSchema) !== JSON.stringify(now.inputSchema);
}

const says = (what: string, faces: readonly ToolFace[]): string =>
  faces.length === 0 ? '' : `${what}: ${faces.map(({ name }) => name).join(', ')}.`;

/** What changed in the instructions since they were told, by section. */
export function sectionChanges(told: ReadonlyMap<string, string>, now: readonly PromptSection[]): readonly string[] {
  const current = new Map(now.map(({ id, text }) => [id, text]));
  const lines: string[] = [];
  for (const [id, text] of current) {
    const before = told.get(id);
    if (before === undefined) lines.push(`These instructions (${id}) are new:\n${text}`);
    else if (before !== text) lines.push(`The instructions "${id}" changed. They now read:\n${text}`);
  }
  for (const id of told.keys()) {
    if (!current.has(id)) lines.push(`The instructions "${id}" no longer hold.`);
  }
  return lines;
}
