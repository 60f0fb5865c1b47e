import type { ForeignEvent } from '../contract.ts';
import * as models from './models.ts';
import * as run from './run.ts';
import * as sessions from './sessions.ts';
import * as tools from './tools.ts';
import type { Wire } from './wire.ts';

/** An event, and how an extension is told of it. */
export interface EventRow extends ForeignEvent {
  /** Missing where it is told to every extension anyway. */
  readonly wire?: Wire;
}

const row = (
  event: string,
  of: EventRow['of'],
  from: string,
  gives: string,
  more: Partial<Pick<EventRow, 'takes' | 'note' | 'wire'>> = {},
): EventRow => ({ event, of, from, gives, ...more });
const none = (event: string, of: EventRow['of'], note: string): EventRow => ({ event, of, from: undefined, note });
const stream = 'the stream of the session';

/** Every event, in the order of a session. The page about extensions is made of it. */
export const eventTable: readonly EventRow[] = [
  none('project_trust', 'pi', 'who trusts a project is a person, or the flag `--trust`: no extension decides it'),
  row('session_start', 'both', 'session.start', 'reason, previousSessionFile', {
    note: 'also with `reload` when a new version of the extension takes over, and with `startup` when it comes later',
  }),
  row('resources_discover', 'both', 'session.start', 'cwd, reason', {
    takes: 'skillPaths, promptPaths',
    note: 'themePaths are not read',
  }),
  none('mcp_servers_change', 'pi', 'servers are connected by kern alone'),
  row('session_info_changed', 'pi', stream, 'name'),
  row('session_before_switch', 'both', 'session.before-switch', 'reason, targetSessionFile', {
    takes: 'cancel',
    wire: sessions.wireBeforeSwitch,
  }),
  row('session_switch', 'oh-my-pi', 'session.switch', 'reason, previousSessionFile', { wire: sessions.wireSwitch }),
  row('session_before_fork', 'pi', 'session.before-branch, session.before-switch', 'entryId, position', {
    takes: 'cancel',
    wire: sessions.wireBeforeFork,
  }),
  row('session_before_branch', 'oh-my-pi', 'session.before-branch', 'entryId', {
    takes: 'cancel',
    wire: sessions.wireBeforeBranch,
  }),
  row('session_branch', 'oh-my-pi', 'session.branch', 'previousSessionFile', { wire: sessions.wireBranch }),
  row(
    'session_before_compact',
    'both',
    'session.before-compact',
    'preparation, branchEntries, customInstructions, reason, willRetry, signal',
    {
      takes: 'cancel, compaction.summary, compaction.details',
      note: 'from where on words stay as they are, kern says',
      wire: sessions.wireBeforeCompact,
    },
  ),
  row('session_compact', 'both', 'session.compact', 'compactionEntry, fromExtension, reason, willRetry', {
    wire: sessions.wireCompact,
  }),
  row('session_compact_failed', 'pi', 'compaction.end', 'reason, errorMessage, aborted', {
    wire: sessions.wireCompactFailed,
  }),
  none('session.compacting', 'oh-my-pi', 'use session_before_compact, or contribute a compaction strategy'),
  row('auto_compaction_start', 'oh-my-pi', stream, 'reason, strategy'),
  row('auto_compaction_end', 'oh-my-pi', stream, 'reason, result, aborted, willRetry, errorMessage'),
  row('session_before_tree', 'both', 'session.before-tree', 'preparation, signal', {
    takes: 'cancel, summary.summary',
    wire: sessions.wireBeforeTree,
  }),
  row('session_tree', 'both', 'session.tree', 'newLeafId, oldLeafId, summaryEntry, fromExtension', {
    wire: sessions.wireTree,
  }),
  row('session_shutdown', 'both', 'session.shutdown', 'reason', {
    note: 'also with `reload`, before a new version of the extension takes over',
  }),
  row('input', 'both', 'input, input.text', 'text, images, source', {
    takes: 'action (continue, transform with text and images, handled); handled, text, images',
    wire: run.wireInput,
  }),
  row(
    'before_agent_start',
    'both',
    'agent.before-start, model.request',
    'messageType, prompt, images, systemPrompt, systemPromptOptions',
    {
      takes: 'message, systemPrompt; sections, promptGuidelines and forceSystemPrompt of the options',
      note: 'a changed prompt stands in the requests of this run alone',
      wire: run.wireBeforeAgentStart,
    },
  ),
  row('agent_start', 'both', stream, ''),
  row('agent_end', 'both', stream, 'messages'),
  none('agent_before_settle', 'pi', 'use agent_end, and pi.sendMessage with deliverAs: "followUp"'),
  row('agent_settled', 'pi', stream, 'aborted'),
  none('session_stop', 'oh-my-pi', 'use agent_end, and pi.sendMessage with deliverAs: "followUp"'),
  none('ui_prompt_start', 'pi', 'dialogs are not told'),
  none('ui_prompt_end', 'pi', 'dialogs are not told'),
  row('turn_start', 'both', 'turn.start', 'turnIndex, timestamp', { wire: run.wireTurnStart }),
  row('turn_end', 'both', 'turn.end', 'turnIndex, message, toolResults', {
    note: 'entries and continue of an answer are left out, and that is said',
    wire: run.wireTurnEnd,
  }),
  row('message_start', 'both', 'message.start', 'message', { wire: run.wireMessageStart }),
  row('message_update', 'both', 'message.update', 'message, assistantMessageEvent', { wire: run.wireMessageUpdate }),
  row('message_end', 'both', 'message.end', 'message', {
    takes: 'message, of the same role',
    wire: run.wireMessageEnd,
  }),
  row('tool_execution_start', 'both', 'tool.start', 'toolCallId, toolName, args', {
    wire: tools.wireToolExecutionStart,
  }),
  row('tool_execution_update', 'both', 'tool.update', 'toolCallId, toolName, args, partialResult', {
    wire: tools.wireToolExecutionUpdate,
  }),
  row('tool_execution_end', 'both', 'tool.end', 'toolCallId, toolName, result, isError, durationMs', {
    wire: tools.wireToolExecutionEnd,
  }),
  row('tool_call', 'both', 'tool.input, tool.call', 'toolName, toolCallId, input', {
    takes: 'block, reason, terminate; input, or changes of event.input, which are validated',
    note: 'a handler that throws blocks the call; an allowed call is still asked about as the permissions say',
    wire: tools.wireToolCall,
  }),
  row('tool_result', 'both', 'tool.result', 'toolName, toolCallId, input, content, details, isError', {
    takes: 'content, details, isError',
    wire: tools.wireToolResult,
  }),
  none('tool_approval_requested', 'oh-my-pi', 'it is asked and answered within kern'),
  row('tool_approval_resolved', 'oh-my-pi', 'permission.decided', 'toolName, approved, reason', {
    wire: models.wireApproval,
  }),
  none('user_bash', 'both', 'kern has no lines that a person sends to a shell yet'),
  none('user_python', 'oh-my-pi', 'kern has no lines that a person sends to Python yet'),
  row('context', 'both', 'context', 'messages', { takes: 'messages', wire: run.wireContext }),
  none('context_with_system', 'pi', 'use context for messages, and before_agent_start for the prompt'),
  row('before_provider_headers', 'pi', 'model.headers', 'headers', {
    takes: 'changes of event.headers',
    wire: models.wireHeaders,
  }),
  row('before_provider_request', 'both', 'model.request', 'payload', {
    takes: 'systemPrompt, messages, tools, thinking and maxOutput of the payload',
    note: 'before it is put into the words of the provider',
    wire: models.wireRequest,
  }),
  row('after_provider_response', 'both', 'model.response', 'status, headers', {
    note: 'when the reply is complete; status is 200 or 0, and headers are empty',
    wire: models.wireResponse,
  }),
  row('provider_stream_event', 'pi', 'model-observer', 'provider, api, model, data', {
    note: 'data are the events of kern, not those of the provider',
    wire: models.wireStreamEvent,
  }),
  none('cache_warming_decision', 'pi', 'kern keeps no cache warm'),
  row('auto_retry_start', 'oh-my-pi', stream, 'attempt, maxAttempts, delayMs, errorMessage'),
  row('auto_retry_end', 'oh-my-pi', stream, 'success, attempt, finalError'),
  none('retry_fallback_applied', 'oh-my-pi', 'use auto_retry_start, which names the model'),
  none('retry_fallback_succeeded', 'oh-my-pi', 'use auto_retry_end'),
  row('model_select', 'both', 'model.select', 'model, previousModel, source', { wire: models.wireModelSelect }),
  row('thinking_level_select', 'both', 'thinking.select', 'level, previousLevel', {
    wire: models.wireThinkingSelect,
  }),
  none('before_subagent_spawn', 'oh-my-pi', 'kern has no subagents yet'),
  none('ttsr_triggered', 'oh-my-pi', 'it is not told to extensions of this kind'),
  none('todo_reminder', 'oh-my-pi', 'kern has no list of things to do yet'),
  none('goal_updated', 'oh-my-pi', 'kern has no goals'),
  none('credential_disabled', 'oh-my-pi', 'keys are no concern of extensions'),
  none('mcp_notification', 'oh-my-pi', 'servers are connected by kern alone'),
];
