import { type CustomMessage, type FileMentionMessage, type Message, messageOfEntry, type Prompt } from 'kern/contracts';

/** Files that a person named with `@`, as a model reads them. */
export const fileMentionType = 'kern.file-mention';

/** What a prompt says: first the files that it names, then its words. */
export function promptMessages({ text, images = [], files = [], custom }: Prompt): readonly Message[] {
  if (custom !== undefined) return [customMessage({ text, images }, custom)];
  const user: Message = { role: 'user', content: [{ type: 'text', text }, ...images], timestamp: Date.now() };
  return files.length === 0 ? [user] : [mentionMessage(files), user];
}

/** What was left for the next prompt to take along. */
export function noteMessage({ text, images = [], custom }: Prompt): CustomMessage {
  return customMessage({ text, images }, custom ?? { customType: 'kern.note', display: true });
}

function customMessage(
  { text, images }: Required<Pick<Prompt, 'text' | 'images'>>,
  custom: NonNullable<Prompt['custom']>,
): CustomMessage {
  return { role: 'custom', content: [{ type: 'text', text }, ...images], timestamp: Date.now(), ...custom };
}

/** The files of a message that was made of them. */
export function mentionOf(message: Message): FileMentionMessage | undefined {
  if (message.role !== 'custom' || message.customType !== fileMentionType) return undefined;
  const { details, timestamp } = message;
  return typeof details === 'object' && details !== null && 'files' in details && Array.isArray(details.files)
    ? { role: 'fileMention', files: details.files as FileMentionMessage['files'], timestamp }
    : undefined;
}

/** Read as it will be read when the session is resumed: the same bytes. */
function mentionMessage(files: NonNullable<Prompt['files']>): CustomMessage {
  const timestamp = Date.now();
  const message: FileMentionMessage = { role: 'fileMention', files, timestamp };
  const read = messageOfEntry({ type: 'message', id: '', parentId: null, timestamp: '', message });
  const content = read?.role === 'custom' ? read.content : [];
  return { role: 'custom', customType: fileMentionType, content, display: true, details: { files }, timestamp };
}
