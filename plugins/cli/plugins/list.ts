import { type CommandArgs, type CommandHost, columns, type PluginReport, workbench } from 'kern/contracts';
import { didYouMean, KernError, nearNames } from 'kern/plugin';
import { costLines } from './cost.ts';

export async function list(args: CommandArgs, host: CommandHost): Promise<number> {
  const reports = await reportsOf(host);
  if (args.shared.json) {
    host.json({ plugins: reports.map(shown) });
    return 0;
  }
  if (args.options.why === true) {
    for (const report of reports) for (const line of detailed(report)) host.print(line);
    return 0;
  }
  const rows = reports.map((report) => [report.id, report.state, report.level, remark(report)]);
  for (const line of columns([['plugin', 'state', 'level', ''], ...rows])) host.print(line);
  return 0;
}

export async function info(args: CommandArgs, host: CommandHost): Promise<number> {
  const reports = await reportsOf(host);
  const id = args.positionals[0] ?? '';
  const found = reports.filter((report) => report.id === id);
  if (found.length === 0) {
    const ids = reports.map((report) => report.id);
    throw new KernError('plugin_unknown', `there is no plugin ${id}`, {
      hint: didYouMean(nearNames(id, ids)) ?? '`kern plugins` lists them.',
    });
  }
  if (args.shared.json) host.json({ plugins: found.map(shown) });
  else for (const report of found) for (const line of detailed(report)) host.print(line);
  return 0;
}

export async function reportsOf({ view }: CommandHost): Promise<readonly PluginReport[]> {
  await view.use(workbench).load();
  return view.service(workbench).plugins();
}

/** What INTERFACES promises, in its order; `by` and `description` beside it. */
function shown(report: PluginReport): object {
  const { id, level, state, revision, source, contributes, taps, startMs, hookMs, promptTokens, ...rest } = report;
  return { id, level, state, revision, source, contributes, taps, startMs, hookMs, promptTokens, ...rest };
}

function remark({ state, failure, by, source, level }: PluginReport): string {
  if (failure !== undefined) return state === 'active' ? `kept the old: ${failure.message}` : failure.message;
  if (by !== undefined) return state === 'blocked' ? `${by}: ${source}` : by;
  return level === 'builtin' ? '' : source;
}

function detailed(report: PluginReport): readonly string[] {
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
