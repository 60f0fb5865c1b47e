import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** A home folder for a file of tests: start files of the machine's user have no part in them. */
export function ownHome(): string {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'kern-home-')));
  process.env.HOME = home;
  afterAll(() => rmSync(home, { recursive: true, force: true }));
  return home;
}
