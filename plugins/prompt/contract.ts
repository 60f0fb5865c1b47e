import { event } from 'kern/plugin';

/** A rule matched what the model was writing: the reply is stopped, and the rule is told. */
export const ruleTriggered = event<{
  readonly sessionId: string;
  readonly rule: string;
  readonly path: string;
  /** What it matched. */
  readonly match: string;
}>({ id: 'rule.triggered' });
