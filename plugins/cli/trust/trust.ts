import {
  type CommandArgs,
  type CommandHost,
  columns,
  type TrustReport,
  type Workbench,
  workbench,
} from 'kern/contracts';
import { visible } from 'kern/plugin';

export async function status(args: CommandArgs, host: CommandHost): Promise<number> {
  return show(await (await benchOf(host)).trust.status(), args, host);
}

export async function grant(args: CommandArgs, host: CommandHost): Promise<number> {
  return show(await (await benchOf(host)).trust.grant(itemsOf(args)), args, host);
}

export async function revoke(args: CommandArgs, host: CommandHost): Promise<number> {
  return show(await (await benchOf(host)).trust.revoke(itemsOf(args)), args, host);
}

export async function why(args: CommandArgs, host: CommandHost): Promise<number> {
  const { root, trust } = await benchOf(host);
  const lines = await trust.why(args.positionals[0]);
  if (args.shared.json) host.json({ root, reasons: lines });
  else for (const line of lines.length === 0 ? [nothing(root)] : lines.map(visible)) host.print(line);
  return 0;
}

async function benchOf({ view }: CommandHost): Promise<Workbench> {
  await view.use(workbench).load();
  return view.service(workbench);
}

function itemsOf({ options }: CommandArgs): readonly string[] | undefined {
  const { item } = options;
  return Array.isArray(item) && item.length > 0 ? item : undefined;
}

function show(report: TrustReport, { shared }: CommandArgs, host: CommandHost): number {
  if (shared.json) {
    host.json(report);
    return 0;
  }
  if (report.state === 'nothing') {
    host.print(nothing(report.root));
    return 0;
  }
  host.print(`${visible(report.root)} is ${report.state}`);
  for (const line of columns(
    report.items.map(({ kind, id, state, path = '' }) => [`  ${kind}:${visible(id)}`, state, visible(path)]),
  ))
    host.print(line);
  if (report.state !== 'trusted') host.say('`kern trust grant` trusts what is there now; `kern trust why` says more.');
  return 0;
}

const nothing = (root: string): string => `${visible(root)} declares nothing that would run`;
