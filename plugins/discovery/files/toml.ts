import type { Read } from './json.ts';

type Table = Map<string, unknown>;

/** TOML 1.0 as files of settings use it. Dates stay texts: nothing here reckons with them. */
export function readToml(text: string): Read {
  const reader = new TomlReader(text);
  try {
    return { ok: true, value: plain(reader.read()) };
  } catch (error) {
    if (error instanceof TomlError) return { ok: false, why: `line ${reader.line}: ${error.message}` };
    throw error;
  }
}

class TomlError extends Error {}

const deepest = 100;

class TomlReader {
  readonly #text: string;
  #at = 0;
  #depth = 0;
  readonly #root: Table = new Map();
  /** Tables that a header has opened, and those that were written in braces: neither may be opened again. */
  readonly #closed = new Set<unknown>();

  constructor(text: string) {
    this.#text = text.replaceAll('\r\n', '\n');
  }

  get line(): number {
    return this.#text.slice(0, this.#at).split('\n').length;
  }

  read(): Table {
    let table = this.#root;
    for (this.#skip(true); this.#at < this.#text.length; this.#skip(true)) {
      if (this.#peek() === '[') table = this.#header();
      else this.#pair(table);
      this.#skip(false);
      if (this.#at < this.#text.length && this.#peek() !== '\n')
        throw new TomlError('something stands behind the value');
    }
    return this.#root;
  }

  #header(): Table {
    const isList = this.#text.startsWith('[[', this.#at);
    this.#at += isList ? 2 : 1;
    const path = this.#path();
    this.#want(isList ? ']]' : ']');
    const name = path.at(-1) ?? '';
    const parent = this.#tableAt(this.#root, path.slice(0, -1));
    if (isList) {
      const list = parent.get(name) ?? [];
      if (!Array.isArray(list) || this.#closed.has(list)) throw new TomlError(`${path.join('.')} is no list of tables`);
      const table: Table = new Map();
      parent.set(name, [...list, table]);
      return table;
    }
    const table = this.#tableAt(parent, [name]);
    if (this.#closed.has(table)) throw new TomlError(`[${path.join('.')}] stands there twice`);
    this.#closed.add(table);
    return table;
  }

  #pair(table: Table): void {
    const path = this.#path();
    this.#want('=');
    this.#skip(false);
    const name = path.at(-1) ?? '';
    const holder = this.#tableAt(table, path.slice(0, -1));
    if (holder.has(name)) throw new TomlError(`${path.join('.')} stands there twice`);
    holder.set(name, this.#value());
  }

  #tableAt(from: Table, path: readonly string[]): Table {
    let table = from;
    for (const name of path) {
      const found = table.get(name);
      const next: unknown = Array.isArray(found) ? found.at(-1) : (found ?? new Map());
      if (!(next instanceof Map)) throw new TomlError(`${name} is a value, and holds no others`);
      if (found === undefined) table.set(name, next);
      table = next;
    }
    return table;
  }

  #path(): string[] {
    const path: string[] = [];
    do {
      if (path.length > 0) this.#at += 1;
      this.#skip(false);
      path.push(this.#key());
      this.#skip(false);
    } while (this.#peek() === '.');
    return path;
  }

  #key(): string {
    if (this.#peek() === '"' || this.#peek() === "'") return this.#string();
    const bare = this.#match(/[\w-]+/y);
    if (bare === undefined) throw new TomlError('a key is missing');
    return bare;
  }

  #value(): unknown {
    if (this.#depth > deepest) throw new TomlError('lists lie in lists too deep');
    this.#depth += 1;
    const value = this.#bareValue();
    this.#depth -= 1;
    return value;
  }

  #bareValue(): unknown {
    const first = this.#peek();
    if (first === '"' || first === "'") return this.#string();
    if (first === '[') return this.#list();
    if (first === '{') return this.#inline();
    const word = this.#match(/[^\s,\]}#]+(?: \d\d:[^\s,\]}#]+)?/y);
    if (word === undefined) throw new TomlError('a value is missing');
    if (word === 'true' || word === 'false') return word === 'true';
    if (/^[+-]?(?:inf|nan)$/.test(word))
      return word.endsWith('nan') ? Number.NaN : word.startsWith('-') ? -Infinity : Infinity;
    const digits = word.replaceAll('_', '');
    if (/^0(?:x[\da-f]+|o[0-7]+|b[01]+)$/i.test(digits) || /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(digits))
      return Number(digits);
    if (/^\d{4}-\d\d-\d\d|^\d\d:\d\d/.test(word)) return word;
    throw new TomlError(`${word} is no value: texts stand in quotes`);
  }

  #list(): unknown[] {
    const list: unknown[] = [];
    this.#closed.add(list);
    this.#at += 1;
    for (this.#skip(true); this.#peek() !== ']'; this.#skip(true)) {
      list.push(this.#value());
      this.#skip(true);
      if (this.#peek() === ',') this.#at += 1;
      else if (this.#peek() !== ']') throw new TomlError('a list is not closed');
    }
    this.#at += 1;
    return list;
  }

  #inline(): Table {
    const table: Table = new Map();
    this.#closed.add(table);
    this.#at += 1;
    for (this.#skip(true); this.#peek() !== '}'; this.#skip(true)) {
      this.#pair(table);
      this.#skip(true);
      if (this.#peek() === ',') this.#at += 1;
      else if (this.#peek() !== '}') throw new TomlError('a table in braces is not closed');
    }
    this.#at += 1;
    return table;
  }

  #string(): string {
    const quote = this.#peek();
    const isLong = this.#text.startsWith(quote.repeat(3), this.#at);
    const pattern = isLong
      ? quote === '"'
        ? /"""\n?((?:[^\\]|\\[\s\S])*?"{0,2})"""(?!")/y
        : /'''\n?([\s\S]*?'{0,2})'''(?!')/y
      : quote === '"'
        ? /"((?:[^"\\\n]|\\.)*)"/y
        : /'([^'\n]*)'/y;
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null) throw new TomlError('a text is not closed');
    this.#at = pattern.lastIndex;
    return quote === '"' ? unescaped(found[1] ?? '') : (found[1] ?? '');
  }

