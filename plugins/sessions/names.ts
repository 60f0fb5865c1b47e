import { createHash } from 'node:crypto';
import { join } from 'node:path';

/** These become names and no secrets: for them alone the start does not wait 5 ms until node:crypto has loaded. */
function randomBytes(count: number): Buffer {
  const bytes = Buffer.alloc(count);
  for (let at = 0; at < count; at += 1) bytes[at] = Math.floor(Math.random() * 256);
  return bytes;
}

/** Hex digits that nobody else has. */
export const randomHex = (bytes: number): string => randomBytes(bytes).toString('hex');

/** An id whose order is that of time: UUID version 7. */
export function sessionId(now: number = Date.now()): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(now, 0, 6);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x70;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** 8 hex digits that no entry of the session has yet. */
export function entryId(isTaken: (id: string) => boolean): string {
  for (;;) {
    const id = randomHex(4);
    if (!isTaken(id)) return id;
  }
}

/** File systems allow 255 bytes a name; what is longer keeps its end, where folders differ, and gets a digest. */
const longestName = 200;

/** The folder of a working directory's sessions, as pi names it: `--home-user-repo--`. */
export function folderName(cwd: string): string {
  const name = cwd.replace(/^[/\\]/, '').replace(/[/\\:]/g, '-');
  if (Buffer.byteLength(name) <= longestName) return `--${name}--`;
  const digest = createHash('sha256').update(cwd).digest('hex').slice(0, 16);
  let end = name;
  while (Buffer.byteLength(end) > longestName - 17) end = end.slice(1);
  return `--${digest}-${end}--`;
}

/** `KERN_HOME/sessions`. */
export const sessionsRoot = (home: string): string => join(home, 'sessions');

/** `<time>_<id>.jsonl`. */
export const fileName = (timestamp: string, id: string): string => `${timestamp.replace(/[:.]/g, '-')}_${id}.jsonl`;

/** `KERN_HOME/sessions/--<cwd>--/<time>_<id>.jsonl`. */
export function sessionFile(home: string, cwd: string, timestamp: string, id: string): string {
  return join(sessionsRoot(home), folderName(cwd), fileName(timestamp, id));
}

/** Where the long outputs of a session lie. */
export const artifactFolder = (file: string): string => file.replace(/\.[^./\\]+$/, '');
