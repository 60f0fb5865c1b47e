import { type PromptSection, type Skill, shownPath, type ToolFace } from 'kern/contracts';
import type { Where } from 'kern/plugin';

const intro =
  'There are skills: instructions for special kinds of work. When what you are to do fits the description of one, read its file first and follow it. Paths in it start from its folder.';

/** What a description may take: the specification allows no more. */
const longest = 1_024;

/** The skills as the model is told of them: by name, description and file. It can use none where it has no tools. */
export function skillSections(
  skills: readonly Skill[],
  { tools, where }: { readonly tools: readonly ToolFace[]; readonly where: Where },
): readonly PromptSection[] {
  const told = skills.filter(({ modelInvocable }) => modelInvocable);
  if (told.length === 0 || tools.length === 0) return [];
  return [
    { id: 'skills', text: intro },
    ...told.map(({ name, description, path }) => ({
      id: `skill:${name}`,
      text: `- ${name}: ${oneLine(description)} [${shownPath(path, where)}]`,
    })),
  ];
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}
