import type { ToolFace } from 'kern/contracts';
import type { View } from 'kern/plugin';
import type { PreparedCall } from './batch.ts';

export interface CallRequest {
  readonly name: string;
  readonly args: unknown;
  readonly callId: string;
  readonly sessionId: string;
  readonly by: 'model' | 'person';
  readonly signal: AbortSignal;
}

/** What the session needs of the tools: their faces, and a call made ready. */
export interface ToolSeam {
  /** What the model is offered; hidden tools only when they are asked for by name. The same tool has the same face. */
  faces(view: View, named: ReadonlySet<string>): readonly ToolFace[];
  /** Also tells the plugins (`tool.start` to `tool.end`). */
  prepare(view: View, request: CallRequest): Promise<PreparedCall>;
}
