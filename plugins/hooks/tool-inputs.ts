import type { HookItem } from 'kern/contracts';

type Args = Readonly<Record<string, unknown>>;
type Dialect = NonNullable<HookItem['dialect']>;
/** Our key, and theirs. */
type Keys = readonly (readonly [string, string])[];

const claude: Readonly<Record<string, Keys>> = {
  read: [['path', 'file_path']],
  write: [['path', 'file_path']],
  edit: [['path', 'file_path']],
  bash: [['background', 'run_in_background']],
  powershell: [['background', 'run_in_background']],
  grep: [
    ['ignoreCase', '-i'],
    ['context', '-C'],
    ['limit', 'head_limit'],
  ],
};
const cline: Readonly<Record<string, Keys>> = {
  grep: [
    ['pattern', 'regex'],
    ['glob', 'file_pattern'],
  ],
};
const gemini: Readonly<Record<string, Keys>> = {
  ...claude,
  bash: [['cwd', 'directory']],
  powershell: [['cwd', 'directory']],
  grep: [['path', 'dir_path']],
  ls: [['path', 'dir_path']],
};
const cursor: Readonly<Record<string, Keys>> = { ...claude, bash: [['cwd', 'working_directory']], grep: [] };
const spoken: Readonly<Record<Dialect, Readonly<Record<string, Keys>>>> = {
  kern: {},
  pi: {},
  'oh-my-pi': {},
  claude,
  codex: claude,
  gemini,
  cursor,
  cline,
};

/** Those that say one replacement as `old_string` and `new_string`. */
const saysOld: ReadonlySet<Dialect> = new Set<Dialect>(['claude', 'codex', 'gemini', 'cursor']);
/** Claude Code gives a shell milliseconds, kern seconds. */
const inMilliseconds: ReadonlySet<Dialect> = new Set<Dialect>(['claude', 'codex', 'cursor']);
const isShell = (tool: string): boolean => tool === 'bash' || tool === 'powershell';
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The arguments of a call in the words of a dialect. */
export function toInput(dialect: Dialect, tool: string, args: Args): Args {
  const input = renamed(args, spoken[dialect][tool] ?? []);
  if (isShell(tool) && inMilliseconds.has(dialect) && typeof input.timeout === 'number')
    input.timeout = input.timeout * 1000;
  if (tool !== 'edit' || !saysOld.has(dialect) || !Array.isArray(input.edits)) return input;
  const edits = (input.edits as readonly unknown[]).map((edit) => (isRecord(edit) ? renamed(edit, editKeys) : edit));
  const [first] = edits;
  if (edits.length !== 1 || !isRecord(first)) return { ...input, edits };
  const { edits: _, ...others } = input;
  return { ...others, ...first };
}

/** What a hook of a dialect made of them, in ours. */
export function fromInput(dialect: Dialect, tool: string, input: Args): Args {
  const args = renamed(input, turned(spoken[dialect][tool] ?? []));
  if (isShell(tool) && inMilliseconds.has(dialect) && typeof args.timeout === 'number')
    args.timeout = args.timeout / 1000;
  if (tool !== 'edit' || !saysOld.has(dialect)) return args;
  const { old_string, new_string, replace_all: _, ...others } = args;
  if (old_string !== undefined || new_string !== undefined)
    return { ...others, edits: [{ oldText: old_string, newText: new_string }] };
  if (!Array.isArray(args.edits)) return args;
  const edits = (args.edits as readonly unknown[]).map((edit) =>
    isRecord(edit) ? renamed(edit, turned(editKeys)) : edit,
  );
  return { ...args, edits };
}

const editKeys: Keys = [
  ['oldText', 'old_string'],
  ['newText', 'new_string'],
];
const turned = (keys: Keys): Keys => keys.map(([ours, theirs]) => [theirs, ours]);

/** The order of the keys stays. */
function renamed(values: Args, keys: Keys): Record<string, unknown> {
  const names = new Map(keys);
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [names.get(name) ?? name, value]));
}
