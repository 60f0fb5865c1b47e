import {
  type CommandArgs,
  type CommandHost,
  columns,
  installedPackages,
  type TrustChanges,
  type TrustReport,
  type Workbench,
  workbench,
} from 'kern/contracts';
import { KernError, visible } from 'kern/plugin';
import { changeLines } from './difference.ts';

type Item = TrustReport['items'][number];

export async function status(args: CommandArgs, host: CommandHost): Promise<number> {
  return show(await (await benchOf(host)).trust.status(), [], args, host);
}

/** What it grants that was granted before and is another now is shown: it is what a person says yes to. */
export async function grant(args: CommandArgs, host: CommandHost): Promise<number> {
  const { trust } = await benchOf(host);
  const items = itemsOf(args);
  const changes = await trust.changes(items);
  if (args.options.dryRun === true) {
    const report = await trust.status();
    return show(report, changes, args, host);
  }
  const before = await trust.status();
  const after = await trust.grant(items);
  const wanted = after.items.filter((item) => stateIn(before, item) !== 'trusted');
  const left = items === undefined ? wanted.filter(({ state }) => state !== 'trusted') : [];
  await show(after, changes, args, host, left);
  return left.length > 0 && left.length === wanted.length ? 1 : 0;
}

const stateIn = ({ items }: TrustReport, { kind, id }: Item): Item['state'] | undefined =>
  items.find((item) => item.kind === kind && item.id === id)?.state;

export async function revoke(args: CommandArgs, host: CommandHost): Promise<number> {
  return show(await (await benchOf(host)).trust.revoke(itemsOf(args)), [], args, host);
}

export async function why(args: CommandArgs, host: CommandHost): Promise<number> {
  const { trust } = await benchOf(host);
  const [name] = args.positionals;
  const { root, items, problems } = await trust.why(name);
  const changes = await trust.changes(name === undefined ? undefined : [name]);
  const reasons = items.map((item) => ({ item, text: reasonOf(item) }));
  if (args.shared.json) {
    host.json({
      root,
      reasons: [...reasons.map(({ text }) => text), ...problems],
      items: items.map((item) => ({ ...item, changes: changesOf(item, changes)?.changes ?? [] })),
    });
    return 0;
  }
  if (items.length === 0) host.print(nothing(root));
  for (const { item, text } of reasons) {
    host.print(visible(text));
    if (item.path !== undefined) host.print(`  in ${visible(item.path)}${byWhom(item)}`);
    if (item.runs !== item.path) host.print(`  runs ${visible(item.runs)}`);
    if (item.notBy !== undefined) host.print(`  ${visible(item.notBy)}`);
    const own = changesOf(item, changes);
    if (own !== undefined) for (const line of await changeLines(own)) host.print(`  ${line}`);
  }
  for (const problem of problems) host.print(visible(problem));
  return 0;
}

async function benchOf({ view }: CommandHost): Promise<Workbench> {
  await view.use(workbench).load();
  return view.service(workbench);
}

/** What `--item` names, or what follows the words. */
function itemsOf({ options, positionals }: CommandArgs): readonly string[] | undefined {
  const { item } = options;
  const named = [...(Array.isArray(item) ? item.map(String) : []), ...positionals];
  return named.length > 0 ? named : undefined;
}

async function show(
  report: TrustReport,
  changes: readonly TrustChanges[],
  { shared }: CommandArgs,
  host: CommandHost,
  /** What was to be granted, and could not be. */
  left: readonly Item[] = [],
): Promise<number> {
  if (shared.json) {
    host.json(changes.length === 0 ? report : { ...report, changes });
    return 0;
  }
  const missing = await missingOf(host);
  if (report.state === 'nothing') {
    host.print(nothing(report.root));
    for (const line of missing) host.say(line);
    return 0;
  }
  for (const one of changes) {
    host.print(`${nameOf(one)} has changed since it was granted:`);
    for (const line of await changeLines(one)) host.print(`  ${line}`);
  }
  host.print(`${visible(report.root)} is ${report.state}`);
  for (const line of columns(report.items.map(rowOf))) host.print(line);
  for (const item of left) host.say(`not granted: ${visible(`${item.kind}:${item.id}`)}: ${visible(item.reason)}`);
  if (missing.length > 0) {
    for (const line of missing) host.say(line);
    return 0;
  }
  if (left.length > 0)
    host.say('What lies in the project itself, as files of its own, can be trusted; --trust runs all for one run.');
  else if (report.state !== 'trusted')
    host.say('`kern trust grant` trusts what is there now; `kern trust why` says more.');
  return 0;
}

/** What the lock file names and is not there: there is nothing of it to trust yet. */
async function missingOf({ view }: CommandHost): Promise<readonly string[]> {
  const told = ({ message, hint = '' }: { readonly message: string; readonly hint?: string | undefined }): string =>
    visible(`${message}. ${hint}`);
  try {
    const packages = await installedPackages(view.service(workbench));
    return packages.flatMap(({ level, wrong }) =>
      level === 'project' && wrong?.code === 'package_missing' ? [told(wrong)] : [],
    );
  } catch (error) {
    if (error instanceof KernError) return [told(error)];
    throw error;
  }
}

function rowOf(item: Item): readonly string[] {
  const { state, denied, runs, provider = 'kern', notBy } = item;
  const who = notBy === undefined ? '' : ` (${visible(notBy)})`;
  return [`  ${nameOf(item)}`, denied ? 'refused' : state, visible(provider), `${visible(runs)}${who}`];
}

const nameOf = ({ kind, id }: Pick<Item, 'kind' | 'id'>): string => `${kind}:${visible(id)}`;
const byWhom = ({ provider }: Item): string => (provider === undefined ? '' : ` (${visible(provider)})`);

function reasonOf({ kind, id, state, reason, at }: Item): string {
  return `${kind}:${id} is ${state}: ${reason}${at === undefined ? '' : ` (${at})`}`;
}

function changesOf(item: Item, changes: readonly TrustChanges[]): TrustChanges | undefined {
  return changes.find(({ kind, id }) => kind === item.kind && id === item.id);
}

const nothing = (root: string): string => `${visible(root)} declares nothing that would run`;
