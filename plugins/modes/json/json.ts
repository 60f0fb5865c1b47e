import { drained, type Mode, type ModeRun, runPrompts } from 'kern/contracts';
import { Lines } from './lines.ts';

/** The header, every event, and last the result, also when the run failed. Nothing else is on stdout. */
export const json: Mode = {
  id: 'json',
  summary: 'every event as one line of JSON, the last line the result',
  async run(run: ModeRun): Promise<number> {
    const { session } = run;
    const lines = new Lines(run.stdout);
    const { type, version, id, timestamp, cwd } = session.header;
    lines.write({ type, version, id, timestamp, cwd });
    const events = session.subscribe((event) => lines.write(event));
    try {
      const { status, text, usage, cost, turns, durationMs, error, unsaved, exitCode } = await runPrompts(run);
      const failure =
        error === undefined ? null : { code: error.code, message: error === unsaved ? words(error) : error.message };
      const sessionFile = session.file ?? null;
      // An event after the result would make the result not the last line.
      events.dispose();
      lines.write({
        type: 'result',
        status,
        text,
        usage,
        cost,
        turns,
        durationMs,
        // It may have gone on in another file.
        sessionId: session.id,
        sessionFile,
        error: failure,
        exitCode,
      });
      return exitCode;
    } finally {
      events.dispose();
      lines.handOver();
      await drained(run.stdout);
    }
  },
};

/** Where the copy of what was not saved lies is part of what happened. */
const words = ({ message, hint }: { readonly message: string; readonly hint?: string }): string =>
  hint === undefined ? message : `${message}. ${hint}`;
