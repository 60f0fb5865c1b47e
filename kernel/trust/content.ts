import { constants, lstatSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import path from 'node:path';
import { messageOf } from '../error.ts';
import type { TrustItem } from '../plugin.ts';
import { canonical, sha256 } from './definition.ts';
import { isInside, realFolder, statOf } from './files.ts';
import { candidates, internalTargets, isCode, isScript, mentions, scriptMentions } from './imports.ts';

/** What an item is made of: a hash for each part, so that a change can be named. */
export interface Content {
  readonly sha256: string;
  /** `definition.command`, `.kern/extensions/hello.ts` → what it is now. */
  readonly parts: ReadonlyMap<string, string>;
  /** The project files that are covered, as real paths. */
  readonly files: readonly string[];
  /** The SHA-256 of each of them. */
  readonly hashes: ReadonlyMap<string, string>;
  /** The text of each part, where it was asked for and is one that a person can read. */
  readonly texts: ReadonlyMap<string, string>;
}

/** The item cannot be bound to a content, and so not be trusted. */
export class Unbound extends Error {}

/** What goes beyond these was made to keep us busy, or is no code. */
const limits = { files: 5_000, bytes: 64 * 1_048_576 };
/** More than this nobody reads as a difference. */
const textLimits = { file: 256 * 1024, all: 1_048_576 };
const skipped = new Set(['node_modules', '.git']);

/** Reads all that an item would run. The root is a real path. Throws Unbound where that cannot be told. */
export async function contentOf(
  item: TrustItem,
  root: string,
  { texts = false }: { readonly texts?: boolean } = {},
): Promise<Content> {
  const reading = new Reading(root, texts);
  try {
    if (item.kind === 'plugin') await reading.plugin(item);
    else if (item.definition === undefined && (item.files ?? []).length === 0 && item.path !== undefined)
      await reading.named(item.path);
    for (const file of item.files ?? []) await reading.named(file);
    if (item.definition !== undefined) reading.definition(item.definition);
  } catch (thrown) {
    if (thrown instanceof Unbound) throw thrown;
    throw new Unbound(messageOf(thrown));
  }
  if (reading.parts.size === 0) throw new Unbound('it says nothing about what would run');
  const parts = Array.from(reading.parts).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return {
    sha256: sha256(JSON.stringify(['kern trust 1', item.kind, parts])),
    parts: new Map(parts),
    files: Array.from(reading.hashes.keys()),
    hashes: reading.hashes,
    texts: reading.texts,
  };
}

class Reading {
  readonly parts = new Map<string, string>();
  readonly hashes = new Map<string, string>();
  readonly texts = new Map<string, string>();
  readonly #root: string;
  readonly #wantsTexts: boolean;
  readonly #scanned = new Set<string>();
  #bytes = 0;
  #textBytes = 0;

  constructor(root: string, wantsTexts: boolean) {
    this.#root = root;
    this.#wantsTexts = wantsTexts;
  }

  definition(definition: unknown): void {
    this.parts.set('definition', sha256(canonical(definition)));
    if (this.#wantsTexts) this.texts.set('definition', written(definition));
    // Beside the whole each entry, so that a change can be named.
    if (typeof definition !== 'object' || definition === null || Array.isArray(definition)) return;
    for (const [name, value] of Object.entries(definition)) {
      if (value !== undefined) this.parts.set(`definition.${name}`, sha256(canonical(value)));
    }
  }

  async plugin(item: TrustItem): Promise<void> {
    if (item.path === undefined) throw new Unbound('a plugin without an entry file');
    const entry = this.#place(item.path);
    if (entry === undefined) throw new Unbound(`its entry ${item.path} lies outside of the project`);
    const folder = extensionFolder(entry, this.#root);
    if (folder !== undefined) await this.#folder(folder);
    await this.#follow([entry]);
  }

  /** A file or folder that the item names. Outside of the project only the name counts: it is not the project's to change. */
  async named(name: string): Promise<void> {
    const file = this.#place(name);
    if (file === undefined) this.parts.set(`outside ${name}`, 'named');
    else if (lstatSync(file, { throwIfNoEntry: false })?.isDirectory()) await this.#folder(file);
    else await this.#follow([file]);
  }

  /** Every file of a folder but packages, and what their code names elsewhere in the project. */
  async #folder(folder: string): Promise<void> {
    await this.#follow(await this.#walk(folder));
  }

  async #walk(folder: string): Promise<readonly string[]> {
    const found: string[] = [];
    const waiting = [folder];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      for (const entry of await readdir(next, { withFileTypes: true })) {
        const file = path.join(next, entry.name);
        if (!entry.isDirectory()) found.push(file);
        else if (!skipped.has(entry.name)) waiting.push(file);
      }
      if (found.length + waiting.length > limits.files)
        throw new Unbound(`${this.#name(folder)} holds more than ${limits.files} files`);
    }
    return found;
  }

  async #follow(files: readonly string[]): Promise<void> {
    const waiting = Array.from(files);
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
      if (this.#scanned.has(file)) continue;
      this.#scanned.add(file);
      if (this.#scanned.size > limits.files) throw new Unbound(`it consists of more than ${limits.files} files`);
      const source = await this.#read(file);
      if (source === undefined) continue;
      // A link is what it says and what it leads to.
      if (source instanceof Link) {
        waiting.push(...(source.isFolder ? await this.#walk(source.target) : [source.target]));
      } else if (path.basename(file) === 'package.json') {
        for (const target of mains(source)) waiting.push(...this.#mentioned(file, target));
      } else if (isCode(file)) {
        for (const specifier of mentions(source)) waiting.push(...this.#mentioned(file, specifier));
      } else if (isScript(file, source)) waiting.push(...this.#called(file, source));
    }
  }

  /** The project files that a specifier may mean: the one file, or all that would come into question. */
  #mentioned(from: string, specifier: string): readonly string[] {
    if (specifier.startsWith('#')) return this.#internal(from, specifier);
    const places = candidates(from, specifier).flatMap((candidate) => {
      const place = this.#place(candidate);
      return place === undefined ? [] : [place];
    });
    const exact = places.slice(0, 2).find((place) => statOf(place)?.isDirectory() === false);
    return exact === undefined ? places : [exact];
  }

  /** Other scripts of the project that one names, as seen from where it stands and from the project. Data is not meant. */
  #called(from: string, source: string): readonly string[] {
    const places = scriptMentions(source).flatMap((name) =>
      [path.dirname(from), this.#root].flatMap((base) => this.#place(path.resolve(base, name)) ?? []),
    );
    return places.filter((place) => {
      const found = statOf(place);
      return (
        found?.isSymbolicLink() === true ||
        (found?.isFile() === true && (isRun(place) || (Number(found.mode) & 0o111) !== 0))
      );
    });
  }

  #internal(from: string, name: string): readonly string[] {
    for (let folder = path.dirname(from); isInside(this.#root, folder); folder = path.dirname(folder)) {
      const manifest = path.join(folder, 'package.json');
      if (statOf(manifest) === undefined) {
        if (folder === this.#root) break;
        continue;
      }
      const content = readManifest(manifest);
      return [
        manifest,
        ...internalTargets(content, name).flatMap((target) =>
          target.startsWith('.') ? this.#mentioned(manifest, target) : [],
        ),
      ];
    }
    return [];
  }

  /** Adds the file as a part. Answers its text, where it leads, or nothing where there is nothing to follow. */
  async #read(file: string): Promise<string | Link | undefined> {
    const name = this.#name(file);
    const found = statOf(file);
    if (found === undefined) {
      this.parts.set(name, 'absent');
      return undefined;
    }
    if (found.isSymbolicLink()) return this.#link(file, name);
    if (found.isDirectory()) return undefined;
    if (!found.isFile()) {
      this.parts.set(name, 'not a plain file');
      return undefined;
    }
    const bytes = await this.#bytesOf(file);
    const hash = sha256(bytes);
    this.hashes.set(file, hash);
    this.parts.set(name, hash);
    const text = bytes.toString('utf8');
    if (this.#wantsTexts) this.#keepText(name, text, bytes);
    return text;
  }

  #keepText(name: string, text: string, bytes: Buffer): void {
    this.#textBytes += bytes.length;
    const isShort = bytes.length <= textLimits.file && this.#textBytes <= textLimits.all;
    if (isShort && !bytes.includes(0)) this.texts.set(name, text);
  }

  #link(file: string, name: string): Link | undefined {
    const text = readlinkSync(file);
    this.parts.set(name, `link ${text}`);
    if (this.#wantsTexts) this.texts.set(name, `link to ${text}\n`);
    let target: string;
    try {
      target = realpathSync.native(file);
    } catch {
      return undefined; // leads nowhere: when that changes, so does the link or what lies at its end
    }
    if (!isInside(this.#root, target)) throw new Unbound(`${name} is a link that leaves the project, to ${target}`);
    return new Link(target, statOf(target)?.isDirectory() === true);
  }

  async #bytesOf(file: string): Promise<Buffer> {
    const handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    try {
      const found = await handle.stat();
      this.#bytes += found.size;
      if (!found.isFile()) throw new Unbound(`${this.#name(file)} is not a plain file`);
      if (this.#bytes > limits.bytes) throw new Unbound('it is larger than 64 MB');
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  }

  /**
   * Where a path lies really, its last part not followed; `undefined` when that is no part of the project. A path
   * that looks like the project's but leads out of it is refused.
   */
  #place(file: string): string | undefined {
    const whole = path.resolve(this.#root, file);
    const real = path.join(realFolder(path.dirname(whole)), path.basename(whole));
    if (isInside(this.#root, real)) return real;
    if (isInside(this.#root, whole)) throw new Unbound(`${file} leads out of the project, to ${real}`);
    return undefined;
  }

  #name(file: string): string {
    return path.relative(this.#root, file).split(path.sep).join('/');
  }
}

/** As a person reads it: keys in order, so that two of them can be held against each other. */
function written(definition: unknown): string {
  const sorted = (_key: string, value: unknown): unknown =>
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value;
  return typeof definition === 'string' ? `${definition}\n` : `${JSON.stringify(definition, sorted, 2)}\n`;
}

class Link {
  readonly target: string;
  readonly isFolder: boolean;
  constructor(target: string, isFolder: boolean) {
    this.target = target;
    this.isFolder = isFolder;
  }
}

const isRun = (file: string): boolean => isCode(file) || isScript(file, '');

/** `extensions/<name>/…` is a plugin of several files; a file right in `extensions/` is one of its own. */
function extensionFolder(entry: string, root: string): string | undefined {
  for (let folder = path.dirname(entry); folder !== root && isInside(root, folder); folder = path.dirname(folder)) {
    if (path.basename(path.dirname(folder)) === 'extensions') return folder;
  }
  return undefined;
}

function mains(source: string): readonly string[] {
  try {
    const { main } = JSON.parse(source) as { main?: unknown };
    return typeof main === 'string' ? [`./${main}`] : [];
  } catch {
    return []; // no package.json that anything could be loaded by
  }
}

function readManifest(file: string): unknown {
  try {
    return statOf(file)?.isFile() ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
  } catch {
    return undefined; // names nothing, as it is
  }
}
