import { type CommandArgs, type CommandHost, columns, type PluginReport, workbench } from 'kern/contracts';
import { didYouMean, KernError, nearNames } from 'kern/plugin';
import { costLines } from './cost.ts';
import { foundLines, foundManifests, packageLines, packageOf, packageReports } from './packages.ts';

export async function list(args: CommandArgs, host: CommandHost): Promise<number> {
  const reports = await reportsOf(host);
  const packages = await packageReports(host);
  const found = await foundManifests(host);
  if (args.shared.json) {
    const plugins = reports.map((report) => {
      const own = packageOf(report, packages);
      return own === undefined ? shown(report) : { ...shown(report), package: `${own.name}@${own.version}` };
    });
    host.json({ plugins, packages, found });
    return 0;
  }
  if (args.options.why === true) {
    for (const report of reports) for (const line of detailed(report)) host.print(line);
    return 0;
  }
  const rows = reports.map((report) => [report.id, report.state, report.level, remark(report)]);
  for (const line of [
    ...columns([['plugin', 'state', 'level', ''], ...rows]),
    ...packageLines(packages),
    ...foundLines(found),
  ])
    host.print(line);
  return 0;
}

export async function info(args: CommandArgs, host: CommandHost): Promise<number> {
  const found = await named(args.positionals[0] ?? '', host);
  if (args.shared.json) host.json({ plugins: found.map(shown) });
  else for (const report of found) for (const line of detailed(report)) host.print(line);
  return 0;
}

/** The plugins of an id, of several levels perhaps, or of a package. Throws `plugin_unknown` with near names. */
export async function named(id: string, host: CommandHost): Promise<readonly PluginReport[]> {
  const reports = await reportsOf(host);
  const found = reports.filter((report) => report.id === id);
  if (found.length > 0) return found;
  const packages = await packageReports(host);
  const meant = packages.filter(({ name }) => name === id);
  const ofPackage = reports.filter((report) => packageOf(report, meant) !== undefined);
  if (ofPackage.length > 0) return ofPackage;
  if (meant.length > 0)
    throw new KernError('plugin_unknown', `the package ${id} brings no plugin`, {
      hint: '`kern plugins` lists the packages, and what is wrong with one.',
    });
  const ids = [...reports.map((report) => report.id), ...packages.map(({ name }) => name)];
  throw new KernError('plugin_unknown', `there is no plugin ${id}`, {
    hint: didYouMean(nearNames(id, ids)) ?? '`kern plugins` lists them.',
  });
}

export async function reportsOf({ view }: CommandHost): Promise<readonly PluginReport[]> {
  await view.use(workbench).load();
  return view.service(workbench).plugins();
}

/** What is promised, in its order; `by` and `description` beside it. */
export function shown(report: PluginReport): object {
  const { id, level, state, revision, source, contributes, taps, startMs, hookMs, promptTokens, ...rest } = report;
  return { id, level, state, revision, source, contributes, taps, startMs, hookMs, promptTokens, ...rest };
}

function remark({ state, failure, by, source, level }: PluginReport): string {
  if (failure !== undefined) return state === 'active' ? `kept the old: ${failure.message}` : failure.message;
  if (by !== undefined) return state === 'blocked' ? `${by}: ${source}` : by;
  return level === 'builtin' ? '' : source;
}

/** All that is known of a plugin, as lines. */
export function detailed(report: PluginReport): readonly string[] {
  const { id, level, state, revision, source, contributes, taps, failure, by, description } = report;
  return [
    `${id}: ${state} (${level}${source === 'built-in' ? '' : `, ${source}`}${revision > 1 ? `, revision ${revision}` : ''})`,
    ...(description === undefined ? [] : [`  ${description}`]),
    ...(by === undefined ? [] : [`  ${by}`]),
    ...(failure === undefined
      ? []
      : [
          `  ${state === 'active' ? 'kept the old: ' : ''}${failure.message}`,
          ...(failure.hint === undefined ? [] : [`  ${failure.hint}`]),
        ]),
    ...contributes.map(
      ({ capability, key, verdict }) =>
        `  ${capability}${key === null ? '' : ` ${key}`}${verdict === 'won' || verdict === 'unknown' ? '' : `: ${verdict}`}`,
    ),
    ...(taps.length === 0 ? [] : [`  taps ${taps.join(', ')}`]),
    ...costLines(report).map((line) => `  ${line}`),
  ];
}
