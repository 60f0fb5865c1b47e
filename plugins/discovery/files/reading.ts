import { basename, join } from 'node:path';
import { codeOf, messageOf, visible } from 'kern/plugin';
import type { FileEntry, Files, Head } from '../contract.ts';
import type { Gate } from './gate.ts';
import { readHead } from './head.ts';
import { type Read, readJson } from './json.ts';
import type { Memory, Version } from './memory.ts';
import type { FileFacts, FilePort } from './types.ts';

/** Larger texts are nothing that anybody wrote for an agent. */
export const largestText = 1024 * 1024;

/** Names beyond this are not looked at: a folder like that was not made by hand. */
const mostNames = 2_000;

export interface Ground {
  readonly port: FilePort;
  readonly gate: Gate;
  readonly memory: Memory;
}

/** What was looked at since all who share it were opened: nobody is told what was there before they asked. */
export interface Looks {
  readonly facts: Map<string, Promise<FileFacts | undefined>>;
  /** Undefined where a folder is none, or does not tell. */
  readonly names: Map<string, Promise<ReadonlySet<string> | undefined>>;
}

/** Files as one provider sees them in one place. */
export class Reading implements Files {
  readonly #ground: Ground;
  readonly #signal: AbortSignal;
  readonly #warnings = new Set<string>();
  /** Of each path whether its content counts. */
  readonly #watched = new Map<string, boolean>();
  readonly #looks: Looks;

  constructor(ground: Ground, signal: AbortSignal, looks: Looks) {
    this.#looks = looks;
    this.#ground = ground;
    this.#signal = signal;
  }

  get warnings(): readonly string[] {
    return [...this.#warnings];
  }

  get watch(): readonly string[] {
    return Array.from(this.#watched, ([path, isFile]) => (isFile ? path : `${path}/`));
  }

  warn(path: string, why: string): void {
    this.#warnings.add(`${visible(path)}: ${why}`);
  }

  async kind(path: string): Promise<'file' | 'folder' | undefined> {
    const facts = await this.#facts(path);
    return facts === undefined || facts.kind === 'other' ? undefined : facts.kind;
  }

  async mark(path: string): Promise<string | undefined> {
    const facts = await this.#facts(path);
    return facts === undefined ? undefined : this.#ground.memory.markOf(path, facts.mark);
  }

  broken(path: string, why: string): boolean {
    return this.#ground.memory.refusePart(path, why);
  }

  /** What one look tells; a second one of the same path in the same answer tells the same. */
  #facts(path: string): Promise<FileFacts | undefined> {
    const { gate, port } = this.#ground;
    let look = this.#looks.facts.get(path);
    if (look === undefined) {
      look = gate.run('look', path, () => port.look(path));
      this.#looks.facts.set(path, look);
    }
    return look.then(
      (facts) => {
        this.#watch(path, facts?.kind === 'file');
        if (facts === undefined) this.#ground.memory.forget(path);
        if (facts?.kind === 'other') this.warn(path, 'is neither a file nor a folder, and is not opened');
        return facts;
      },
      (error: unknown) => {
        // What does not answer is not watched either: a look at it would wait in a place where nobody may wait.
        if (codeOf(error) !== 'file_stalled') this.#watch(path, false);
        this.#failed(path, error);
        return undefined;
      },
    );
  }

  /** Of a folder only the names count: what a build does further down is nobody's business. */
  #watch(path: string, isFile: boolean): void {
    // There is always something going on in there.
    if (basename(path) !== '.git') this.#watched.set(path, isFile || this.#watched.get(path) === true);
  }

