import type { HookEvent } from './contract.ts';

type More = Partial<Omit<HookEvent, 'event' | 'from'>>;
const comes = (event: string, from: string, more: More = {}): HookEvent => ({ also: [], ...more, event, from });
const never = (event: string, note: string, also: readonly string[] = []): HookEvent => ({
  event,
  also,
  from: undefined,
  note,
});
const fired = 'kern fires no such event';

/** Every event of hooks that are data, in the order of a session. What runs, and the page about hooks, are made of it. */
export const hookEvents: readonly HookEvent[] = [
  comes('SessionStart', 'session.start, session.compact', {
    also: ['cline: TaskStart, TaskResume'],
    matches: '`source`: startup, resume, clear, fork, compact',
    gives: 'source, model',
    takes: 'additionalContext, or plain text: told to the model before the next prompt',
  }),
  comes('UserPromptSubmit', 'input', {
    also: ['gemini: BeforeAgent', 'cursor: beforeSubmitPrompt'],
    gives: 'prompt',
    takes: 'decision `block`: it is not sent; additionalContext, or plain text: told to the model with it',
    note: 'what is said while a run goes on is not asked about',
  }),
  comes('PreToolUse', 'tool.input, tool.call', {
    also: ['gemini: BeforeTool', 'cursor: beforeShellExecution, beforeMCPExecution, beforeReadFile'],
    matches: 'the tool',
    gives: 'tool_name, tool_input, tool_use_id',
    takes: 'permissionDecision, permissionDecisionReason, updatedInput, additionalContext',
  }),
  comes('PermissionRequest', 'permission.ask', {
    matches: 'the tool',
    gives: 'tool_name, tool_input, reasons',
    takes: 'decision.behavior (allow, deny), decision.message',
    note: 'before a person is asked',
  }),
  comes('PermissionDenied', 'permission.decided', { matches: 'the tool', gives: 'tool_name, reason' }),
  comes('Notification', 'permission.ask', {
    matches: '`notification_type`',
    gives: 'message, title, notification_type',
    note: 'where a person is about to be asked: `permission_prompt`',
  }),
  comes('PostToolUse', 'tool.result', {
    also: ['gemini: AfterTool', 'cursor: afterShellExecution, afterMCPExecution, afterFileEdit'],
    matches: 'the tool',
    gives: 'tool_name, tool_input, tool_response, tool_use_id, duration_ms',
    takes: 'decision `block` and reason: told to the model; additionalContext, updatedToolOutput',
    note: 'of Gemini CLI, Codex, Cline and kern’s own files also for calls that failed',
  }),
  comes('PostToolUseFailure', 'tool.result', {
    matches: 'the tool',
    gives: 'tool_name, tool_input, tool_use_id, error',
    takes: 'additionalContext',
  }),
  comes('PreCompact', 'session.before-compact', {
    also: ['gemini: PreCompress'],
    matches: '`trigger`: manual, auto',
    gives: 'trigger, custom_instructions',
    takes: 'decision `block`: it is not done',
  }),
  comes('PostCompact', 'session.compact', { matches: '`trigger`', gives: 'trigger, compact_summary' }),
  comes('PostModelSwitch', 'model.select', { gives: 'model, previous_model' }),
  comes('Stop', 'agent.before-end', {
    also: ['gemini: AfterAgent', 'cline: TaskComplete'],
    gives: 'stop_hook_active, last_assistant_message',
    takes: 'decision `block` and reason: the run goes on with it, at most eight times; `followup_message` likewise',
  }),
  comes('StopFailure', 'agent.end', { gives: 'error', note: 'a run that failed or used up a limit' }),
  comes('Interrupt', 'agent.end', { also: ['cline: TaskCancel'], note: 'a run that was aborted' }),
  comes('SessionEnd', 'session.shutdown', {
    matches: '`reason`: clear, resume, fork, other',
    gives: 'reason',
  }),
  never('SubagentStart', 'kern has no subagents yet'),
  never('SubagentStop', 'kern has no subagents yet'),
  never('PostToolBatch', 'use PostToolUse'),
  never('UserPromptExpansion', 'use UserPromptSubmit, which sees what was typed'),
  never('PreModelSwitch', 'a model is chosen by a person: use PostModelSwitch'),
  never('BeforeModel', 'requests have kern’s own shape: tap model.request in an extension', ['gemini: BeforeModel']),
  never('AfterModel', 'replies have kern’s own shape: tap message.end in an extension', ['gemini: AfterModel']),
  never('BeforeToolSelection', 'use the setting `tools`, or --tools', ['gemini: BeforeToolSelection']),
  never('AfterAgentResponse', 'use Stop', ['cursor: afterAgentResponse']),
  never('AfterAgentThought', fired, ['cursor: afterAgentThought']),
  never('BeforeTabFileRead', 'kern completes no lines', ['cursor: beforeTabFileRead']),
  never('AfterTabFileEdit', 'kern completes no lines', ['cursor: afterTabFileEdit']),
  never('WorkspaceOpen', 'use SessionStart', ['cursor: workspaceOpen']),
  never('Setup', fired),
  never('TeammateIdle', fired),
  never('TaskCreated', fired),
  never('TaskCompleted', fired),
  never('Elicitation', fired),
  never('ElicitationResult', fired),
  never('ConfigChange', 'tap config.changed in an extension'),
  never('WorktreeCreate', fired),
  never('WorktreeRemove', fired),
  never('InstructionsLoaded', 'tap system-prompt in an extension'),
  never('CwdChanged', fired),
  never('FileChanged', 'use PostToolUse for what the agent writes'),
  never('DirectoryAdded', fired),
  never('MessageDisplay', 'tap message.end in an extension'),
  never('PreSkillShellCommand', 'a shell line of a skill is a call of bash: `PreToolUse` comes'),
];
