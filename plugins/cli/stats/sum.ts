import { addCalls, addReplies, noCalls, noReplies, type ReplySum, type SessionTally, type ToolSum } from './tally.ts';

/** US dollars, null when the price of all of it is unknown. */
interface Priced {
  readonly cost: number | null;
}

export type Row = Omit<ReplySum, 'cost'> & Priced & { readonly key: string; readonly questions: number };
export type ToolRow = ToolSum & {
  readonly key: string /** Of those whose time is known. */;
  readonly meanMs: number | null;
};

export interface Stats {
  readonly total: Omit<Row, 'key'> & {
    readonly sessions: number;
    readonly toolCalls: number;
    readonly toolErrors: number;
    readonly toolMs: number;
  };
  readonly byDay: readonly Row[];
  readonly byModel: readonly Row[];
  readonly byProject: readonly Row[];
  readonly byTool: readonly ToolRow[];
  rows(by: string): readonly (Row | ToolRow)[];
}

interface Sum extends ReplySum {
  questions: number;
}

/** All sessions together; `since`: the first day that counts. */
export function summed(tallies: readonly SessionTally[], since: string | undefined): Stats {
  const isWanted = (day: string): boolean => since === undefined || day >= since;
  const [days, models, projects] = [new Map<string, Sum>(), new Map<string, Sum>(), new Map<string, Sum>()];
  const tools = new Map<string, ToolSum>();
  const total = { ...noReplies(), questions: 0 };
  const calls = noCalls();
  let sessions = 0;
  for (const { cwd, replies, tools: used, questions } of tallies) {
    let isUsed = false;
    for (const reply of replies.filter(({ day }) => isWanted(day))) {
      isUsed = true;
      for (const sum of [total, sumIn(days, reply.day), sumIn(models, reply.model), sumIn(projects, cwd)])
        addReplies(sum, reply);
    }
    for (const [day, count] of Object.entries(questions)) {
      if (!isWanted(day)) continue;
      isUsed = true;
      for (const sum of [total, sumIn(days, day), sumIn(projects, cwd)]) sum.questions += count;
    }
    for (const call of used.filter(({ day }) => isWanted(day))) {
      const sum = tools.get(call.tool) ?? noCalls();
      tools.set(call.tool, sum);
      addCalls(sum, call);
      addCalls(calls, call);
    }
    if (isUsed) sessions += 1;
  }
  const byDay = rowsOf(days).sort((a, b) => (a.key < b.key ? 1 : -1));
  const byModel = rowsOf(models).sort(byTokens);
  const byProject = rowsOf(projects).sort(byTokens);
  const byTool = [...tools]
    .map(([key, sum]) => ({ key, ...sum, meanMs: sum.timed === 0 ? null : sum.ms / sum.timed }))
    .sort((a, b) => b.calls - a.calls || (a.key < b.key ? -1 : 1));
  const tables: Readonly<Record<string, readonly (Row | ToolRow)[]>> = {
    day: byDay,
    model: byModel,
    project: byProject,
    tool: byTool,
  };
  return {
    total: {
      ...priced(total),
      sessions,
      toolCalls: calls.calls,
      toolErrors: calls.errors,
      toolMs: calls.ms,
    },
    byDay,
    byModel,
    byProject,
    byTool,
    rows: (by) => tables[by] ?? [],
  };
}

function sumIn(sums: Map<string, Sum>, key: string): Sum {
  const sum = sums.get(key) ?? { ...noReplies(), questions: 0 };
  sums.set(key, sum);
  return sum;
}

const rowsOf = (sums: ReadonlyMap<string, Sum>): Row[] => [...sums].map(([key, sum]) => ({ key, ...priced(sum) }));

const priced = <T extends ReplySum>(sum: T): Omit<T, 'cost'> & Priced => ({
  ...sum,
  cost: sum.unknownCosts > 0 && sum.cost === 0 ? null : Number(sum.cost.toFixed(9)), // without the dust of adding
});

export const tokensOf = ({
  input,
  output,
  cacheRead,
  cacheWrite,
}: Pick<Row, 'input' | 'output' | 'cacheRead' | 'cacheWrite'>): number => input + output + cacheRead + cacheWrite;

const byTokens = (a: Row, b: Row): number => tokensOf(b) - tokensOf(a) || (a.key < b.key ? -1 : 1);
