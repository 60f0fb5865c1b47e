import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { resultText, type ToolResult } from 'kern/contracts';
import { expect, test } from 'vitest';
import { testContext } from '../test/context.ts';
import { readTool } from './read.ts';
import type { ReadDetails } from './result.ts';
import { htmlText } from './word.ts';
import { openZip } from './zip.ts';

const read = readTool(20_000_000);

async function seen(
  bytes: Uint8Array,
  more: { offset?: number; limit?: number } = {},
): Promise<ToolResult<ReadDetails>> {
  const context = testContext();
  writeFileSync(join(context.dir, 'document'), bytes);
  return read.execute('c1', { path: 'document', ...more }, new AbortController().signal, () => undefined, context);
}

const zip = (files: Readonly<Record<string, string>>): Uint8Array =>
  zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])));

const relations = (of: Readonly<Record<string, readonly [type: string, target: string]>>): string =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${Object.entries(of)
    .map(
      ([id, [type, target]]) =>
        `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"/>`,
    )
    .join('')}</Relationships>`;

/** A PDF with a line of text a page. */
function pdf(...pages: readonly string[]): Buffer {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, at) => `${4 + at * 2} 0 R`).join(' ')}] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...pages.flatMap((text, at) => {
      const content = text === '' ? '' : `BT /F1 12 Tf 20 100 Td (${text}) Tj ET`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + at * 2} 0 R >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ];
    }),
  ];
  let file = '%PDF-1.4\n';
  const places = objects.map((object, at) => {
    const place = file.length;
    file += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(place).padStart(10, '0')} 00000 n \n`;
  });
  const start = file.length;
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join('')}`;
  return Buffer.from(`${file}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`);
}

test('a PDF is text with a heading a page, in pages as any other', async () => {
  const result = await seen(pdf('Hello there', '', 'The end'));
  expect(resultText(result)).toBe(
    '## Page 1 of 3\nHello there\n\n## Page 2 of 3\n(no text: a picture, perhaps)\n\n## Page 3 of 3\nThe end',
  );
  expect(result.details).toMatchObject({ kind: 'document', totalLines: 8 });
  expect(resultText(await seen(pdf('Hello there', 'two'), { offset: 2, limit: 1 }))).toBe(
    'Hello there\n\n[Showing lines 2-2 of 5. Use offset=3 to continue.]',
  );
});

test('a damaged document is an error that says so', async () => {
  const broken = [Buffer.from('%PDF-1.7\nnothing of it'), Buffer.from([0x50, 0x4b, 3, 4, 9, 9])];
  for (const bytes of broken) {
    const result = await seen(bytes);
    expect(result.isError).toBe(true);
    expect(resultText(result)).toMatch(/document could not be read: .*damaged/);
  }
});

const word = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';

test('a Word document is text: headings, lists, tables', async () => {
  const paragraph = (text: string, style?: string): string =>
    `<w:p>${style === undefined ? '' : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}<w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;
  const cell = (text: string): string => `<w:tc>${paragraph(text)}</w:tc>`;
  const docx = zip({
    '[Content_Types].xml':
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
    '_rels/.rels': relations({ r1: ['officeDocument', 'word/document.xml'] }),
    'word/_rels/document.xml.rels': relations({ s1: ['styles', 'styles.xml'] }),
    'word/styles.xml': `<w:styles xmlns:w="${word}"><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style></w:styles>`,
    'word/document.xml': `<w:document xmlns:w="${word}"><w:body>${paragraph('The title', 'Heading1')}${paragraph('Ä &amp; B &lt;c&gt;')}<w:tbl><w:tr>${cell('a')}${cell('b')}</w:tr></w:tbl></w:body></w:document>`,
  });
  expect(resultText(await seen(docx))).toBe('# The title\nÄ & B <c>\n| a | b |');
});

test('lists in lists keep their depth and numbers', () => {
  const html =
    '<h2>T</h2><ul><li>one<ol><li>first</li><li>second</li></ol></li><li>two<br />lines</li></ul><table><tr><td><p>a</p><p>b</p></td><td></td></tr></table><p>end</p>';
  expect(htmlText(html)).toBe('## T\n- one\n  1. first\n  2. second\n- two\nlines\n| a b |  |\nend');
});

