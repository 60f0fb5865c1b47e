import { z } from 'zod';

const lines = z
  .union([z.string(), z.array(z.string())])
  .transform((text) => (typeof text === 'string' ? text : text.join('')));

const notebook = z.object({
  cells: z.array(
    z.object({
      cell_type: z.string(),
      source: lines.default(''),
      execution_count: z.number().nullish(),
      outputs: z
        .array(
          z.object({
            output_type: z.string().optional(),
            text: lines.optional(),
            data: z.record(z.string(), z.unknown()).optional(),
            ename: z.string().optional(),
            evalue: z.string().optional(),
          }),
        )
        .optional(),
    }),
  ),
});

type Output = NonNullable<z.infer<typeof notebook>['cells'][number]['outputs']>[number];

/** The cells of a Jupyter notebook as text; undefined if it is none. */
export function notebookText(json: string): string | undefined {
  const read = notebook.safeParse(parsed(json));
  if (!read.success) return undefined;
  return read.data.cells
    .map((cell, at) => {
      const count = typeof cell.execution_count === 'number' ? `, run ${cell.execution_count}` : '';
      const outputs = (cell.outputs ?? []).map(outputText).filter((text) => text !== '');
      const shown = outputs.length === 0 ? '' : `\n--- output\n${outputs.join('\n')}`;
      return `## Cell ${at + 1} (${cell.cell_type}${count})\n${cell.source.trimEnd()}${shown}`;
    })
    .join('\n\n');
}

function outputText({ text, data, ename, evalue }: Output): string {
  if (ename !== undefined) return `${ename}: ${evalue ?? ''}`;
  if (text !== undefined) return text.trimEnd();
  const plain = lines.safeParse(data?.['text/plain']);
  const others = Object.keys(data ?? {}).filter((type) => type.startsWith('image/'));
  return [...(plain.success ? [plain.data.trimEnd()] : []), ...others.map((type) => `[${type}]`)].join('\n');
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined; // shown as the text it is
  }
}
