import { type FoundText, instructions, rules, type ToolResult } from 'kern/contracts';
import { type Context, codeOf, messageOf } from 'kern/plugin';
import { globsOf, whenTold } from './applies.ts';
import { fitted } from './limits.ts';
import { shownPath } from './place.ts';
import type { PromptSettings } from './settings.ts';
import type { ToldOfFiles } from './told-of-files.ts';
import type { ToldTexts } from './told-texts.ts';
import { filesOf, isOneOf } from './touched-files.ts';

interface Call {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly result: ToolResult;
}

/** The result with the rules and instructions for the files of the call behind it: each once, and again when it changed. */
export async function withFileRules(
  ctx: Context<PromptSettings>,
  { texts, told, session }: { readonly texts: ToldTexts; readonly told: ToldOfFiles; readonly session: string },
  call: Call,
): Promise<ToolResult | undefined> {
  const known = forFiles(ctx);
  if (known.length === 0 || call.result.isError === true) return undefined;
  const files = await filesOf(ctx, call);
  const wanted = known.filter(({ item: { path }, globs }) => {
    const key = `${path}\0${globs.join()}`;
    if (texts.slow.has(key)) return false;
    try {
      return files.some((file) => isOneOf(file, globs, ctx.where));
    } catch (error) {
      if (codeOf(error) !== 'too_slow') throw error;
      texts.slow.add(key);
      texts.say(path, `${path}: ${messageOf(error)}, and it is told for no file in this run; write simpler ones`);
      return false;
    }
  });
  const read = await Promise.all(
    wanted.map(async ({ item, globs }) => ({ item, globs, text: (await texts.read(item, ctx.signal)) ?? '' })),
  );
  const pieces = read
    .filter(({ item, text }) => text !== '' && told.isNews(session, item.path, text))
    .map(({ item: { name, path }, globs, text }) => {
      const shown = shownPath(path, ctx.where);
      return { id: name, path, shown, text, heading: `# ${name}, for ${globs.join(', ')} (${shown})` };
    });
  if (pieces.length === 0) return undefined;
  const fit = fitted(pieces, ctx.config);
  for (const { path, notice } of fit) if (notice !== undefined) texts.say(path, notice);
  const text = [
    '<rules>',
    'For the files of this call there are rules. Keep to them from now on.',
    ...fit.map((one) => one.text),
    '</rules>',
  ];
  return { ...call.result, content: [...call.result.content, { type: 'text', text: text.join('\n\n') }] };
}

function forFiles(
  ctx: Pick<Context, 'use'>,
): readonly { readonly item: FoundText; readonly globs: readonly string[] }[] {
  return [
    ...ctx
      .use(rules)
      .items()
      .filter((rule) => whenTold(rule) === 'file')
      .map((item) => ({ item, globs: item.globs })),
    ...ctx
      .use(instructions)
      .items()
      .map((item) => ({ item, globs: globsOf(item) }))
      .filter(({ globs }) => globs.length > 0),
  ];
}
