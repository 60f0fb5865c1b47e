import type { CustomMessage, Message, Prompt } from 'kern/contracts';

/** Files that a person named with `@`, in the context. */
export const fileMentionType = 'kern.file-mention';

/** What a prompt says: first the files that it names, then its words. */
export function promptMessages({ text, images = [], files = [] }: Prompt): readonly Message[] {
  const user: Message = { role: 'user', content: [{ type: 'text', text }, ...images], timestamp: Date.now() };
  return files.length === 0 ? [user] : [mentionMessage(files), user];
}

/** What was left for the next prompt to take along. */
export function noteMessage({ text, images = [] }: Prompt): CustomMessage {
  const content = [{ type: 'text' as const, text }, ...images];
  return { role: 'custom', customType: 'kern.note', content, display: true, timestamp: Date.now() };
}

function mentionMessage(files: NonNullable<Prompt['files']>): CustomMessage {
  return {
    role: 'custom',
    customType: fileMentionType,
    content: files.map(({ path, content }) => ({ type: 'text', text: `<file path="${path}">\n${content}\n</file>` })),
    display: true,
    details: { files },
    timestamp: Date.now(),
  };
}
