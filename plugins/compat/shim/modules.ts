import type { foreignModules } from '../contract.ts';
import type { Around } from './shelter.ts';
import { strictModule } from './strict.ts';

export type ForeignKind = keyof typeof foreignModules;

export interface ModuleParts {
  readonly name: string;
  /** KERN_HOME, which stands for the folder of the other agent. */
  readonly home: string;
  readonly around: Around;
}

/** What a name leads to, each part loaded when it is first imported. */
export async function makeModule(kind: ForeignKind, { name, home, around }: ModuleParts): Promise<object> {
  return strictModule(name, await exportsOf(kind, home, around));
}

async function exportsOf(kind: ForeignKind, home: string, around: Around): Promise<Readonly<Record<string, unknown>>> {
  switch (kind) {
    case 'coding-agent':
      return (await import('./coding-agent.ts')).codingAgent(home, around);
    case 'agent-core':
      return {};
    case 'tui':
      return { ...(await import('./tui/all.ts')) };
    case 'ai':
      return { ...(await import('./ai.ts')) };
    case 'typebox':
      return (await import('./typebox.ts')).typebox;
    case 'typebox-value':
      return { ...(await import('./typebox-value.ts')) };
    case 'typebox-compile':
      return { ...(await import('./typebox-compile.ts')) };
  }
}
