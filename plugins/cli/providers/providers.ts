import {
  type CommandArgs,
  type CommandHost,
  columns,
  type EntryReport,
  type ProviderReport,
  type Workbench,
  workbench,
} from 'kern/contracts';
import { KernError, visible } from 'kern/plugin';

export async function list(args: CommandArgs, host: CommandHost): Promise<number> {
  const bench = await benchOf(host);
  const [capability, key] = args.positionals;
  if (args.options.why === true) return explain(bench, capability, key, args, host);
  if (capability !== undefined) return show(capability, bench, args, host);
  const providers = await bench.providers();
  if (args.shared.json) {
    host.json({ providers });
    return 0;
  }
  // Where kern looks comes first; who brings things along follows.
  const found = providers.filter(({ levels }) => levels !== undefined);
  const rows = [...found, ...providers.filter(({ levels }) => levels === undefined)].map((report) => [
    report.id,
    stateText(report),
    String(report.priority),
    countText(report.counts),
    report.displayName === report.id ? '' : report.displayName,
  ]);
  for (const line of columns([['provider', 'state', 'priority', 'items', ''], ...rows.map(shown)])) host.print(line);
  for (const { warnings } of providers) for (const warning of warnings) host.say(`kern: ${visible(warning)}`);
  return 0;
}

/** One provider: each of its items, and what came of it. */
async function show(id: string, bench: Workbench, args: CommandArgs, host: CommandHost): Promise<number> {
  if (args.positionals.length > 1 || bench.capabilities().includes(id))
    throw new KernError('usage', `kern providers takes the id of a provider, and nothing else`, {
      hint: `To have a kind of item explained: kern providers --why ${args.positionals.join(' ')}`,
    });
  const { provider, items } = await bench.provider(id);
  if (args.shared.json) {
    host.json({ provider, items });
    return 0;
  }
  host.print(visible(`${provider.id}: ${provider.displayName}, ${stateText(provider)}, priority ${provider.priority}`));
  for (const [level, { by }] of Object.entries(provider.levels ?? {}))
    if (by !== undefined) host.print(`  ${level}: off, nothing is read (${by})`);
  if (items.length === 0) host.print(provider.state === 'off' ? 'It is off.' : 'It has found nothing here.');
  for (const line of columns(items.map((item) => shown([item.capability, ...rowOf(item)])))) host.print(line);
  for (const warning of provider.warnings) host.say(`kern: ${visible(warning)}`);
  return 0;
}

function stateText({ state, levels }: ProviderReport): string {
  const off = Object.entries(levels ?? {}).filter((level) => level[1].state === 'off');
  const [only] = off;
  return off.length === 1 && only !== undefined ? `${only[0]} off` : state;
}

export async function turn(on: boolean, args: CommandArgs, host: CommandHost): Promise<number> {
  const id = args.positionals[0] ?? '';
  const bench = await benchOf(host);
  const written = args.options.project === true ? 'project' : 'user';
  const file = await bench.switchProvider(id, on, written);
  const state = on ? 'on' : 'off';
  const [, provider, level] = /^(.*?)(?::(user|project))?$/.exec(id) ?? [];
  const { levels } = (await bench.providers()).find((report) => report.id === provider) ?? {};
  // A project speaks of what it brings, and after the person.
  const asked = level === 'user' || level === 'project' ? level : written;
  const now = levels?.[asked] ?? { state };
  if (args.shared.json) host.json({ id, state: now.state, file });
  else if (now.state === state)
    host.print(`${id} is ${state}${written === 'project' ? ' for what the project brings' : ''} (${file})`);
  else {
    host.print(`${id} stays ${now.state} (${file} says ${state})`);
    host.say(
      asked === 'user' && written === 'project'
        ? 'kern: a project decides about what it brings itself, and not about what is yours'
        : `kern: something that goes first says so${now.by === undefined ? '' : `: ${now.by}`}. Your own config goes before the project's: kern providers ${on ? 'enable' : 'disable'} ${id}`,
    );
  }
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
    host.print(
      key === undefined ? `Nobody supplies ${capability}.` : `Nobody supplies the ${capability} ${visible(key)}.`,
    );
    return 0;
  }
  for (const line of columns(entries.map((entry) => shown(rowOf(entry))))) host.print(line);
  return 0;
}

/** Names, matchers and paths are those of files: what a terminal would obey is spelled out. */
const shown = (cells: readonly string[]): readonly string[] => cells.map(visible);

function rowOf({ key, origin, verdict, unused }: EntryReport): readonly string[] {
  const source = origin.provider === origin.plugin ? origin.plugin : `${origin.provider} (${origin.plugin})`;
  return [
    key ?? '(no key)',
    unused === undefined ? verdictText(verdict) : `unused: ${unused}`,
    `${origin.level} ${origin.priority}`,
    source,
    origin.path ?? '',
  ];
}

function verdictText(verdict: EntryReport['verdict']): string {
  switch (verdict.state) {
    case 'shadowed':
      return `shadowed by ${verdict.by.plugin} (${verdict.by.level})${verdict.by.path === undefined ? '' : `: ${verdict.by.path}`}`;
    case 'invalid':
      return `invalid: ${verdict.issues.join('; ')}`;
    case 'disabled':
      return `disabled by ${verdict.by}`;
    case 'untrusted':
      return 'untrusted: look at it, then kern trust grant';
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
