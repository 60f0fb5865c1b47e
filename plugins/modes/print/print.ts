import {
  type AgentEvent,
  drained,
  type Mode,
  type ModeRun,
  modes,
  type PromptsOutcome,
  runPrompts,
} from 'kern/contracts';
import { paint } from './paint.ts';
import { createScreen, harmless, type Screen, tame } from './screen.ts';

/** The print mode with its two hands, which a newer revision of it takes over in the middle of a run. */
export interface PrintMode extends Mode {
  paint(event: AgentEvent, screen: Screen): void;
  finish(outcome: PromptsOutcome, run: ModeRun, screen: Screen): void;
}

/** The answer on stdout; on stderr a line for each thing that was done. */
export const print: PrintMode = {
  id: 'text',
  summary: 'the answer on stdout, progress on stderr',
  paint,
  finish,
  async run(run: ModeRun): Promise<number> {
    const screen = createScreen(run);
    let hands: PrintMode = print;
    const events = run.session.subscribe((event) => {
      // The mode is asked for anew at each turn: an edit of it shows in the turn after.
      if (event.type === 'turn_start') hands = winner(run);
      hands.paint(event, screen);
    });
    try {
      const outcome = await runPrompts(run);
      winner(run).finish(outcome, run, screen);
      return outcome.exitCode;
    } finally {
      events.dispose();
      await drained(run.stdout);
    }
  },
};

function winner({ session }: ModeRun): PrintMode {
  const mode = session.view.use(modes).get('text')?.item;
  return mode !== undefined && 'paint' in mode && 'finish' in mode ? (mode as PrintMode) : print;
}

function finish({ text, error, status, unsaved, wasAsked }: PromptsOutcome, { stdout }: ModeRun, screen: Screen): void {
  // A program gets every byte; a terminal would obey some of them.
  const shown = 'isTTY' in stdout && stdout.isTTY === true ? tame(text) : text;
  if (text !== '') stdout.write(shown.endsWith('\n') ? shown : `${shown}\n`);
  const tell = ({ message, hint }: NonNullable<typeof error>): void => {
    screen.line(screen.style('red', `kern: ${harmless(message)}`));
    for (const line of hint?.split('\n') ?? []) screen.line(`  ${harmless(line)}`);
  };
  if (unsaved !== undefined && unsaved !== error) tell(unsaved);
  if (error !== undefined) {
    tell(error);
  } else if (status === 'aborted') {
    screen.line(screen.style('red', 'kern: aborted'));
  } else if (text === '' && wasAsked) {
    screen.line(screen.style('dim', 'The model ended without an answer.'));
  }
}
