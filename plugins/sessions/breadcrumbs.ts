import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolderSync } from 'kern/plugin';
import { randomHex } from './names.ts';
import type { Terminal } from './terminal.ts';

/** Which session each terminal had last: `KERN_HOME/terminal-sessions/<terminal>`. */
export class Breadcrumbs {
  readonly #folder: string;
  readonly #terminal: () => Terminal | undefined;

  constructor(home: string, terminal: () => Terminal | undefined) {
    this.#folder = join(home, 'terminal-sessions');
    this.#terminal = terminal;
  }

  /** A session is on in this terminal. False where there is none that could remember it. */
  leave(cwd: string, file: string): boolean {
    const terminal = this.#terminal();
    // A line each, and no name of a folder may make another one.
    if (terminal === undefined || `${cwd}${file}`.includes('\n')) return false;
    const crumb = join(this.#folder, terminal.id);
    const draft = `${crumb}.${randomHex(4)}.tmp`;
    makeFolderSync(this.#folder, 0o700);
    writeFileSync(draft, `${[cwd, file, terminal.leader ?? ''].join('\n')}\n`, { flag: 'wx', mode: 0o600 });
    renameSync(draft, crumb);
    return true;
  }

  /** The session that this terminal had last, if that was in this folder. */
  find(cwd: string): string | undefined {
    const terminal = this.#terminal();
    if (terminal === undefined) return undefined;
    try {
      const [where, file, leader] = readFileSync(join(this.#folder, terminal.id), 'utf8').split('\n');
      return where === cwd && leader === (terminal.leader ?? '') ? file : undefined;
    } catch {
      // There is none, or none that can be read.
      return undefined;
    }
  }
}
