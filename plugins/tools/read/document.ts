import { pdfText } from './pdf.ts';
import { sheetsText } from './sheets.ts';
import { slidesText } from './slides.ts';
import { wordText } from './word.ts';
import { openZip } from './zip.ts';

export type DocumentFormat = 'pdf' | 'docx' | 'xlsx' | 'pptx';

/** No document has more to say; a hostile one may. */
const textLimit = 5_000_000;

/** Which Office document an archive is, by what lies in it. */
export async function kindOfZip(bytes: Uint8Array): Promise<DocumentFormat | undefined> {
  const { names } = await openZip(bytes);
  if (names.includes('word/document.xml')) return 'docx';
  if (names.includes('xl/workbook.xml')) return 'xlsx';
  if (names.includes('ppt/presentation.xml')) return 'pptx';
  return undefined;
}

/** The text of a document. */
export async function documentText(bytes: Uint8Array, format: DocumentFormat, signal: AbortSignal): Promise<string> {
  const text = await textOf(bytes, format, signal);
  if (text.trim() === '') return '(no text in it)';
  return text.length > textLimit ? `${text.slice(0, textLimit)}\n[The rest of the document is left out.]` : text;
}

async function textOf(bytes: Uint8Array, format: DocumentFormat, signal: AbortSignal): Promise<string> {
  if (format === 'pdf') return pdfText(bytes, textLimit, signal);
  const zip = await openZip(bytes);
  if (format === 'docx') return wordText(zip);
  return format === 'xlsx' ? sheetsText(zip, textLimit) : slidesText(zip, textLimit);
}
