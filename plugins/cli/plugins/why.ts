import path from 'node:path';
import {
  type CommandArgs,
  type CommandHost,
  extensionModules,
  type PluginReport,
  type Workbench,
  workbench,
} from 'kern/contracts';
import { visible } from 'kern/plugin';
import { detailed, named, shown } from './list.ts';
import { type PackageReport, packageOf, packageReports } from './packages.ts';

/** Where a plugin comes from, and what decided about it. */
interface Reasons {
  /** The package, folder, setting or option that brought it. */
  readonly from: string;
  readonly package?: PackageReport;
  readonly trust: string;
  /** Where the config speaks of it. */
  readonly config: readonly {
    readonly key: string;
    readonly value: unknown;
    readonly file?: string;
    readonly line?: number;
  }[];
  /** Of what it supplies: what does not count, and why. */
  readonly lost: readonly { readonly capability: string; readonly key: string; readonly why: string }[];
}

/** `kern plugins why <id>`. */
export async function why(args: CommandArgs, host: CommandHost): Promise<number> {
  const found = await named(args.positionals[0] ?? '', host);
  const packages = await packageReports(host);
  const reasons = await Promise.all(found.map((report) => reasonsOf(report, packages, host)));
  if (args.shared.json) {
    host.json({ plugins: found.map((report, at) => ({ ...shown(report), why: reasons[at] })) });
    return 0;
  }
  for (const [at, report] of found.entries()) {
    const [first = '', ...rest] = detailed(report);
    for (const line of [first, ...linesOf(reasons[at] as Reasons), ...rest]) host.print(line);
  }
  return 0;
}

async function reasonsOf(
  report: PluginReport,
  packages: readonly PackageReport[],
  host: CommandHost,
): Promise<Reasons> {
  const bench = host.view.service(workbench);
  const own = packageOf(report, packages);
  return {
    from: await originOf(report, own, bench, host),
    ...(own === undefined ? {} : { package: own }),
    trust: await trustOf(report, bench),
    config: await configOf(report, bench),
    lost: await lostOf(report, bench),
  };
}

async function originOf(
  { level, source }: PluginReport,
  own: PackageReport | undefined,
  bench: Workbench,
  { view }: CommandHost,
): Promise<string> {
  if (level === 'builtin') return 'kern itself';
  if (own !== undefined) return `the package ${own.name} ${own.version}, ${own.source} (${own.lockFile})`;
  if (level === 'session') return 'the command line: -e';
  const isIn = (folder: string): boolean => !path.relative(folder, source).startsWith('..');
  for (const folder of [path.join(bench.home, 'extensions'), path.join(bench.root, '.kern', 'extensions')])
    if (isIn(folder)) return folder;
  await view.use(extensionModules).load();
  const entry = view
    .use(extensionModules)
    .entries()
    .find(({ item }) => item.path === source);
  if (entry !== undefined)
    return `what the provider ${entry.origin.provider} finds, whose code is switched on: providers.${entry.origin.provider}.code`;
  const { origin } = await bench.config.get('extensions');
  return origin.file === undefined ? source : `the setting extensions (${placeOf(origin)})`;
}

async function trustOf({ level, source }: PluginReport, { trust }: Workbench): Promise<string> {
  if (level === 'builtin') return 'it is a part of kern';
  if (level !== 'project') return 'yours: no trust is needed';
  const { items } = await trust.status();
  const item = items.find(({ path: file }) => file === source);
  return item === undefined ? 'nobody has trusted it' : `${item.state}: ${item.reason}`;
}

async function configOf({ id }: PluginReport, { config }: Workbench): Promise<Reasons['config']> {
  const values = await config.list();
  return values
    .filter(
      ({ key, origin }) => (key === `plugins.${id}` || key.startsWith(`plugins.${id}.`)) && origin.layer !== 'default',
    )
    .map(({ key, value, origin: { file, line } }) => ({
      key,
      value,
      ...(file === undefined ? {} : { file }),
      ...(line === undefined ? {} : { line }),
    }));
}

/** Each item that it supplies and that another takes the place of, or that is left out. */
async function lostOf({ contributes }: PluginReport, bench: Workbench): Promise<Reasons['lost']> {
  const lost = contributes.filter(({ key, verdict }) => key !== null && verdict !== 'won' && verdict !== 'unknown');
  const found = await Promise.all(
    lost.map(async ({ capability, key, verdict }) => {
      const entries = await bench.entries(capability);
      const entry = entries.find((one) => one.key === key && one.verdict.state === verdict)?.verdict;
      const said =
        entry?.state === 'shadowed'
          ? `shadowed by that of ${entry.by.plugin} (${entry.by.path ?? entry.by.level})`
          : entry?.state === 'disabled'
            ? `switched off: ${entry.by}`
            : entry?.state === 'invalid'
              ? `invalid: ${entry.issues.join('; ')}`
              : verdict;
      return { capability, key: key ?? '', why: said };
    }),
  );
  return found;
}

function linesOf({ from, package: own, trust, config, lost }: Reasons): readonly string[] {
  const lines = [
    `from ${from}`,
    ...(own?.content === undefined
      ? []
      : [`content ${own.content}${own.failure === undefined ? ', as it was installed' : ''}`]),
    ...(own?.failure === undefined ? [] : [own.failure.message]),
    `trust: ${trust}`,
    ...config.map(({ key, value, ...place }) => `config: ${key} is ${JSON.stringify(value)} (${placeOf(place)})`),
    ...lost.map(({ capability, key, why: said }) => `${capability} ${key} is ${said}`),
  ];
  return lines.map((line) => `  ${visible(line)}`);
}

const placeOf = ({ file, line }: { readonly file?: string; readonly line?: number }): string =>
  file === undefined ? 'a flag or a variable of the environment' : `${file}${line === undefined ? '' : `:${line}`}`;
