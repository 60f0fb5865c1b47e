import { fileStore, modelRequest, pendingChanges, toolResult, tools } from 'kern/contracts';
import { codeOf, definePlugin, lazySettings } from 'kern/plugin';
import { z } from 'zod';
import { type FormatSettings, formatFor } from './format-for.ts';
import { replaceFace } from './formats/replace.ts';
import { lightEdit } from './light.ts';
import { formats } from './request.ts';
import { createSeenFiles } from './seen.ts';

interface Settings extends FormatSettings {
  readonly maxBytes: number;
  readonly preview: boolean;
}

const settings = lazySettings<Settings>(
  { maxBytes: 10_000_000, format: undefined, formats: {}, preview: false },
  () => {
    const format = z.enum(formats);
    return z.object({
      maxBytes: z.int().positive().default(10_000_000).describe('The largest file that is edited'),
      format: format.optional().describe('How every model writes edits; without it each as it knows best'),
      formats: z
        .record(z.string(), format)
        .default({})
        .describe('By model, before what is built in: "openai/gpt-4.1*": patch'),
      preview: z.boolean().default(false).describe('Edits are shown first, and made by the tool resolve'),
    });
  },
);

export default definePlugin({
  id: 'tools.edit',
  description: 'The tool edit: changes text files in one of four formats and leaves every other byte alone.',
  requires: ['tools'],
  config: settings,
  async setup(ctx) {
    const { maxBytes, preview } = ctx.config;
    const seen = createSeenFiles();
    const standard = formatFor(undefined, ctx.config);
    const session = () => sessionOf(() => ctx.session);
    const face = standard === 'replace' ? replaceFace : (await import('./formats/parse.ts')).faces[standard];
    const load = async () => {
      const [{ editTool }, { createMisses }] = await Promise.all([import('./edit.ts'), import('./misses.ts')]);
      const misses = createMisses();
      return editTool({
        format: standard,
        preview,
        async host() {
          if (preview) await ctx.use(pendingChanges).load();
          return {
            files: ctx.service(fileStore),
            maxBytes,
            session: session().id,
            seen,
            misses,
            pending: preview ? ctx.service(pendingChanges) : undefined,
          };
        },
      });
    };
    const told = { executionMode: 'sequential', ...(preview ? { deferrable: true } : {}) } as const;
    ctx.contribute(tools, lightEdit(face, told, load));
    ctx.tap(modelRequest, async (request) => {
      const format = formatFor(request.model.id, ctx.config);
      return format === standard ? undefined : (await import('./offered.ts')).inFormat(request, standard, format);
    });
    ctx.tap(toolResult, async (call) => {
      if (call.tool !== 'read' && call.tool !== 'write') return undefined;
      const { id, model } = session();
      const { noted } = await import('./reading.ts');
      return noted(call, { seen, session: id, format: formatFor(model, ctx.config) });
    });
  },
});

/** Where no session runs, as on the command line, what is seen is nobody's. */
function sessionOf(session: () => { readonly id: string; model(): { readonly id: string } | undefined }) {
  try {
    const { id, model } = session();
    return { id, model: model()?.id };
  } catch (error) {
    if (codeOf(error) !== 'no_session') throw error;
    return { id: '', model: undefined };
  }
}
