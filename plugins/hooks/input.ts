import { exactPath, type HookItem, resolvePath, resultText } from 'kern/contracts';
import type { Called, Occurrence, Scene } from './occurrence.ts';
import { toInput } from './tool-inputs.ts';
import { toolNameIn } from './tool-names.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What a hook reads from its standard input, in the words of its dialect. */
export function inputOf({ event, dialect = 'claude' }: HookItem, happened: Occurrence, scene: Scene): Fields {
  const { call } = happened;
  const what = call === undefined ? happened : { ...happened, call: { ...call, args: toldArgs(dialect, call, scene) } };
  const { sessionId, file = '', cwd, root, permissionMode, model = '' } = scene;
  const base = {
    session_id: sessionId,
    transcript_path: file,
    cwd,
    hook_event_name: event,
    permission_mode: permissionMode,
  };
  const told = { ...what.fields, ...(what.call === undefined ? {} : callFields(dialect, what.event, what.call)) };
  switch (dialect) {
    case 'cline':
      return ofCline(event, what, told, scene);
    case 'cursor':
      return ofCursor(event, what, { ...base, ...told, conversation_id: sessionId, workspace_roots: [root], model });
    case 'gemini':
      return { ...base, timestamp: new Date().toISOString(), ...told };
    case 'codex':
      return { ...base, model, ...told };
    default:
      return { ...base, ...told };
  }
}

/** Those that are told whole paths, whatever the model wrote: their hooks hold them against the folder of the project. */
const whole: ReadonlySet<string> = new Set(['claude', 'codex', 'cursor']);
const withPath: ReadonlySet<string> = new Set(['read', 'write', 'edit', 'grep', 'find', 'ls']);

/** Where the tool will look. */
const wholePath = (tool: string, path: string, cwd: string): string =>
  tool === 'write' ? exactPath(path, cwd) : resolvePath(path, cwd);

function toldArgs(
  dialect: NonNullable<HookItem['dialect']>,
  { tool, args }: Pick<Called, 'tool' | 'args'>,
  { cwd }: Scene,
): Called['args'] {
  return whole.has(dialect) && withPath.has(tool) && typeof args.path === 'string' && args.path !== ''
    ? { ...args, path: wholePath(tool, args.path, cwd) }
    : args;
}

/** Arguments of a hook as they were, where it only says again the whole path that it was told. */
export function asTyped(args: Called['args'], changed: Called['args'], tool: string, cwd: string): Called['args'] {
  const isSame =
    withPath.has(tool) &&
    typeof args.path === 'string' &&
    args.path !== '' &&
    changed.path === wholePath(tool, args.path, cwd);
  return isSame ? { ...changed, path: args.path } : changed;
}

function callFields(dialect: NonNullable<HookItem['dialect']>, event: string, call: Called): Fields {
  const { tool, callId, args, result } = call;
  const fields = {
    tool_name: toolNameIn(dialect, tool, args),
    tool_input: toInput(dialect, tool, args),
    ...(callId === '' ? {} : { tool_use_id: callId }),
  };
  if (result === undefined) return fields;
  return event === 'PostToolUseFailure' && (dialect === 'claude' || dialect === 'cursor')
    ? { ...fields, error: resultText(result), is_interrupt: false }
    : { ...fields, tool_response: responseOf(dialect, call) };
}

/** What a tool answered. Beside what all results have, what hooks of Claude Code look for. */
function responseOf(dialect: NonNullable<HookItem['dialect']>, { tool, args, result }: Called): Fields {
  const text = result === undefined ? '' : resultText(result);
  const isError = result?.isError === true;
  if (dialect === 'gemini')
    return { llmContent: text, returnDisplay: text, ...(isError ? { error: { message: text } } : {}) };
  const whole = { content: result?.content ?? [], details: result?.details, is_error: isError };
  if (dialect === 'kern') return whole;
  if (tool === 'bash' || tool === 'powershell')
    return { stdout: isError ? '' : text, stderr: isError ? text : '', interrupted: false, isImage: false, ...whole };
  if (tool === 'write' || tool === 'edit') return { filePath: args.path, success: !isError, ...whole };
  if (tool === 'read') return { type: 'text', file: { filePath: args.path, content: text }, ...whole };
  return whole;
}

function ofCursor(event: string, { call }: Occurrence, fields: Fields): Fields {
  if (call === undefined) return fields;
  const { tool, args, result } = call;
  const output = result === undefined ? '' : resultText(result);
  switch (event) {
    case 'beforeShellExecution':
      return { ...fields, command: args.command };
    case 'afterShellExecution':
      return { ...fields, command: args.command, output };
    case 'beforeReadFile':
      return { ...fields, file_path: args.path };
    case 'afterFileEdit':
      return {
        ...fields,
        file_path: args.path,
        edits: tool === 'edit' ? ((fields.tool_input as Fields).edits ?? [fields.tool_input]) : [],
      };
    case 'afterMCPExecution':
      return { ...fields, result_json: output };
    default:
      return result === undefined ? fields : { ...fields, tool_output: output };
  }
}

/** Cline tells a program all of it under the name of its event. */
function ofCline(event: string, { call }: Occurrence, fields: Fields, { sessionId, root, version }: Scene): Fields {
  const name = `${event.slice(0, 1).toLowerCase()}${event.slice(1)}`;
  const base = {
    clineVersion: version,
    hookName: event,
    timestamp: String(Date.now()),
    taskId: sessionId,
    workspaceRoots: [root],
    userId: '',
  };
  if (call !== undefined) {
    const { result } = call;
    const told = { toolName: fields.tool_name, parameters: fields.tool_input };
    const ended = { result: result === undefined ? '' : resultText(result), success: result?.isError !== true };
    return {
      ...base,
      [name]: result === undefined ? told : { ...told, ...ended, executionTimeMs: fields.duration_ms },
    };
  }
  if (event === 'UserPromptSubmit') return { ...base, [name]: { prompt: fields.prompt, attachments: [] } };
  if (event.startsWith('Task')) return { ...base, [name]: { taskMetadata: { taskId: sessionId, ulid: sessionId } } };
  return { ...base, [name]: fields };
}
