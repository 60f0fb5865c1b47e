import { join } from 'node:path';
import { KernError } from 'kern/plugin';
import type { Ground } from './ground.ts';
import type { Table } from './table.ts';

const skills = 200;
const rules = 100;
const nested = 20;

interface Looked {
  readonly first: readonly number[];
  readonly again: readonly number[];
  readonly bare: readonly number[];
  readonly found: Readonly<Record<string, number>>;
}

/** All that lies in a project for agents, found by all providers: against reading the files, and nothing more. */
export async function discovery(ground: Ground): Promise<Table> {
  const place = ground.place();
  const words = 'Some words that say what is to be done here. '.repeat(20);
  for (let nth = 0; nth < skills; nth += 1)
    place.write(
      `.agents/skills/skill-${nth}/SKILL.md`,
      `---\nname: skill-${nth}\ndescription: Does the thing number ${nth}, when it is asked for.\n---\n${words}`,
    );
  for (let nth = 0; nth < rules; nth += 1)
    place.write(`.kern/rules/rule-${nth}.md`, `---\ndescription: Rule ${nth}\nglobs: ["src/${nth}/**"]\n---\n${words}`);
  const deep = Array.from({ length: nested }, (_, nth) => `d${nth}`);
  for (let depth = 1; depth <= nested; depth += 1)
    place.write(join(...deep.slice(0, depth), 'AGENTS.md'), `# Folder ${depth}\n${words}`);
  const folders = ['one', 'other'].map((name) => join(place.cwd, ...deep, name));
  for (const name of ['one', 'other']) place.write(join(...deep, name, 'empty'), '');
  const program = join(ground.root, 'plugins', 'bench', 'discovery-host.mjs');
  const args = [program, place.home, place.cwd, ...folders, String(ground.runs)];
  const started = ground.startNode(args, { knowsKern: true });
  const { first, again, bare, found } = JSON.parse((await ground.ended(started)).stdout) as Looked;
  if (found.skill !== skills || found.rule !== rules || found['context-file'] !== nested)
    throw new KernError('bench_failed', `not everything was found: ${JSON.stringify(found)}`);
  const against = 'reading the files';
  return {
    name: 'discovery',
    title: `what lies in a project: ${skills} skills, ${rules} rules, ${nested} nested AGENTS.md`,
    rows: [
      { label: against, unit: 'ms', samples: bare },
      { label: 'found', unit: 'ms', samples: first, against },
      { label: 'found again, from another folder', unit: 'ms', samples: again, against },
    ],
  };
}
