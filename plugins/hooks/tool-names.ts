import type { HookItem } from 'kern/contracts';

type Dialect = NonNullable<HookItem['dialect']>;

/** What a tool of kern's is called by its neighbours; the first name of each is the one that their hooks are told. */
interface Names {
  readonly claude: readonly string[];
  readonly gemini: readonly string[];
  readonly codex: readonly string[];
  readonly cursor: readonly string[];
  readonly cline: readonly string[];
  /** Of others still, whose matchers may stand in a file of Claude's dialect. */
  readonly more?: readonly string[];
}

const table: Readonly<Record<string, Names>> = {
  bash: {
    claude: ['Bash'],
    gemini: ['run_shell_command'],
    codex: ['Bash', 'shell', 'local_shell', 'shell_command', 'exec_command'],
    cursor: ['Shell'],
    cline: ['execute_command'],
    more: ['ShellTool'],
  },
  powershell: {
    claude: ['PowerShell'],
    gemini: ['run_shell_command'],
    codex: ['Bash', 'shell'],
    cursor: ['Shell'],
    cline: ['execute_command'],
  },
  read: {
    claude: ['Read', 'NotebookRead'],
    gemini: ['read_file', 'read_many_files'],
    codex: ['Read'],
    cursor: ['Read'],
    cline: ['read_file'],
    more: ['view'],
  },
  write: {
    claude: ['Write'],
    gemini: ['write_file'],
    codex: ['apply_patch', 'Write'],
    cursor: ['Write'],
    cline: ['write_to_file'],
  },
  edit: {
    claude: ['Edit', 'MultiEdit', 'NotebookEdit'],
    gemini: ['replace', 'edit'],
    codex: ['apply_patch', 'Edit'],
    cursor: ['Write', 'Edit'],
    cline: ['replace_in_file'],
    more: ['multiedit'],
  },
  grep: {
    claude: ['Grep'],
    gemini: ['search_file_content', 'grep_search'],
    codex: ['Grep'],
    cursor: ['Grep'],
    cline: ['search_files'],
  },
  find: { claude: ['Glob'], gemini: ['glob'], codex: ['Glob'], cursor: ['Glob'], cline: ['list_files'] },
  ls: { claude: ['LS'], gemini: ['list_directory'], codex: ['LS'], cursor: ['LS'], cline: ['list_files'] },
  fetch: {
    claude: ['WebFetch'],
    gemini: ['web_fetch'],
    codex: ['WebFetch'],
    cursor: ['WebFetch'],
    cline: ['web_fetch'],
  },
  web_search: {
    claude: ['WebSearch'],
    gemini: ['google_web_search'],
    codex: ['WebSearch'],
    cursor: ['WebSearch'],
    cline: ['web_search'],
  },
  task: {
    claude: ['Task', 'Agent'],
    gemini: ['task'],
    codex: ['Task'],
    cursor: ['Task'],
    cline: ['new_task'],
    more: ['agent'],
  },
  todo_write: {
    claude: ['TodoWrite'],
    gemini: ['write_todos'],
    codex: ['update_plan'],
    cursor: ['TodoWrite'],
    cline: ['focus_chain'],
  },
  ask: {
    claude: ['AskUserQuestion'],
    gemini: ['ask_user'],
    codex: ['request_user_input'],
    cursor: ['AskQuestion'],
    cline: ['ask_followup_question'],
  },
  exit_plan_mode: {
    claude: ['ExitPlanMode'],
    gemini: ['exit_plan_mode'],
    codex: ['ExitPlanMode'],
    cursor: ['ExitPlanMode'],
    cline: ['plan_mode_respond'],
  },
};

const dialects = ['claude', 'gemini', 'codex', 'cursor', 'cline'] as const;
const namesOf = (tool: string): Names | undefined => (Object.hasOwn(table, tool) ? table[tool] : undefined);
const isSpoken = (dialect: Dialect): dialect is (typeof dialects)[number] => dialects.some((one) => one === dialect);

/** A tool of a server, `mcp__server__tool` here, as Gemini CLI has it: `mcp_server_tool`. */
const mcpNames = (tool: string): readonly string[] => {
  const [, server, name] = /^mcp__(.+?)__(.+)$/.exec(tool) ?? [];
  return server === undefined ? [tool] : [tool, `mcp_${server}_${name}`, `${server}__${name}`, `MCP:${name}`];
};

/** What hooks of a dialect are told that a tool is called. */
export function toolNameIn(dialect: Dialect, tool: string, args: Readonly<Record<string, unknown>> = {}): string {
  const names = namesOf(tool);
  if (names === undefined) {
    const [own = tool, gemini = tool, , cursor = tool] = mcpNames(tool);
    return dialect === 'gemini' ? gemini : dialect === 'cursor' ? cursor : own;
  }
  if (!isSpoken(dialect)) return tool;
  const [first = tool, second = first] = names[dialect];
  const isSeveral = tool === 'edit' && Array.isArray(args.edits) && args.edits.length > 1;
  return dialect === 'claude' && isSeveral ? second : first;
}

/** Every name that a tool has anywhere. */
export function allNames(tool: string): ReadonlySet<string> {
  const names = namesOf(tool);
  if (names === undefined) return new Set(mcpNames(tool));
  return new Set([tool, ...dialects.flatMap((dialect) => names[dialect]), ...(names.more ?? [])]);
}

/** The tools of kern's that a name of any neighbour's means. */
export function toolsCalled(name: string): readonly string[] {
  return Object.keys(table).filter((tool) => allNames(tool).has(name));
}
