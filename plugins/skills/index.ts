import { resolve } from 'node:path';
import {
  compactionPins,
  input,
  inputText,
  provideFolders,
  skills as skillItems,
  systemPrompt,
  toolResult,
  withSections,
} from 'kern/contracts';
import { definePlugin, messageOf } from 'kern/plugin';
import { type SkillSettings, skillSettings } from './settings.ts';

export default definePlugin<SkillSettings>({
  id: 'skills',
  description: 'Skills are told to the model by name, and read when they are used: by it, or as /skill:name.',
  after: ['prompt'],
  config: skillSettings,
  setup(ctx) {
    const { customDirectories: paths, listBudget: budget } = ctx.config;
    if (paths.length > 0) {
      const [id, displayName, description] = ['custom', 'Your folders', 'Skills in folders that the settings name.'];
      provideFolders(ctx, { id, displayName, description, priority: 95, kind: 'skill', format: 'skills', paths });
    }
    let told: string | undefined;
    ctx.tap(systemPrompt, async (value) => {
      const { offeredSkills } = await import('./offered.ts');
      const { skillList } = await import('./listing.ts');
      const { tools, where } = value;
      const { sections: more, problem } = skillList(await offeredSkills(ctx), { tools, where, budget });
      // Once, and again when it is another one.
      if (problem !== undefined && problem !== told) ctx.log.warn(problem);
      told = problem;
      // A provider that is late takes no skill away.
      const late = ctx.use(skillItems).missing().length > 0 ? { isPartial: true } : {};
      const listed = more.length === 0 ? {} : { sections: withSections(value.sections, more) };
      return Object.keys({ ...late, ...listed }).length === 0 ? undefined : { ...value, ...listed, ...late };
    });
    /** Texts made while it was looked whether they can be, until they are sent a moment later. */
    const made = new Map<string, string>();
    const key = (text: string): string => `${ctx.where.cwd}\0${text}`;
    ctx.tap(input, async ({ text, signal: givenUp }) => {
      if (!text.startsWith('/skill:')) return undefined;
      const { askedSkill, refusal } = await import('./invoke.ts');
      const { offeredSkills } = await import('./offered.ts');
      const asked = askedSkill(text);
      if (asked === undefined) return undefined;
      const skills = await offeredSkills(ctx);
      const why = refusal(asked.name, skills);
      if (why !== undefined) return { handled: true, refused: { code: 'usage', message: why } };
      const skill = skills.find(({ name }) => name === asked.name);
      if (skill === undefined) return undefined;
      const { invokedHere } = await import('./shell-lines.ts');
      const signal = givenUp === undefined ? ctx.signal : AbortSignal.any([ctx.signal, givenUp]);
      made.clear();
      // A skill that cannot be read is said now: a prompt that only names it would be sent else.
      try {
        made.set(key(text), await ctx.asking(invokedHere(ctx, skill, asked.args, signal)));
        return undefined;
      } catch (error) {
        return {
          handled: true,
          refused: { code: 'skill_unreadable', message: `The skill ${asked.name} cannot be read: ${messageOf(error)}` },
        };
      }
    });
    ctx.tap(inputText, async (value) => {
      if (!value.text.startsWith('/skill:')) return undefined;
      const { askedSkill, invoked } = await import('./invoke.ts');
      const { offeredSkills } = await import('./offered.ts');
      const { noteUse } = await import('./used.ts');
      const asked = askedSkill(value.text);
      const skill = (await offeredSkills(ctx)).find(({ name }) => name === asked?.name);
      if (asked === undefined || skill === undefined) return undefined;
      const text = made.get(key(value.text)) ?? (await invoked(skill, asked.args, ctx.signal));
      made.delete(key(value.text));
      noteUse(ctx.session, skill.name);
      return { ...value, text };
    });
    ctx.tap(toolResult, async ({ tool, args, result }) => {
      if (tool !== 'read' || typeof args.path !== 'string' || result.isError === true) return undefined;
      if (!args.path.endsWith('.md')) return undefined;
      const file = resolve(ctx.where.cwd, args.path);
      const { offeredSkills } = await import('./offered.ts');
      const skill = (await offeredSkills(ctx)).find(({ path }) => path === file);
      if (skill === undefined) return undefined;
      const { noteUse } = await import('./used.ts');
      noteUse(ctx.session, skill.name);
      return undefined;
    });
    ctx.tap(compactionPins, async () => {
      const { pinsOf, usedSkills } = await import('./used.ts');
      const used = usedSkills(ctx.session);
      if (used.length === 0) return undefined;
      const { offeredSkills } = await import('./offered.ts');
      return pinsOf(used, await offeredSkills(ctx), ctx.signal);
    });
  },
});
