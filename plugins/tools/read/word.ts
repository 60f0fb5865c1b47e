import { xmlParts } from './xml.ts';
import type { Zip } from './zip.ts';

/** A Word document as text: headings with `#`, lists with `-`, tables with bars. */
export async function wordText(zip: Zip): Promise<string> {
  const { default: mammoth } = await import('mammoth');
  // Pictures are what is large, and are not text.
  const buffer = Buffer.from(zip.only((name) => /\.(xml|rels)$/i.test(name)));
  const { value } = await mammoth.convertToHtml(
    { buffer },
    { convertImage: mammoth.images.imgElement(async () => ({ src: '' })) },
  );
  return htmlText(value);
}

/** Of HTML as mammoth makes it: well-formed, and few elements. */
export function htmlText(html: string): string {
  const made: string[] = [];
  const lists: { readonly numbered: boolean; count: number }[] = [];
  let line = '';
  let row: string[] | undefined;
  const end = (): void => {
    const text = line.trim();
    line = '';
    if (text === '') return;
    if (row === undefined) made.push(text);
    else row.push(row.length === 0 ? text : ` ${text}`);
  };
  let cells: string[] = [];
  for (const part of xmlParts(html)) {
    if (part.kind === 'text') {
      line += part.text;
      continue;
    }
    const { name } = part;
    if (part.kind === 'open') {
      if (name === 'br') line += '\n';
      if (name === 'img') line += '[image]';
      if (/^h[1-6]$/.test(name)) line = `${'#'.repeat(Number(name[1]))} `;
      if (name === 'ul' || name === 'ol') {
        end();
        lists.push({ numbered: name === 'ol', count: 0 });
      }
      if (name === 'li') {
        end();
        const list = lists.at(-1);
        if (list !== undefined) list.count += 1;
        line = list?.numbered === true ? `${list.count}. ` : '- ';
      }
      if (name === 'tr') cells = [];
      if (name === 'td' || name === 'th') row = [];
    } else {
      if (/^(p|h[1-6]|li)$/.test(name)) {
        const indent = name === 'li' ? '  '.repeat(Math.max(0, lists.length - 1)) : '';
        if (indent !== '' && line.trim() !== '') {
          made.push(indent + line.trim());
          line = '';
        }
        end();
      }
      if (name === 'ul' || name === 'ol') lists.pop();
      if (name === 'td' || name === 'th') {
        end();
        cells.push((row ?? []).join('').replaceAll('\n', ' '));
        row = undefined;
      }
      if (name === 'tr') made.push(`| ${cells.join(' | ')} |`);
    }
  }
  end();
  return made.join('\n');
}
