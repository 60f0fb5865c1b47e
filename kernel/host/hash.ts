import { hash } from 'node:crypto';

/** What tells two contents of a file apart, for the loader, the watcher and the trust ledger alike. */
export function contentHash(content: string | Uint8Array): string {
  return hash('sha256', content, 'hex');
}
