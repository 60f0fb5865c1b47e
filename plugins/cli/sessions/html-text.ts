import { visible } from 'kern/plugin';

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as text, in an element or in an attribute. What would hide or turn around other text is spelled out. */
export function escaped(text: string): string {
  return text
    .replace(/[&<>"']/g, (char) => entities[char] ?? '')
    .replace(/[\p{Cc}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, (char) =>
      char === '\n' || char === '\t' ? char : char === '\r' ? '' : visible(char),
    );
}

/** What a model writes, with as much of Markdown as makes it readable: code, headings, bold, lists by their signs, links. */
export function formatted(text: string): string {
  const parts: string[] = [];
  let prose: string[] = [];
  const endProse = (): void => {
    const joined = prose.join('\n').replace(/^\n+|\n+$/g, '');
    prose = [];
    if (joined !== '') parts.push(`<p>${joined}</p>`);
  };
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const fence = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== undefined) {
      endProse();
      const from = at + 1;
      for (at = from; at < lines.length && !isEnd(lines[at] ?? '', fence); ) at += 1;
      parts.push(`<pre>${escaped(lines.slice(from, at).join('\n'))}</pre>`);
      continue;
    }
    const heading = /^#{1,6}\s+(.*)$/.exec(line)?.[1];
    if (heading !== undefined) {
      endProse();
      parts.push(`<h3>${inline(heading)}</h3>`);
    } else if (line.trim() === '') endProse();
    else prose.push(inline(line));
  }
  endProse();
  return parts.join('\n');
}

const isEnd = (line: string, fence: string): boolean => {
  const trimmed = line.trim();
  return trimmed.length >= fence.length && trimmed === (fence[0] ?? '').repeat(trimmed.length);
};

/** Code spans first: nothing within them means anything. */
function inline(line: string): string {
  return line
    .split(/(`+[^`]+`+)/g)
    .map((part, nth) => {
      if (nth % 2 === 1) return `<code>${escaped(part.replace(/^`+|`+$/g, ''))}</code>`;
      return escaped(part)
        .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
        .replace(
          /\[([^\]]{1,300})\]\((https?:\/\/[^\s()<>]{1,2000})\)/g,
          '<a href="$2" rel="noreferrer noopener">$1</a>',
        );
    })
    .join('');
}

/** An image within the page; anything but the kinds that browsers only draw is told in words. */
export function image(mimeType: string, data: string): string {
  if (!/^image\/(png|jpeg|gif|webp)$/.test(mimeType) || !/^[A-Za-z0-9+/=\s]+$/.test(data))
    return `<p class="note">[${escaped(mimeType)}]</p>`;
  return `<img alt="" loading="lazy" src="data:${mimeType};base64,${data.replace(/\s+/g, '')}">`;
}