  /** Blanks and comments; with `lines` also ends of lines. */
  #skip(lines: boolean): void {
    this.#match(lines ? /(?:[ \t\n]|#[^\n]*)*/y : /[ \t]*(?:#[^\n]*)?/y);
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #want(what: string): void {
    this.#skip(false);
    if (!this.#text.startsWith(what, this.#at)) throw new TomlError(`${what} is missing`);
    this.#at += what.length;
  }

  #peek(): string {
    return this.#text[this.#at] ?? '';
  }
}

const escapes: Readonly<Record<string, string>> = {
  b: '\b',
  t: '\t',
  n: '\n',
  f: '\f',
  r: '\r',
  e: '\x1b',
  '"': '"',
  '\\': '\\',
};

function unescaped(text: string): string {
  return text.replace(
    /\\(?:u([\da-fA-F]{4})|U([\da-fA-F]{8})|([ \t]*\n\s*)|([\s\S]))/g,
    (_, short, long, fold, letter) => {
      if (fold !== undefined) return '';
      const code = short ?? long;
      if (code !== undefined) {
        const point = Number.parseInt(code, 16);
        if (point > 0x10ffff) throw new TomlError(`there is no character ${code}`);
        return String.fromCodePoint(point);
      }
      const plainLetter = escapes[letter];
      if (plainLetter === undefined) throw new TomlError(`there is no \\${letter}`);
      return plainLetter;
    },
  );
}

/** Objects as JSON.parse makes them: a key `__proto__` is one like any other. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!(value instanceof Map)) return value;
  return Object.fromEntries([...value].map(([key, inner]) => [key, plain(inner)]));
}
