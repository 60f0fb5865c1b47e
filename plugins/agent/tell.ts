import {
  type AgentEvent,
  agentStart,
  messageStart,
  messageUpdate,
  queueChanged,
  retryEnd,
  retryStart,
  turnEnd,
  turnStart,
} from 'kern/contracts';
import type { View } from 'kern/plugin';

/** The hook that goes with an event of a run. The others have none, or are told where they happen: `tool.*` with the call itself. */
export function tellPlugins(view: View, sessionId: string, event: AgentEvent): void {
  switch (event.type) {
    case 'agent_start':
      view.call(agentStart, { sessionId });
      break;
    case 'turn_start':
      view.call(turnStart, { sessionId, turnIndex: event.turnIndex });
      break;
    case 'turn_end':
      view.call(turnEnd, {
        sessionId,
        turnIndex: event.turnIndex,
        message: event.message,
        toolResults: event.toolResults,
      });
      break;
    case 'message_start':
      view.call(messageStart, { message: event.message });
      break;
    case 'message_update':
      view.call(messageUpdate, { event: event.assistantMessageEvent });
      break;
    case 'queue_update':
      view.call(queueChanged, {
        interrupt: event.interrupt,
        steering: event.steering,
        followUp: event.followUp,
      });
      break;
    case 'auto_retry_start': {
      const { attempt, delayMs, errorMessage: error } = event;
      view.call(retryStart, { sessionId, attempt, delayMs, error });
      break;
    }
    case 'auto_retry_end':
      view.call(retryEnd, { sessionId, attempt: event.attempt, success: event.success });
      break;
    default:
      break;
  }
}
