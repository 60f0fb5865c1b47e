/** What it takes to read a file, and to write it anew: a session that begins needs none of it. */
export { EntryReader } from './entry-reader.ts';
export { rewriteOf } from './rewrite.ts';
export { scanned } from './scanned.ts';
export { LineSource, parsedLine } from './source.ts';
