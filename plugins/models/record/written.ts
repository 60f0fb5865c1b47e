import type { ScriptTurn } from 'kern/contracts';
import type { Node } from 'yaml';

/** The first words of every recording: a file that begins otherwise is somebody else's, and is not written over. */
export const firstWords = '# Recorded by kern';

export interface Head {
  readonly model: string;
  readonly contextWindow: number;
  readonly reasoning: boolean;
}

export function headText({ model, contextWindow, reasoning }: Head, file: string): string {
  const lines = [
    `${firstWords}: the replies of ${oneLine(model)}. To play them: kern --model script/${oneLine(file)} "<the same message>"`,
    'version: 1',
    `model: { contextWindow: ${contextWindow}, reasoning: ${reasoning} }`,
  ];
  return `${lines.join('\n')}\n`;
}

const oneLine = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]/gu, ' ');

/** A turn as an item of the list that it stands in. `note` says what a script cannot. */
export async function turnText(turn: ScriptTurn, note?: string): Promise<string> {
  const { Document, isMap, isScalar, isSeq, visit } = await import('yaml');
  const document = new Document([turn]);
  visit(document, {
    Seq: (_, node) => {
      // Pieces are on one line, each in quotes; turns, calls and blocks have a line each.
      node.flow = node.items.every((item) => !isMap(item) && !isSeq(item));
      if (!node.flow) return;
      for (const item of node.items) if (isScalar(item) && typeof item.value === 'string') item.type = 'QUOTE_DOUBLE';
    },
    Pair: (_, { key, value }) => {
      const name = String((key as Node | null)?.toJSON() ?? '');
      if (isMap(value) && ['usage', 'error', 'expect'].includes(name)) value.flow = true;
    },
  });
  const text = document.toString({ lineWidth: 0, flowCollectionPadding: false });
  const lines = text.trimEnd().split('\n');
  const told = note === undefined ? lines : [`# ${oneLine(note)}`, ...lines];
  return told.map((line) => (line === '' ? '' : `  ${line}`)).join('\n');
}

/** A whole file. */
export function fileText(head: string, turns: readonly string[], summaries: readonly string[]): string {
  const list = (name: string, items: readonly string[]): string =>
    items.length === 0 ? `${name}: []\n` : `${name}:\n${items.join('\n')}\n`;
  return `${head}${list('turns', turns)}${summaries.length === 0 ? '' : list('summaries', summaries)}`;
}
