import {
  type CommandArgs,
  type CommandHost,
  columns,
  type EntryReport,
  type Workbench,
  workbench,
} from 'kern/contracts';
import { KernError } from 'kern/plugin';

export async function list(args: CommandArgs, host: CommandHost): Promise<number> {
  const bench = await benchOf(host);
  const [capability, key] = args.positionals;
  if (args.options.why === true) return explain(bench, capability, key, args, host);
  if (capability !== undefined)
    throw new KernError('usage', `kern providers has no use for ${capability}`, {
      hint: `To have it explained: kern providers --why ${args.positionals.join(' ')}`,
    });
  const providers = await bench.providers();
  if (args.shared.json) {
    host.json({ providers });
    return 0;
  }
  const rows = providers.map(({ id, state, priority, counts, displayName }) => [
    id,
    state,
    String(priority),
    countText(counts),
    displayName === id ? '' : displayName,
  ]);
  for (const line of columns([['provider', 'state', 'priority', 'items', ''], ...rows])) host.print(line);
  for (const { warnings } of providers) for (const warning of warnings) host.say(`kern: ${warning}`);
  return 0;
}

export async function turn(on: boolean, args: CommandArgs, host: CommandHost): Promise<number> {
  const id = args.positionals[0] ?? '';
  const file = await (await benchOf(host)).switchProvider(id, on, args.options.project === true ? 'project' : 'user');
  if (args.shared.json) host.json({ id, state: on ? 'on' : 'off', file });
  else host.print(`${id} is ${on ? 'on' : 'off'} (${file})`);
  return 0;
}

async function explain(
  bench: Workbench,
  capability: string | undefined,
  key: string | undefined,
  args: CommandArgs,
  host: CommandHost,
): Promise<number> {
  if (capability === undefined)
    throw new KernError('usage', 'kern providers --why needs the kind of item', {
      hint: `One of: ${bench.capabilities().join(', ')}`,
    });
  const all = await bench.entries(capability);
  const entries = key === undefined ? all : all.filter((entry) => entry.key === key);
  if (args.shared.json) {
    host.json({ capability, entries });
    return 0;
  }
  if (entries.length === 0) {
    host.print(key === undefined ? `Nobody supplies ${capability}.` : `Nobody supplies the ${capability} ${key}.`);
    return 0;
  }
  for (const line of columns(entries.map(rowOf))) host.print(line);
  return 0;
}

function rowOf({ key, origin, verdict }: EntryReport): readonly string[] {
  const source = origin.provider === origin.plugin ? origin.plugin : `${origin.provider} (${origin.plugin})`;
  return [key ?? '(no key)', verdictText(verdict), `${origin.level} ${origin.priority}`, source, origin.path ?? ''];
}

function verdictText(verdict: EntryReport['verdict']): string {
  switch (verdict.state) {
    case 'shadowed':
      return `shadowed by ${verdict.by.plugin} (${verdict.by.level})`;
    case 'invalid':
      return `invalid: ${verdict.issues.join('; ')}`;
    case 'disabled':
      return `disabled by ${verdict.by}`;
    default:
      return verdict.state;
  }
}

function countText(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([capability, count]) => `${count} ${capability}`)
    .join(', ');
}

async function benchOf({ view }: CommandHost): Promise<Workbench> {
  await view.use(workbench).load();
  return view.service(workbench);
}
