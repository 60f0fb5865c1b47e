import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Desk, openDesk } from '../../cli/test/line.ts';

/** The programs of these tests are written for a shell. */
export const noShell = process.platform === 'win32';

export interface ToolDesk extends Desk {
  /** Writes a tool of the person: a shell script that may be run, or a module. */
  tool(name: string, text: string): string;
  /** The same, of the project. */
  ofProject(name: string, text: string): string;
}

export async function toolDesk(files: Readonly<Record<string, string>> = {}): Promise<ToolDesk> {
  const desk = await openDesk({ '.git/HEAD': '', ...files });
  return Object.assign(desk, {
    tool: (name: string, text: string) => writeTool(path.join(desk.home, 'tools', name), text),
    ofProject: (name: string, text: string) => writeTool(path.join(desk.project, '.kern/tools', name), text),
  });
}

export function writeTool(file: string, text: string): string {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, file.endsWith('.sh') ? `#!/bin/sh\n${text}\n` : text);
  if (file.endsWith('.sh')) chmodSync(file, 0o755);
  return file;
}

/** A script that prints `json` when it is to describe itself, and else does `text`. */
export const described = (json: string, text: string): string =>
  `if [ "$1" = --describe ]; then echo '${json}'; exit 0; fi\n${text}`;