test('a workbook is text: a heading a sheet, rows with their numbers, dates as dates', async () => {
  const xlsx = zip({
    'xl/workbook.xml':
      '<workbook xmlns:r="r"><workbookPr/><sheets><sheet name="Sales &amp; more" sheetId="1" r:id="a"/><sheet name="Secret" sheetId="2" state="hidden" r:id="b"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': relations({
      a: ['worksheet', 'worksheets/sheet1.xml'],
      b: ['worksheet', '/xl/worksheets/sheet2.xml'],
    }),
    'xl/sharedStrings.xml':
      '<sst><si><t>Name</t></si><si><r><t>two </t></r><r><t>parts</t></r><rPh><t>read</t></rPh></si><si><t>a\nb</t></si></sst>',
    'xl/styles.xml':
      '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="165" formatCode="0.0&quot;days&quot;"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs></styleSheet>',
    'xl/worksheets/sheet1.xml':
      '<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c></row><row r="2"/><row r="5"><c r="A5" s="1"><v>45000</v></c><c r="B5" s="2"><v>45000.5</v></c><c r="C5" s="3"><v>3</v></c><c r="D5" t="b"><v>1</v></c><c r="E5"><f>SUM(A1)</f></c><c r="F5" t="inlineStr"><is><t>in line</t></is></c><c r="XFD5"><v>9</v></c></row></sheetData></worksheet>',
    'xl/worksheets/sheet2.xml':
      '<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>2</v></c></row></sheetData></worksheet>',
  });
  expect(resultText(await seen(xlsx))).toBe(
    [
      '## Sheet: Sales & more',
      '1\tName\t\ttwo parts',
      '5\t2023-03-15\t2023-03-15 12:00:00\t3\tTRUE\t=SUM(A1)\tin line\t[XFD5]\t9',
      '',
      '## Sheet: Secret (hidden)',
      '1\ta\\nb',
    ].join('\n'),
  );
});

test('a presentation is text: a heading a slide in the order they are shown, tables, notes', async () => {
  const slide = (inner: string): string => `<p:sld xmlns:a="a" xmlns:p="p"><p:cSld>${inner}</p:cSld></p:sld>`;
  const paragraph = (text: string): string => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`;
  const pptx = zip({
    'ppt/presentation.xml':
      '<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst><p:sldId id="256" r:id="two"/><p:sldId id="257" r:id="one"/></p:sldIdLst></p:presentation>',
    'ppt/_rels/presentation.xml.rels': relations({
      one: ['slide', 'slides/slide1.xml'],
      two: ['slide', 'slides/slide2.xml'],
    }),
    'ppt/slides/slide1.xml': slide(
      `${paragraph('Last')}<a:tbl><a:tr><a:tc>${paragraph('a')}</a:tc><a:tc>${paragraph('b')}</a:tc></a:tr></a:tbl>`,
    ),
    'ppt/slides/slide2.xml': slide(`<a:p><a:r><a:t>First</a:t></a:r><a:br/><a:r><a:t>line two</a:t></a:r></a:p>`),
    'ppt/slides/_rels/slide2.xml.rels': relations({ n: ['notesSlide', '../notesSlides/notesSlide1.xml'] }),
    'ppt/notesSlides/notesSlide1.xml': slide(`${paragraph('say hello')}<a:p><a:fld><a:t>7</a:t></a:fld></a:p>`),
  });
  expect(resultText(await seen(pptx))).toBe(
    '## Slide 1\nFirst\nline two\nNotes:\nsay hello\n\n## Slide 2\nLast\n| a | b |',
  );
});

test('an archive that says it unpacks to gigabytes is refused, and one that lies gets no more room than it said', async () => {
  const bytes = Buffer.from(
    zipSync({ 'xl/workbook.xml': strToU8('<workbook/>'), 'xl/sharedStrings.xml': new Uint8Array(3_000_000) }),
  );
  // Its size stands in the directory at the end.
  const directory = bytes.lastIndexOf('xl/sharedStrings.xml') - 46;
  bytes.writeUInt32LE(3_000_000_000, directory + 24);
  const result = await seen(bytes);
  expect(result.isError).toBe(true);
  expect(resultText(result)).toContain('would unpack to more than 100.0 MB');
  bytes.writeUInt32LE(1000, directory + 24);
  expect((await openZip(bytes)).text('xl/sharedStrings.xml')).toHaveLength(1000);
});

test('an archive of countless files is not listed to its end', async () => {
  const files = Object.fromEntries(Array.from({ length: 20_001 }, (_, at) => [`f${at}`, new Uint8Array()]));
  expect(resultText(await seen(zipSync(files, { level: 0 })))).toContain('it holds more than 20000 files');
});
