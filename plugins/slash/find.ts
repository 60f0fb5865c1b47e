import {
  type PromptTemplate,
  promptTemplates,
  type SlashCommand,
  type Slashed,
  skills,
  slashCommands,
} from 'kern/contracts';
import { type Context, didYouMean, type Entry, nearNames } from 'kern/plugin';

/** What a name behind a slash means here. */
export type Meant =
  | { readonly kind: 'command'; readonly entry: Entry<SlashCommand> }
  | { readonly kind: 'template'; readonly entry: Entry<PromptTemplate> }
  /** Nothing of that name, but of one like it: what to tell the person. */
  | { readonly kind: 'near'; readonly message: string; readonly hint: string }
  /** Words that happen to begin with a slash. */
  | { readonly kind: 'words' };

/** A command goes before a prompt template of the same name. */
export async function meant(ctx: Context, { name }: Slashed): Promise<Meant> {
  const [commands, templates] = [ctx.use(slashCommands), ctx.use(promptTemplates)];
  await Promise.all([commands.load(ctx.signal), templates.load(ctx.signal)]);
  const command = commands.get(name);
  if (command !== undefined) return { kind: 'command', entry: command };
  const template = templates.get(name);
  if (template !== undefined) return { kind: 'template', entry: template };
  await ctx.use(skills).load(ctx.signal);
  const near = nearNames(name, [
    ...commands.items().map((one) => one.name),
    ...templates.items().map((one) => one.name),
    ...ctx
      .use(skills)
      .items()
      .map((one) => `skill:${one.name}`),
  ]).map((one) => `/${one}`);
  const question = didYouMean(near);
  if (question === undefined) return { kind: 'words' };
  return {
    kind: 'near',
    message: `There is no /${name}. ${question}`,
    hint: 'To send it as it is, put a blank before the slash.',
  };
}
