import type { PlaceLine } from './contract.ts';
import type { FormatName } from './places.ts';

const shapes: Readonly<Record<Exclude<FormatName, 'texts' | 'data' | 'text' | 'skills'>, string>> = {
  'hook-files': '`pre/<tool>.*`, `post/<tool>.*`, `*.ts`, `*.js`',
  'tool-files': '`<name>.ts`, `<name>/index.ts`, programs',
  modules: '`*.ts`, `*.js`, `<name>/package.json`, `<name>/index.ts`',
  'module-list': 'the paths under `extensions`',
  manifests: '`<name>/gemini-extension.json`',
};

/** What a place holds, as the page about discovery has it; empty where the path says all. */
export function shapeOf(place: PlaceLine): string {
  const { format, kind, deep = 0, key } = place;
  if (typeof format !== 'string') return format.shape;
  if (format === 'texts') return textShape(place, deep);
  if (format === 'skills') return deep > 0 ? '`<name>/SKILL.md`, also in folders below' : '`<name>/SKILL.md`';
  if (format === 'data') return kind === 'settings-file' || key === undefined ? '' : `under ${keyText(key)}`;
  return (shapes as Readonly<Record<string, string>>)[format] ?? '';
}

function textShape({ kind, endings }: PlaceLine, deep: number): string {
  const usual = kind === 'rule' ? ['.md', '.mdc'] : ['.md'];
  const names = (endings ?? usual).map((ending) => `\`*${ending}\``).join(', ');
  return deep > 0 ? `${names}, also in folders below` : names;
}

const keyText = (key: string | readonly string[]): string =>
  [key]
    .flat()
    .map((one) => (one === '' ? 'the top' : `\`${one}\``))
    .join(' or ');

/** Where a place is looked for, in words. */
export function placeText(place: PlaceLine): string {
  const { path, up } = place;
  const paths = [path].flat().map((one) => `\`${one}\``);
  const first = paths.join(', else ');
  switch (up) {
    case 'root':
      return `${first} here and in every folder up to the project’s`;
    case 'beyond':
      return `${first} in every folder on the way`;
    case 'nearest':
      return `${first} in the nearest folder that has it`;
    default:
      return first;
  }
}
