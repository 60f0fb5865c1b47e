import { parse } from 'yaml';

/** The head of a Markdown file between two `---`, and what follows it. A head that is no YAML counts as none. */
export function parseFrontmatter(text: string): { frontmatter: Record<string, unknown>; body: string } {
  const plain = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  const found = /^---\n([\s\S]*?)\n?---(?:\n|$)/.exec(plain);
  if (found === null) return { frontmatter: {}, body: plain };
  const body = plain.slice(found[0].length).trim();
  return { frontmatter: attributes(found[1] ?? ''), body };
}

function attributes(head: string): Record<string, unknown> {
  try {
    const value: unknown = parse(head);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {};
  } catch {
    return {}; // whoever asked sees the text, and no attributes
  }
}
