import type { ToolResult } from 'kern/contracts';

/** A call that a hook is told of. */
export interface Called {
  readonly tool: string;
  readonly callId: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly result?: ToolResult;
}

/** Something happened that hooks may wait for. */
export interface Occurrence {
  /** As the table of events has it. */
  readonly event: string;
  readonly call?: Called;
  /** What the matcher is held against, where it is no tool. */
  readonly matched?: string;
  /** What hooks are told beside what all are told, in the Claude dialect's names. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Added to the environment of the hooks. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Where it happens. */
export interface Scene {
  readonly sessionId: string;
  /** The file of the session, where it has one. */
  readonly file: string | undefined;
  readonly cwd: string;
  readonly root: string;
  /** As Claude Code calls it: `default`, `acceptEdits`, `bypassPermissions`, `plan`. */
  readonly permissionMode: string;
  readonly model: string | undefined;
  readonly version: string;
}
