import type { Ground } from './ground.ts';
import { extendsPrompt, type Prompt, promptOf } from './prefix.ts';
import { benchModel, placeForResponses } from './request.ts';
import { modelServer, type Scripted } from './server.ts';
import type { Row, Table } from './table.ts';

/** What a model is told before anything is asked, and whether what was sent once is sent the same again. */
export async function prompt(ground: Ground): Promise<Table> {
  const rows = [];
  for (const [wire, model] of Object.entries(benchModel)) rows.push(...(await rowsOf(ground, wire, model)));
  return { name: 'prompt', title: 'what is sent', rows };
}

async function rowsOf(ground: Ground, wire: string, model: string): Promise<readonly Row[]> {
  const place = wire === 'openai-responses' ? placeForResponses(ground) : ground.place();
  place.write('note.txt', 'One line.\n');
  const calls: readonly NonNullable<Scripted['call']>[] = [
    { name: 'read', args: { path: 'note.txt' } },
    { name: 'write', args: { path: 'copy.txt', content: 'One line.\n' } },
    { name: 'edit', args: { path: 'copy.txt', edits: [{ oldText: 'One', newText: 'Another' }] } },
    { name: 'bash', args: { command: 'cat copy.txt' } },
    { name: 'read', args: { path: 'missing.txt' } },
  ];
  await using server = await modelServer([...calls.map((call) => ({ call })), { pieces: ['Done.'] }]);
  await ground.kern(place, ['-p', 'go', '--no-session', '--yolo', '--model', model], { model: server.url });
  const bodies = server.arrivals.map(({ body }) => body);
  const prompts = bodies.map(promptOf);
  const [first] = prompts;
  const later = prompts.slice(1);
  const same = later.filter((next, before) => extendsPrompt(next, prompts[before] as Prompt)).length;
  const bytes = (text = ''): readonly number[] => [Buffer.byteLength(text)];
  return [
    { label: `${wire}: system prompt`, unit: 'bytes', samples: bytes(first?.system) },
    {
      label: `${wire}: schemas of the tools`,
      unit: 'bytes',
      samples: bytes(first?.tools),
      note: `of ${toolsIn(first)}`,
    },
    { label: `${wire}: both`, unit: 'bytes', samples: bytes(`${first?.system}${first?.tools}`) },
    { label: `${wire}: first request, whole`, unit: 'bytes', samples: bytes(bodies[0]) },
    {
      label: `${wire}: extend the one before, byte for byte`,
      unit: 'requests',
      samples: [same],
      note: `of ${later.length}`,
    },
  ];
}

function toolsIn(first: Prompt | undefined): number {
  const tools = JSON.parse(first?.tools ?? '[]') as readonly { readonly functionDeclarations?: readonly unknown[] }[];
  return tools.flatMap(({ functionDeclarations }) => functionDeclarations ?? [1]).length;
}
