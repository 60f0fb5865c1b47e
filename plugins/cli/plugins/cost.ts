import type { PluginReport } from 'kern/contracts';

type Hooks = PluginReport['hooks'];

/** What a plugin costs, as lines for a person; none where it costs nothing yet. */
export function costLines({
  loadMs,
  startMs,
  promptTokens,
  hooks,
  errors,
  lastRun,
}: Pick<PluginReport, 'loadMs' | 'startMs' | 'promptTokens' | 'hooks' | 'errors' | 'lastRun'>): readonly string[] {
  const start = [
    loadMs > 0 ? `load ${loadMs} ms` : '',
    startMs > 0 ? `start ${startMs} ms` : '',
    promptTokens > 0 ? `${promptTokens} tokens in each prompt` : '',
  ].filter((part) => part !== '');
  return [
    ...(start.length === 0 ? [] : [start.join(', ')]),
    ...hookLine(hooks),
    ...errorLine(errors?.count ?? 0, errors?.last.message),
    ...(lastRun === undefined
      ? []
      : [...hookLine(lastRun.hooks), ...errorLine(lastRun.errors, lastRun.lastError)].map(
          (line) => `in the run that ended ${minute(lastRun.at)}: ${line}`,
        )),
  ];
}

function errorLine(count: number, last: string | undefined): readonly string[] {
  if (count === 0) return [];
  return [`${count} ${count === 1 ? 'error' : 'errors'}${last === undefined ? '' : `, the last: ${oneLine(last)}`}`];
}

/** `hooks 4.2 ms in 12 calls, the slowest 3.1 ms in tool.call`. */
function hookLine(hooks: Hooks): readonly string[] {
  const slowest = hooks.toSorted((a, b) => b.slowestMs - a.slowestMs)[0];
  if (slowest === undefined) return [];
  const [ms, calls] = [sum(hooks.map((one) => one.ms)), sum(hooks.map((one) => one.calls))];
  return [
    `hooks ${ms} ms in ${calls} ${calls === 1 ? 'call' : 'calls'}, the slowest ${slowest.slowestMs} ms in ${slowest.hook}`,
  ];
}

const sum = (values: readonly number[]): number => Math.round(values.reduce((a, b) => a + b, 0) * 100) / 100;
const minute = (at: string): string => `${at.slice(0, 16).replace('T', ' ')} UTC`;
const oneLine = (text: string): string => text.replace(/\s+/g, ' ');
