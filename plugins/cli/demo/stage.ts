import path from 'node:path';
import { type AgentEvent, resultText, type ToolResult } from 'kern/contracts';

/** Shows a run as it happens: what the model says, what is called, and what came of it. */
export class Stage {
  readonly #print: (line: string) => void;
  readonly #color: boolean;
  readonly #folder: string;
  readonly calls: { readonly tool: string; readonly isError: boolean }[] = [];
  /** Calls under way, by id. */
  readonly #running = new Map<
    string,
    { readonly about: string; readonly content: string | undefined; isAlone: boolean }
  >();

  constructor(print: (line: string) => void, color: boolean, folder: string) {
    this.#print = print;
    this.#color = color;
    this.#folder = folder;
  }

  title(text: string): void {
    this.#print('');
    this.#print(this.#paint(1, text));
    this.#print('');
  }

  line(text = ''): void {
    this.#print(text);
  }

  show(event: AgentEvent): void {
    if (event.type === 'message_end' && event.message.role === 'assistant') {
      for (const block of event.message.content)
        if (block.type === 'text' && block.text !== '') this.#print(`${this.#paint(36, 'model')}  ${block.text}`);
    }
    if (event.type === 'tool_execution_start') this.#started(event.toolCallId, event.toolName, event.args);
    if (event.type === 'tool_execution_end') this.#ended(event.toolCallId, event.toolName, event.result, event.isError);
  }

  #started(id: string, tool: string, args: unknown): void {
    const about = this.#plain(describe(args));
    for (const other of this.#running.values()) other.isAlone = false;
    const isAlone = this.#running.size === 0;
    this.#running.set(id, { about, content: tool === 'write' ? contentIn(args) : undefined, isAlone });
    this.#print(`${this.#paint(33, 'tool')}   ${tool} ${about}`);
  }

  #ended(id: string, tool: string, result: ToolResult, isError: boolean): void {
    const { about = '', content, isAlone = true } = this.#running.get(id) ?? {};
    this.#running.delete(id);
    this.calls.push({ tool, isError });
    const lines = [
      ...(content ?? '')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => this.#diffLine(`+${line}`)),
      ...this.#outcome(tool, result, isError),
    ];
    // Of several at a time, it is said which one this came of.
    const [first = '', ...rest] = lines;
    for (const line of [isAlone ? first : `${about}: ${first}`, ...rest]) this.#print(`         ${line}`);
  }

  #outcome(tool: string, result: ToolResult, isError: boolean): readonly string[] {
    const text = this.#plain(resultText(result));
    const { details } = result;
    if (!isError && hasDiff(details)) return diffLines(details.diff).map((line) => this.#diffLine(line));
    if (tool === 'read' && !isError) return [this.#paint(2, `${text.trimEnd().split('\n').length} lines`)];
    const lines = telling(text.trimEnd().split('\n'));
    return lines.map((line) => this.#paint(isError ? 31 : 2, line));
  }

  #diffLine(line: string): string {
    if (line.startsWith('+')) return this.#paint(32, line);
    return line.startsWith('-') ? this.#paint(31, line) : this.#paint(2, line);
  }

  /** Without the temporary folder and the place of Node, which say nothing. */
  #plain(text: string): string {
    return text
      .replaceAll(`"${process.execPath}"`, 'node')
      .replaceAll(process.execPath, 'node')
      .replaceAll(`file://${this.#folder}${path.sep}`, '')
      .replaceAll(`${this.#folder}${path.sep}`, '')
      .replaceAll(this.#folder, '.');
  }

  #paint(code: number, text: string): string {
    return this.#color ? `\u001b[${code}m${text}\u001b[0m` : text;
  }
}

function describe(args: unknown): string {
  if (typeof args !== 'object' || args === null) return '';
  if ('command' in args) return String(args.command);
  return 'path' in args ? String(args.path) : JSON.stringify(args);
}

function contentIn(args: unknown): string | undefined {
  return typeof args === 'object' && args !== null && 'content' in args && typeof args.content === 'string'
    ? args.content
    : undefined;
}

function hasDiff(details: unknown): details is { readonly diff: string } {
  return (
    typeof details === 'object' &&
    details !== null &&
    'diff' in details &&
    typeof details.diff === 'string' &&
    details.diff !== ''
  );
}

const diffLines = (diff: string): readonly string[] =>
  diff
    .trimEnd()
    .split('\n')
    .filter((line) => !/^(---|\+\+\+|===|Index:|\\)/.test(line));

/** The lines of a test run that matter; all of anything short. */
function telling(lines: readonly string[]): readonly string[] {
  const shown = lines
    .filter((line) => line.trim() !== '' && !/failing tests:$/.test(line))
    .map((line) => line.replace(/ \([\d.]+ms\)$/, ''));
  if (shown.length <= 6) return shown;
  const matter = shown.filter((line) =>
    /^\s*(✔|✖|ok \d|not ok \d|[+-] +'|# (pass|fail) |ℹ (pass|fail) |Command exited)/.test(line),
  );
  return matter.length > 0 ? [...new Set(matter)] : [...shown.slice(0, 5), `… ${shown.length - 5} more lines`];
}
