import type { Alias, Document, LineCounter, Node, Pair, YAMLMap, YAMLSeq } from 'yaml';
import { messageOf } from '../error.ts';
import { type ConfigNode, emptyMap, type MapNode, plain } from './node.ts';

/** What is wrong in a config file, and where. */
export interface ReadProblem {
  readonly line: number | undefined;
  readonly message: string;
}

export interface ReadFile {
  readonly root: MapNode;
  /** What was left out; the rest counts. */
  readonly problems: readonly ReadProblem[];
}

/** The file as a whole says nothing. */
export class UnreadableFile extends Error {
  readonly line: number | undefined;
  constructor(message: string, line?: number) {
    super(message);
    this.line = line;
  }
}

/** A config file is short. What goes beyond these numbers was made to keep us busy. */
const limits = { bytes: 1_048_576, lexemes: 200_000, nodes: 50_000, depth: 64, aliases: 100 };
export const largestFile: number = limits.bytes;

/** Reads YAML, and JSON as the part of YAML that it is: both get lines. */
export async function readConfigText(text: string): Promise<ReadFile> {
  if (text.length > limits.bytes) throw new UnreadableFile('is larger than 1 MB');
  if (text.includes('\0')) throw new UnreadableFile('is not a text file');
  const yaml = await import('yaml');
  const content = text.replace(/^\uFEFF/, '');
  let lexemes = 0;
  for (const _ of new yaml.Lexer().lex(content))
    if (++lexemes > limits.lexemes) throw new UnreadableFile('holds too much for a config file');

  const lines = new yaml.LineCounter();
  // uniqueKeys compares each key with each other, and pretty errors copy the text for each error: minutes for
  // a megabyte made for it. Keys that stand twice are found below.
  const document = yaml.parseDocument(content, {
    lineCounter: lines,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'error',
  });
  const [error] = document.errors;
  if (error !== undefined)
    throw new UnreadableFile(`cannot be parsed: ${error.message}`, lines.linePos(error.pos[0]).line);
  return new Reader(yaml, document, lines).read();
}

/** One walk over the document: values, lines, and limits that no alias gets around. */
class Reader {
  readonly #yaml: typeof import('yaml');
  readonly #document: Document;
  readonly #lines: LineCounter;
  readonly #problems: ReadProblem[] = [];
  readonly #anchors = new Map<string, Node>();
  #nodes = 0;
  #aliases = 0;

  constructor(yaml: typeof import('yaml'), document: Document, lines: LineCounter) {
    this.#yaml = yaml;
    this.#document = document;
    this.#lines = lines;
  }

  read(): ReadFile {
    const contents: unknown = this.#document.contents;
    if (contents === null || (this.#yaml.isScalar(contents) && contents.value === null))
      return { root: emptyMap, problems: [] };
    if (!this.#yaml.isMap(contents))
      throw new UnreadableFile('does not hold a map of settings', this.#lineOf(contents));
    try {
      return { root: this.#map(contents, 0), problems: this.#problems };
    } catch (thrown) {
      if (thrown instanceof UnreadableFile) throw thrown;
      throw new UnreadableFile(`cannot be read: ${messageOf(thrown)}`);
    }
  }

  #map(map: YAMLMap, depth: number, line = this.#lineOf(map)): MapNode {
    this.#count(map, depth);
    const entries = new Map<string, ConfigNode>();
    for (const pair of map.items as Pair[]) {
      const at = this.#lineOf(pair.key) ?? line;
      if (!this.#yaml.isScalar(pair.key)) {
        this.#problems.push({ line: at, message: 'a key must be a name' });
        continue;
      }
      const name = String(pair.key.value);
      if (name === '__proto__') {
        this.#problems.push({ line: at, message: '__proto__ cannot be the name of a setting' });
        continue;
      }
      if (entries.has(name)) throw new UnreadableFile(`has the key ${name} twice`, at);
      entries.set(name, this.#node(pair.value, depth + 1, at));
    }
    return { kind: 'map', line, entries };
  }

  #node(value: unknown, depth: number, line: number | undefined): ConfigNode {
    const node = this.#follow(value);
    if (this.#yaml.isMap(node)) return this.#map(node, depth, line);
    return { kind: 'value', line, value: this.#plain(node, depth) };
  }

  #plain(value: unknown, depth: number): unknown {
    const node = this.#follow(value);
    this.#count(node, depth);
    if (this.#yaml.isMap(node)) return plain(this.#map(node, depth));
    if (this.#yaml.isSeq(node)) return (node as YAMLSeq).items.map((item) => this.#plain(item, depth + 1));
    return this.#yaml.isScalar(node) ? node.value : null;
  }

  #count(node: unknown, depth: number): void {
    if (++this.#nodes > limits.nodes) throw new UnreadableFile('holds too much for a config file', this.#lineOf(node));
    if (depth > limits.depth) throw new UnreadableFile(`is nested more than ${limits.depth} deep`, this.#lineOf(node));
    const anchor = (node as { anchor?: string } | null | undefined)?.anchor;
    if (anchor !== undefined) this.#anchors.set(anchor, node as Node);
  }

  /** An alias means the last anchor of that name before it, so those met so far are the right ones. */
  #follow(value: unknown): unknown {
    if (!this.#yaml.isAlias(value)) return value;
    const alias: Alias = value;
    if (++this.#aliases > limits.aliases)
      throw new UnreadableFile(`uses more than ${limits.aliases} aliases`, this.#lineOf(alias));
    const target = this.#anchors.get(alias.source);
    if (target === undefined)
      throw new UnreadableFile(`uses *${alias.source}, which is not defined before`, this.#lineOf(alias));
    return target;
  }

  #lineOf(node: unknown): number | undefined {
    const range = (node as { range?: readonly number[] | null } | null | undefined)?.range;
    return range?.[0] === undefined ? undefined : this.#lines.linePos(range[0]).line;
  }
}
