import { lazySettings } from 'kern/plugin';
import { z } from 'zod';

const skillSchema = () =>
  z.strictObject({
    includeSkills: z
      .array(z.string())
      .default([])
      .describe('Only skills whose names match one of these, with * for anything; empty: all of them'),
    ignoredSkills: z
      .array(z.string())
      .default([])
      .describe('Skills that are left out, by names with * for anything; goes before includeSkills'),
    customDirectories: z
      .array(z.string())
      .default([])
      .describe(
        'Folders with skills in them, beside the usual ones: absolute, from ~, or from the folder of the project',
      ),
    listBudget: z
      .int()
      .positive()
      .default(40_000)
      .describe('Characters that the list of skills may take in every request; a longer one is cut, and told of'),
  });
export type SkillSettings = z.infer<ReturnType<typeof skillSchema>>;

/** The settings under `plugins.skills`. */
export const skillSettings = lazySettings<SkillSettings>(
  { includeSkills: [], ignoredSkills: [], customDirectories: [], listBudget: 40_000 },
  skillSchema,
);
