import {
  type CommandArgs,
  type CommandHost,
  type ConfigProblemReport,
  columns,
  type ValueReport,
  type Workbench,
  workbench,
} from 'kern/contracts';

export async function list(args: CommandArgs, host: CommandHost): Promise<number> {
  const bench = await benchOf(host);
  const values = await bench.config.list();
  if (args.shared.json) {
    host.json({ values: values.map(shown) });
    return 0;
  }
  const isLong = args.options.why === true;
  const rows = values.map((value) => [value.key, text(value.value), ...(isLong ? [from(value)] : [])]);
  for (const line of columns(rows)) host.print(line);
  await tellProblems(bench, host);
  return 0;
}

export async function get(args: CommandArgs, host: CommandHost): Promise<number> {
  const bench = await benchOf(host);
  const value = await bench.config.get(args.positionals[0] ?? '');
  if (args.shared.json) host.json(shown(value));
  else host.print(args.options.why === true ? `${text(value.value)}  (${from(value)})` : text(value.value));
  // What stands in a file, and does not count.
  const isAbout = (key: string): boolean =>
    key === value.key || key.startsWith(`${value.key}.`) || value.key.startsWith(`${key}.`);
  for (const problem of await bench.config.problems())
    if (problem.key === undefined || isAbout(problem.key)) host.say(`kern: ${problemLine(problem)}`);
  return 0;
}

export async function paths(args: CommandArgs, host: CommandHost): Promise<number> {
  const bench = await benchOf(host);
  const files = bench.config.files();
  if (args.shared.json) {
    host.json({ files });
    return 0;
  }
  const isLong = args.options.why === true;
  const rows = files.map(({ layer, file, exists, shadowed }) => [
    layer,
    file,
    ...(isLong
      ? [shadowed ? 'not read: another one counts' : exists ? 'read' : 'not there yet']
      : exists
        ? []
        : ['(not there yet)']),
  ]);
  for (const line of columns(rows)) host.print(line);
  if (isLong) await tellProblems(bench, host);
  return 0;
}

async function benchOf({ view }: CommandHost): Promise<Workbench> {
  await view.use(workbench).load();
  return view.service(workbench);
}

/** JSON has no undefined: a setting without a value is null. */
const shown = ({ key, value, origin }: ValueReport): object => ({ key, value: value ?? null, origin });

function text(value: unknown): string {
  if (value === undefined) return '(not set)';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function from({ origin: { layer, file, line } }: ValueReport): string {
  if (file === undefined) return layer === 'flags' ? 'the command line' : layer === 'default' ? 'default' : layer;
  return `${layer}: ${file}${line === undefined ? '' : `:${line}`}`;
}

async function tellProblems(bench: Workbench, host: CommandHost): Promise<void> {
  for (const problem of await bench.config.problems()) host.say(`kern: ${problemLine(problem)}`);
}

function problemLine({ file, line, key, message }: ConfigProblemReport): string {
  const place = file === undefined ? '' : `${file}${line === undefined ? '' : `:${line}`}: `;
  return `${place}${key === undefined ? '' : `${key}: `}${message}`;
}
