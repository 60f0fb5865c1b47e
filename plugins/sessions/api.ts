export { buildSessionContext, type ContextSource, compactionUndoneType } from './context.ts';
export { entryLine as sessionEntryLine, headerLine } from './dialect.ts';
export { compactionMessage, messageOfEntry } from './entry-message.ts';
export { wellFormed } from './read/well-formed.ts';
export { messageForModel, missingResult, pairedMessages } from './valid-context.ts';
