import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ToolContext } from 'kern/contracts';
import { onTestFinished } from 'vitest';

export interface TestContext extends ToolContext {
  readonly dir: string;
  /** Files that were reported as written. */
  readonly written: string[];
}

/** A folder of its own for a test, gone with it. */
export function testFolder(): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'kern-tools-')));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** What a tool gets, without a kernel. */
export function testContext(dir: string = testFolder()): TestContext {
  const written: string[] = [];
  return {
    dir,
    written,
    where: { cwd: dir, root: dir, home: dir },
    sessionId: 'test',
    touched: (paths) => void written.push(...paths),
    spawn: () => {
      throw new Error('this test starts no processes');
    },
    artifacts: async () => dir,
  };
}
