import { relationsOf } from './relations.ts';
import { attribute, xmlParts } from './xml.ts';
import type { Zip } from './zip.ts';

/** A presentation as text: a heading a slide, in the order they are shown, with the speaker's notes. */
export function slidesText(zip: Zip, limit: number): string {
  const presentation = 'ppt/presentation.xml';
  const relations = relationsOf(zip, presentation);
  const made: string[] = [];
  let size = 0;
  for (const part of xmlParts(zip.text(presentation) ?? '')) {
    if (part.kind !== 'open' || part.name !== 'sldId') continue;
    const slide = relations.get(attribute(part.attributes, 'r:id') ?? '')?.part;
    if (slide === undefined) continue;
    const notes = [...relationsOf(zip, slide).values()].find(({ type }) => type === 'notesSlide')?.part;
    const spoken = notes === undefined ? [] : paragraphs(zip.text(notes) ?? '');
    const text = [
      `## Slide ${made.length + 1}`,
      ...paragraphs(zip.text(slide) ?? ''),
      ...(spoken.length === 0 ? [] : ['Notes:', ...spoken]),
    ].join('\n');
    made.push(text);
    size += text.length;
    if (size > limit) return `${made.join('\n\n')}\n[The rest of the presentation is left out.]`;
  }
  return made.join('\n\n');
}

/** The paragraphs of all shapes; cells of a table between bars. */
function paragraphs(xml: string): readonly string[] {
  const made: string[] = [];
  let text = '';
  let inText = false;
  let inField = false;
  let row: string[] | undefined;
  let cell: string[] = [];
  for (const part of xmlParts(xml)) {
    if (part.kind === 'text') {
      if (inText && !inField) text += part.text;
    } else if (part.name === 't') {
      inText = part.kind === 'open';
    } else if (part.name === 'fld') {
      // The number of the slide, the date: nobody wrote them.
      inField = part.kind === 'open';
    } else if (part.kind === 'open') {
      if (part.name === 'br') text += '\n';
      if (part.name === 'tr') row = [];
      if (part.name === 'tc') cell = [];
    } else if (part.name === 'p') {
      if (text.trim() !== '') (row === undefined ? made : cell).push(text.trimEnd());
      text = '';
    } else if (part.name === 'tc') {
      row?.push(cell.join(' '));
    } else if (part.name === 'tr') {
      made.push(`| ${(row ?? []).join(' | ')} |`);
      row = undefined;
    }
  }
  return made;
}
