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
  faces(view: View): readonly ToolFace[];
  prepare(view: View, request: CallRequest): Promise<PreparedCall>;
}
