import { defineTool, textResult } from 'kern/contracts';
import { z } from 'zod';

const priorities = ['P0', 'P1', 'P2', 'P3'] as const;

const parameters = z
  .object({
    title: z.string().min(1).max(80).describe('Begins with the priority: "[P1] Lock is never released"'),
    body: z.string().min(1).describe('What is wrong, when it shows, and why'),
    priority: z.enum(priorities).describe('P0 stops a release … P3 is nice to have'),
    confidence: z.number().min(0).max(1),
    file_path: z.string().min(1),
    line_start: z.int().min(1),
    line_end: z.int().min(1),
  })
  .refine(({ line_start, line_end }) => line_end >= line_start, {
    error: 'is before line_start',
    path: ['line_end'],
  });

/** What a reviewer found, as whoever asked for the review takes it from the details. */
export type Finding = z.infer<typeof parameters>;

export const reportFinding = defineTool<Finding, Finding>({
  name: 'report_finding',
  description: 'Notes one problem that a review found. Call it once for each.',
  parameters,
  hidden: true,
  effects: () => [],
  prepareArguments: plainly,
  execute: async (_id, finding) => {
    const { title, priority, confidence, file_path, line_start, line_end } = finding;
    const lines = line_start === line_end ? `${line_start}` : `${line_start}-${line_end}`;
    // The priority stands in front once, whether the model wrote it there or not.
    const said = title.replace(/^\[P[0-3]\]\s*/, '');
    return textResult(
      `Noted: [${priority}] ${said} (${file_path}:${lines}, ${Math.round(confidence * 100)} % sure)`,
      finding,
    );
  },
});

/** `p1`, `1` and percentages, as models write them. */
function plainly(args: unknown): unknown {
  if (typeof args !== 'object' || args === null) return args;
  const { priority, confidence, ...rest } = args as Record<string, unknown>;
  const level = /^p?([0-3])$/i.exec(String(priority))?.[1];
  const percent = typeof confidence === 'number' && confidence > 1 && confidence <= 100;
  return {
    ...rest,
    ...(priority === undefined ? {} : { priority: level === undefined ? priority : `P${level}` }),
    ...(confidence === undefined ? {} : { confidence: percent ? confidence / 100 : confidence }),
  };
}
