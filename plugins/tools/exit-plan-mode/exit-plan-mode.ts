import { defineTool, errorResult, type PermissionMode, textResult } from 'kern/contracts';
import type { Ui } from 'kern/plugin';
import { z } from 'zod';

const parameters = z.object({ title: z.string().min(1).max(200).describe('The plan in a few words') });

export interface PlanDetails {
  readonly title: string;
  readonly approved: boolean;
  /** What the person wants to be different. */
  readonly refine?: string;
}

export interface PlanGround {
  readonly ui: () => Ui;
  readonly mode: () => Promise<PermissionMode>;
}

const yes = 'Yes, the plan is good';
const no = 'No, keep planning';

/**
 * Asks the person whether the plan is good. A yes ends the run: the mode is the person's to change, and nothing that a
 * model calls changes it.
 */
export const exitPlanMode = ({ ui, mode }: PlanGround) =>
  defineTool<z.infer<typeof parameters>, PlanDetails>({
    name: 'exit_plan_mode',
    description:
      'In plan mode, when the plan has been written: asks the person to agree with it. Do not call it while questions are open.',
    parameters,
    hidden: true,
    executionMode: 'sequential',
    // A question changes nothing, so that it may be asked in plan mode.
    effects: () => [],
    async execute(_id, { title }, signal) {
      const current = await mode();
      if (current !== 'plan')
        return errorResult(`This is not plan mode but ${current}: there is nothing to leave. Go on with the work.`);
      const person = ui();
      if (!person.available)
        return errorResult('Nobody is here to agree with the plan. End with the plan as your answer.');
      const answer = await person.select(`The plan is ready: ${title}`, [yes, no], signal);
      if (answer === yes) {
        const text = `The person agrees with the plan "${title}". The run ends here; the person now chooses the mode in which it is carried out.`;
        return { ...textResult(text, { title, approved: true }), terminate: true };
      }
      const refine = answer === undefined ? undefined : await person.input('What should be different?', '', signal);
      const wish = refine === undefined || refine.trim() === '' ? '' : ` They say: ${refine.trim()}`;
      return textResult(`The person does not agree with the plan yet.${wish}`, {
        title,
        approved: false,
        ...(wish === '' ? {} : { refine: refine?.trim() ?? '' }),
      });
    },
  });