  async has(folder: string, name: string): Promise<boolean> {
    const { gate, port } = this.#ground;
    let look = this.#looks.names.get(folder);
    if (look === undefined) {
      look = gate
        .run('names', folder, () => port.names(folder))
        .then(
          (names) => new Set(names.map((one) => one.name)),
          () => undefined,
        );
      this.#looks.names.set(folder, look);
    }
    const names = await look;
    // A folder may be open to whoever knows what to look for, and to nobody else.
    if (names === undefined) return (await this.#facts(join(folder, name))) !== undefined;
    this.#watch(join(folder, name), false);
    if (!names.has(name)) this.#ground.memory.forget(join(folder, name));
    return names.has(name);
  }

  async list(folder: string): Promise<readonly FileEntry[]> {
    const { port, memory } = this.#ground;
    if ((await this.kind(folder)) !== 'folder') return [];
    const names = await this.#attempt('names', folder, () => port.names(folder));
    if (names === undefined) return [];
    let there: ReadonlySet<string> | undefined;
    memory.forgetBut(folder, (name) => {
      there ??= new Set(names.map((one) => one.name));
      return there.has(name);
    });
    if (names.length > mostNames)
      this.warn(folder, `holds ${names.length} names; only the first ${mostNames} are looked at`);
    const sorted = names.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)).slice(0, mostNames);
    const entries = await Promise.all(
      sorted.map(async ({ name, kind: told }): Promise<FileEntry | undefined> => {
        const path = join(folder, name);
        if (told === 'other') return undefined;
        if (told !== 'link') return { name, path, kind: told };
        const kind = await this.kind(path);
        return kind === undefined ? undefined : { name, path, kind, isLink: true };
      }),
    );
    return entries.filter((entry) => entry !== undefined);
  }

  async text(path: string, options: { readonly limit?: number } = {}): Promise<string | undefined> {
    const version = await this.#version(path, options.limit);
    if (version !== undefined && version.verdict === undefined) this.#ground.memory.accept(path, version);
    return version?.text;
  }

  /** What counts of a file: what it holds, or what it held when that could be used last. */
  async #version(path: string, limit = largestText): Promise<Version | undefined> {
    const { port, memory, gate } = this.#ground;
    const facts = await this.#facts(path);
    if (facts === undefined || facts.kind === 'other' || this.#signal.aborted) return undefined;
    if (facts.kind === 'folder') {
      this.warn(path, 'is a folder, where a file is looked for');
      return undefined;
    }
    const refused = (why: string): Version | undefined => this.#refuse(path, facts, why);
    if (facts.size > limit) return refused(`has ${sizeText(facts.size)}; at most ${sizeText(limit)} are read`);
    const known = memory.version(path, facts.mark);
    if (known !== undefined) return this.#counting(path, known);
    try {
      const bytes = await gate.run(`bytes:${limit}`, path, () => port.bytes(path, limit + 1));
      if (bytes.length > limit) return refused(`grows while it is read; at most ${sizeText(limit)} are read`);
      const decoded = decode(bytes);
      if (!decoded.ok) return refused(decoded.why);
      return this.#counting(path, memory.read(path, { ...facts, text: decoded.text }));
    } catch (error) {
      const why = whyNot(error);
      return why === undefined ? undefined : refused(why);
    }
  }

  #counting(path: string, version: Version): Version {
    const instead = this.#ground.memory.instead(path, version);
    if (instead === undefined) return version;
    this.warn(path, `${instead.why}${held}`);
    return instead.good;
  }

  /** What is read cannot be used: that is told, and what could be used before goes on to count. */
  #refuse(path: string, what: Parameters<Memory['refuse']>[1], why: string): Version | undefined {
    const good = this.#ground.memory.refuse(path, what, why);
    this.warn(path, good === undefined ? why : `${why}${held}`);
    return good;
  }

  json(path: string): Promise<unknown> {
    return this.#parsed(path, async (text) => readJson(text));
  }

  yaml(path: string): Promise<unknown> {
    return this.#parsed(path, async (text) => {
      const { parseDocument } = await import('yaml');
      const document = parseDocument(text, { prettyErrors: false, logLevel: 'error' });
      const [error] = document.errors;
      if (error !== undefined)
        return { ok: false, why: `line ${text.slice(0, error.pos[0]).split('\n').length}: ${error.message}` };
      try {
        return { ok: true, value: document.toJS({ maxAliasCount: 100 }) };
      } catch (cause) {
        return { ok: false, why: messageOf(cause) };
      }
    });
  }

  toml(path: string): Promise<unknown> {
    return this.#parsed(path, async (text) => (await import('./toml.ts')).readToml(text));
  }

  async #parsed(path: string, read: (text: string) => Promise<Read>): Promise<unknown> {
    const version = await this.#version(path);
    if (version === undefined) return undefined;
    const parsed = await read(version.text);
    if (parsed.ok) {
      this.#ground.memory.accept(path, version);
      return parsed.value;
    }
    const good = this.#refuse(path, version, parsed.why);
    const before = good === undefined ? undefined : await read(good.text);
    return before?.ok === true ? before.value : undefined;
  }

  async head(path: string): Promise<Head | undefined> {
    const read = await this.#version(path);
    if (read === undefined) return undefined;
    const { memory } = this.#ground;
    let version = read;
    version.head ??= await readHead(version.text);
    const { broken } = version.head;
    if (broken === undefined) memory.accept(path, version);
    else {
      const good = memory.refuse(path, version, broken);
      if (good !== undefined) {
        this.warn(path, `${broken}${held}`);
        version = good;
      }
    }
    version.head ??= await readHead(version.text);
    for (const problem of version.head.problems) this.warn(path, problem);
    return version.head;
  }

  async real(path: string): Promise<string | undefined> {
    if ((await this.#facts(path)) === undefined) return undefined;
    const { port } = this.#ground;
    return this.#attempt('real', path, () => port.real(path));
  }

  /** What a call answers, or undefined: then what is wrong has been told. */
  async #attempt<T>(name: string, path: string, call: () => Promise<T>): Promise<T | undefined> {
    if (this.#signal.aborted) return undefined;
    try {
      return await this.#ground.gate.run(name, path, call);
    } catch (error) {
      this.#failed(path, error);
      return undefined;
    }
  }

  #failed(path: string, error: unknown): void {
    const why = whyNot(error);
    if (why !== undefined) this.warn(path, why);
  }
}

const held = ' — what it said before goes on to hold';

/** Undefined: it is not there any more, though it was a moment ago. */
function whyNot(error: unknown): string | undefined {
  const code = codeOf(error);
  return code === 'ENOENT' || code === 'ENOTDIR' ? undefined : (wrong[code ?? ''] ?? messageOf(error));
}

function decode(bytes: Uint8Array): { readonly ok: true; readonly text: string } | { readonly ok: false; why: string } {
  if (bytes.includes(0)) return { ok: false, why: 'is no text' };
  try {
    // The byte order mark is left out by the decoder.
    return { ok: true, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return { ok: false, why: 'is not UTF-8' };
  }
}

const wrong: Readonly<Record<string, string>> = {
  file_stalled: 'does not answer; its drive may be away',
  EACCES: 'may not be read by you',
  EPERM: 'may not be read by you',
  ELOOP: 'is a link that leads round in a circle',
  ENAMETOOLONG: 'has a name that is too long',
  ENXIO: 'is no plain file',
  EISDIR: 'is a folder, where a file is looked for',
  EMFILE: 'cannot be opened: too many files are open (ulimit -n)',
};

function sizeText(bytes: number): string {
  return bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KB` : `${(bytes / 1024 / 1024).toFixed(0)} MB`;
}
