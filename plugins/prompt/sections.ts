import {
  type ContextFile,
  contextFiles,
  type FoundText,
  type Instruction,
  instructions,
  type PromptSection,
  type Rule,
  rules,
  type SystemPromptFile,
  skills,
  systemPrompts,
} from 'kern/contracts';
import type { Capability, Reader, Where } from 'kern/plugin';
import { globsOf, whenTold } from './applies.ts';
import { fitted, type Limits, type Piece } from './limits.ts';
import { inOrder, withoutTwins } from './order.ts';
import { shownPath } from './place.ts';
import { withSections } from './sections-placed.ts';
import type { ToldTexts } from './told-texts.ts';

export interface Sources {
  use<T>(capability: Capability<T>): Reader<T>;
  readonly where: Where;
  readonly texts: ToldTexts;
  readonly limits: Limits;
  readonly signal: AbortSignal;
}

/** What was found for the system prompt. */
interface Found {
  readonly files: readonly ContextFile[];
  readonly prompts: readonly SystemPromptFile[];
  readonly rules: readonly Rule[];
  readonly instructions: readonly Instruction[];
}

const heed =
  'What follows was written down for agents by the person and by the project. Where two of them disagree, the later one counts; what the person asks in the conversation goes before them.';

/** The sections with what was found in files put in. */
export interface WithFound {
  /** Undefined where nothing was found. */
  readonly sections: readonly PromptSection[] | undefined;
  /** Somebody who may know more has not answered yet. */
  readonly isPartial: boolean;
}

export async function withFound(sections: readonly PromptSection[], sources: Sources): Promise<WithFound> {
  const { isPartial, ...found } = await look(sources);
  return { isPartial, sections: await sectionsOf(found, sections, sources) };
}

async function sectionsOf(
  found: Found,
  sections: readonly PromptSection[],
  sources: Sources,
): Promise<readonly PromptSection[] | undefined> {
  if (Object.values(found).every((items) => items.length === 0)) return undefined;
  const [base, appended, pieces] = await Promise.all([
    baseOf(found.prompts, sources),
    appendedOf(found.prompts, sources),
    piecesOf(found, sources),
  ]);
  const fitting = fitted(pieces, sources.limits);
  for (const { path, notice } of fitting) if (notice !== undefined) sources.texts.say(path, notice);
  const more = [
    ...appended,
    ...(fitting.length === 0 ? [] : [{ id: 'instructions', text: heed }]),
    ...fitting.map(({ id, text }) => ({ id, text })),
    ...bookOf(found, sources.where),
  ];
  return withSections(
    sections.map((section) => (section.id === 'base' && base !== undefined ? { ...section, text: base } : section)),
    more,
  );
}

/** The kinds that stand in the prompt. */
const told = [contextFiles, systemPrompts, rules, instructions];

async function look({ use, signal }: Sources): Promise<Found & Pick<WithFound, 'isPartial'>> {
  // Asked in one breath: they share their looks at folders. Skills are told by their own plugin, right after this.
  const all = [...told, skills].map((kind) => use(kind as Capability<unknown>).load(signal));
  await Promise.all(all);
  return {
    files: use(contextFiles).items(),
    prompts: use(systemPrompts).items(),
    rules: use(rules).items(),
    instructions: use(instructions).items(),
    isPartial: told.some((kind) => use(kind as Capability<unknown>).missing().length > 0),
  };
}

/** The project's goes before the person's. */
async function baseOf(prompts: readonly SystemPromptFile[], { texts, signal }: Sources): Promise<string | undefined> {
  for (const level of ['project', 'user'] as const) {
    const file = prompts.find((one) => !one.append && one.level === level);
    const text = file === undefined ? undefined : await texts.read(file, signal);
    if (text !== undefined && text !== '') return text;
  }
  return undefined;
}

async function appendedOf(
  prompts: readonly SystemPromptFile[],
  { texts, signal, where }: Sources,
): Promise<readonly PromptSection[]> {
  const files = (['user', 'project'] as const).flatMap((level) =>
    prompts.filter((one) => one.append && one.level === level),
  );
  const read = await Promise.all(
    files.map(async (file) => ({ id: shownPath(file.path, where), text: (await texts.read(file, signal)) ?? '' })),
  );
  return read.filter(({ text }) => text !== '');
}

async function piecesOf(found: Found, sources: Sources): Promise<readonly Piece[]> {
  const { where } = sources;
  const piece = (item: FoundText, id: string, heading: (shown: string) => string) => async () => {
    const text = (await sources.texts.read(item, sources.signal)) ?? '';
    const shown = shownPath(item.path, where);
    return { id: id === '' ? shown : id, heading: heading(shown), text, path: item.path, shown };
  };
  const always = found.rules
    .filter((rule) => whenTold(rule) === 'always')
    .map((rule) => piece(rule, `rule:${rule.name}`, (shown) => `# Rule ${rule.name} (${shown})`));
  const general = found.instructions
    .filter((one) => globsOf(one).length === 0)
    .map((one) => piece(one, `instruction:${one.name}`, (shown) => `# ${shown}`));
  const files = inOrder(found.files).map((file) => piece(file, '', (shown) => headingOf(file, shown)));
  const read = await Promise.all([...always, ...general, ...files].map((make) => make()));
  return withoutTwins(read.filter(({ text }) => text !== ''));
}

function headingOf({ level, depth }: ContextFile, shown: string): string {
  if (level === 'user') return `# ${shown}: the person's own, for every project`;
  return (depth ?? 0) > 0 ? `# ${shown}: for that folder and those below it` : `# ${shown}`;
}

/** Rules that the model reads when it comes to what they are about. */
function bookOf({ rules: all }: Found, where: Where): readonly PromptSection[] {
  const listed = all
    .filter((rule) => rule.description !== undefined && ['listed', 'file'].includes(whenTold(rule)))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  if (listed.length === 0) return [];
  return [
    {
      id: 'rules',
      text: 'There are rules for some kinds of work. Before you begin such work, read the file of its rule, and keep to it.',
    },
    ...listed.map(({ name, description = '', globs, path }) => ({
      id: `rule:${name}`,
      text: `- ${name}${globs.length === 0 ? '' : ` (for ${globs.join(', ')})`}: ${oneLine(description)} [${shownPath(path, where)}]`,
    })),
  ];
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
