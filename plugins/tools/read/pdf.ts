import { KernError, messageOf } from 'kern/plugin';

/** The text of a PDF, a heading a page. */
export async function pdfText(bytes: Uint8Array, limit: number, signal: AbortSignal): Promise<string> {
  const { getDocumentProxy } = await import('unpdf');
  const document = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 }).catch((error: unknown) => {
    throw new KernError(
      'document_damaged',
      /password/i.test(messageOf(error)) ? 'it is encrypted with a password' : `it is damaged (${messageOf(error)})`,
      { cause: error },
    );
  });
  try {
    const made: string[] = [];
    let size = 0;
    for (let number = 1; number <= document.numPages; number += 1) {
      signal.throwIfAborted();
      const page = await document.getPage(number);
      const { items } = await page.getTextContent();
      const text = items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join('');
      made.push(
        `## Page ${number} of ${document.numPages}\n${text.trim() === '' ? '(no text: a picture, perhaps)' : text.trim()}`,
      );
      page.cleanup();
      size += text.length;
      if (size > limit) return `${made.join('\n\n')}\n[The rest of the document is left out.]`;
    }
    return made.join('\n\n');
  } finally {
    await document.loadingTask.destroy();
  }
}
