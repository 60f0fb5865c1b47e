import path from 'node:path';

/** Endings that may be left out of an import, and those that TypeScript writes for another. */
const endings = ['.ts', '.mts', '.cts', '.tsx', '.js', '.mjs', '.cjs', '.jsx', '.json'];
const code = new Set(endings.filter((ending) => ending !== '.json'));
const written: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.tsx'],
  '.mjs': ['.mts'],
  '.cjs': ['.cts'],
  '.jsx': ['.tsx'],
};

/** Whether a file may hold imports of its own. */
export function isCode(file: string): boolean {
  return code.has(path.extname(file));
}

// Told by the text alone: no comment, template or odd spacing hides a path from it. What is found too much is
// harmless. A path that is put together at run time cannot be found, and whoever trusts such code trusts that too.
const dot = String.raw`(?:\.|\\x2e|\\u002e|\\u\{0*2e\})`;
const slash = String.raw`(?:\\?\/|\\x2f|\\u002f|\\u\{0*2f\})`;
const relative = new RegExp(String.raw`(['"\x60])(${dot}{1,2}(?:${slash}[^'"\x60\n]*)?)\1`, 'gi');
const rooted = /(['"`])(file:\/\/[^'"`\n]*|\/[^'"`\n]*|#[^'"`\n]+)\1/g;
const importing = /(?:\bfrom|\bimport|\b(?:import|require|resolve)\s*\(|\)\s*\()$/;

/** What a piece of code names: paths, and `#names` of its package.json. */
export function mentions(source: string): readonly string[] {
  const found = new Set<string>();
  for (const match of source.matchAll(relative)) {
    const specifier = decode(match[2] ?? '');
    const ending = path.extname(withoutQuery(specifier));
    // Data files are written as well as read, by paths that look the same: only an import of one counts.
    if (ending === '' || ending === '.' || code.has(ending) || isImported(source, match.index)) found.add(specifier);
  }
  for (const match of source.matchAll(rooted)) if (isImported(source, match.index)) found.add(decode(match[2] ?? ''));
  return Array.from(found).filter((specifier) => !specifier.includes('${'));
}

/** `from '…'`, `import '…'`, `import('…')`, `require('…')`, `require.resolve('…')`, `createRequire(x)('…')`. */
function isImported(source: string, index: number): boolean {
  const before = source.slice(Math.max(0, index - 400), index);
  return importing.test(before.replaceAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*\n/g, ' ').trimEnd());
}

function decode(text: string): string {
  return text
    .replaceAll(/\\x([0-9a-f]{2})|\\u([0-9a-f]{4})|\\u\{([0-9a-f]{1,6})\}/gi, (_, a: string, b: string, c: string) =>
      String.fromCodePoint(Math.min(Number.parseInt(a ?? b ?? c, 16), 0x10ffff)),
    )
    .replaceAll(/\\(.)/g, '$1');
}

function withoutQuery(specifier: string): string {
  return specifier.replace(/[?#].*$/, '');
}

/** The files that a specifier may mean, as seen from a file. If one of the first two is a file, it alone is meant. */
export function candidates(from: string, specifier: string): readonly string[] {
  let target = specifier;
  if (specifier.startsWith('file://')) {
    try {
      target = decodeURIComponent(new URL(specifier).pathname);
    } catch {
      return []; // no path: nothing can be loaded by it either
    }
  }
  const whole = path.resolve(path.dirname(from), target);
  const base = path.resolve(path.dirname(from), withoutQuery(target));
  const ending = path.extname(base);
  return [
    whole,
    base,
    ...(written[ending] ?? []).map((other) => base.slice(0, -ending.length) + other),
    ...endings.map((one) => base + one),
    ...endings.map((one) => path.join(base, `index${one}`)),
    path.join(base, 'package.json'),
  ];
}

/** What `#name` leads to by the `imports` of a package.json, `*` filled in. */
export function internalTargets(manifest: unknown, name: string): readonly string[] {
  const imports = (manifest as { imports?: unknown } | null)?.imports;
  if (typeof imports !== 'object' || imports === null) return [];
  const found: string[] = [];
  for (const [key, value] of Object.entries(imports)) {
    const [start = '', end] = key.split('*');
    const isPattern =
      end !== undefined && name.startsWith(start) && name.endsWith(end) && name.length >= key.length - 1;
    if (key !== name && !isPattern) continue;
    const filled = isPattern ? name.slice(start.length, name.length - end.length) : '';
    collect(value, (target) => found.push(target.replaceAll('*', filled)));
  }
  return found;
}

function collect(value: unknown, take: (target: string) => void): void {
  if (typeof value === 'string') take(value);
  else if (typeof value === 'object' && value !== null) for (const one of Object.values(value)) collect(one, take);
}

const scripts = new Set(['.sh', '.bash', '.zsh', '.fish', '.py', '.rb', '.pl', '.php', '.lua', '.ps1', '.cmd', '.bat']);
const scriptName =
  /(?:[\w@+-][\w.@+-]*\/|\.[\w.@+-]*\/)*[\w.@+-]+\.(?:sh|bash|zsh|fish|py|rb|pl|php|lua|ps1|cmd|bat|[cm]?[jt]s)\b/g;
const dotted = /(?<![\w/])\.{1,2}\/[\w./@+-]+/g;
const pythonModule = /^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import|import[ \t]+([\w., \t]+))/gm;

/** Whether a file is one that an interpreter runs: by its ending, or by its first line. */
export function isScript(file: string, source: string): boolean {
  return scripts.has(path.extname(file)) || source.startsWith('#!');
}

/**
 * What a script names that may be a script too: paths, whatever variable stands before them, and modules of Python beside
 * it. Too much is harmless, as long as only what is there and may run is taken.
 */
export function scriptMentions(source: string): readonly string[] {
  const modules = Array.from(source.matchAll(pythonModule), ([, from = '', list = '']) => [
    from,
    ...list.split(/[,\s]+/),
  ])
    .flat()
    .filter((name) => /^[\w.]+$/.test(name) && name !== 'as')
    .map((name) => name.replace(/^\.+/, '').replaceAll('.', '/'));
  return [
    ...new Set([
      ...(source.match(scriptName) ?? []),
      ...(source.match(dotted) ?? []),
      ...modules.flatMap((name) => [`${name}.py`, `${name}/__init__.py`]),
    ]),
  ].filter((name) => name.length < 1_024);
}
