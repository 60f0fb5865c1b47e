/** What decides which tools there are for a conversation. */
export interface ToolGate {
  /** The tools that were asked for by name. Without it nobody chose. */
  readonly requested?: ReadonlySet<string>;
  /** Switched off: `plugins: { tools.grep: false }`. Of built-in plugins nothing needs to be said: they do not load. */
  readonly off?: (name: string) => boolean;
  /** How many agents stand above this one. Default 0. */
  readonly depth?: number;
  /** How many may: below that nobody starts another. Default 2; less than 0: any number. */
  readonly maxDepth?: number;
  /** The conversation ends by `submit_result`: a subagent. */
  readonly mustSubmit?: boolean;
  /** One of the tools shows what it would do and waits. */
  readonly hasDeferrable?: boolean;
}

/** Tools that start agents. */
const starters = new Set(['task']);
/** Tools that make no sense where the conversation is about one result. */
const notForSubagents = new Set(['todo_write']);
/** Tools that are there for a purpose, and not because somebody would choose them. */
export const hiddenToolNames = ['submit_result', 'report_finding', 'exit_plan_mode', 'resolve'] as const;

/** Whether a tool may be called. What a model is offered may be less. */
export function isToolAllowed(name: string, gate: ToolGate = {}): boolean {
  const { requested, off, depth = 0, maxDepth = 2, mustSubmit = false, hasDeferrable = false } = gate;
  if (off?.(name) === true) return false;
  if (starters.has(name) && maxDepth >= 0 && depth >= maxDepth) return false;
  if (name === 'resolve') return hasDeferrable;
  if (name === 'submit_result') return mustSubmit || requested?.has(name) === true;
  if (mustSubmit && notForSubagents.has(name)) return false;
  // Else a model that may only read could never ask to leave the mode in which it may only read.
  if (name === 'exit_plan_mode') return true;
  // What was started in the background can be looked at wherever it can be started.
  if (name === 'jobs' && (requested?.has('bash') === true || requested?.has('powershell') === true)) return true;
  if (name === 'report_finding') return requested?.has(name) === true;
  return requested === undefined || requested.has(name);
}
