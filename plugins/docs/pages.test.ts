import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { listPages, readPage } from './pages.ts';

const folder = fileURLToPath(new URL('pages', import.meta.url));

test('every page has a title, and a newcomer is led to the first run', async () => {
  const pages = await listPages(folder);
  expect(pages[0]?.name).toBe('first-run');
  expect(pages.filter(({ name, title }) => title === name)).toEqual([]);
});

test('every link between pages leads to a page and a heading that are there', async () => {
  const pages = await listPages(folder);
  const texts = new Map<string, string>();
  for (const { name, file } of pages) texts.set(`${name}.md`, await readPage(file));
  const broken: string[] = [];
  for (const [name, text] of texts) {
    for (const [, target = '', heading] of text.matchAll(/\]\(([\w-]+\.md)?(?:#([\w-]+))?\)/g)) {
      const page = texts.get(target === '' ? name : target);
      if (page === undefined) broken.push(`${name}: ${target}`);
      else if (heading !== undefined && !headings(page).includes(heading)) broken.push(`${name}: ${target}#${heading}`);
    }
  }
  expect(broken).toEqual([]);
});

/** As GitHub makes anchors. */
function headings(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .trim()
      .replace(/\s/g, '-'),
  );
}
