import { open, rename, rm } from 'node:fs/promises';
import type { ExchangeObserver, ModelRequest, ScriptTurn } from 'kern/contracts';
import { cleanTurn } from './clean.ts';
import { Exchange } from './exchange.ts';
import { expectationOf } from './expectation.ts';
import { fileText, headText, turnText } from './written.ts';

export interface RecordingOptions {
  readonly file: string;
  /** As it was given, for the line that says how to play it. */
  readonly shown: string;
  readonly redact: (text: string) => string;
  /** Turns say what they expect of the request. */
  readonly expects: boolean;
  /** How often a reply that is on its way is written as far as it came. Default: every second. */
  readonly everyMs?: number;
  /** It cannot be written; told once. */
  readonly failed: (error: unknown) => void;
}

/**
 * What providers answer, as a script that plays it again. The file is written anew after every reply, and while a long
 * one is on its way: whole or not at all, so that it can be played whenever the process is killed.
 */
export class Recording {
  readonly #options: RecordingOptions;
  readonly #running = new Set<Exchange>();
  readonly #turns: Promise<string>[] = [];
  readonly #summaries: Promise<string>[] = [];
  #head: string | undefined;
  #writing: Promise<void> | undefined;
  #isStale = false;
  #hasFailed = false;
  #timer: NodeJS.Timeout | undefined;
  #tookMs = 0;

  constructor(options: RecordingOptions) {
    this.#options = options;
  }

  get file(): string {
    return this.#options.file;
  }

  /** Follows a request. A title takes no turn of a script. */
  begin(request: ModelRequest): ExchangeObserver | undefined {
    if (request.purpose === 'title') return undefined;
    const { model } = request;
    this.#head ??= headText(
      {
        model: model.id,
        contextWindow: model.contextWindow,
        reasoning: model.thinking.some((level) => level !== 'off'),
      },
      this.#options.shown,
    );
    const exchange = new Exchange(request);
    this.#running.add(exchange);
    return {
      event: (event) => {
        exchange.take(event);
        // A long reply takes long to write: recording is to take a twentieth of the time at most.
        this.#timer ??= setTimeout(
          () => this.#write(),
          Math.max(this.#options.everyMs ?? 1_000, 20 * this.#tookMs),
        ).unref();
      },
      end: (end) => {
        this.#running.delete(exchange);
        const turn = exchange.ended(end);
        if (turn === undefined) return;
        this.#listOf(exchange).push(this.#text(exchange, turn, end.aborted ? 'It was stopped here.' : undefined));
        this.#write();
      },
    };
  }

  /** All replies that are over are in the file. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    while (this.#writing !== undefined) await this.#writing;
  }

  #listOf({ request }: Exchange): Promise<string>[] {
    return request.purpose === 'summary' ? this.#summaries : this.#turns;
  }

  #text({ request }: Exchange, turn: ScriptTurn, note: string | undefined): Promise<string> {
    const expect = this.#options.expects ? expectationOf(request) : undefined;
    const clean = cleanTurn(turn, this.#options.redact);
    return turnText(expect === undefined ? clean : { expect, ...clean }, note);
  }

  /** One write at a time; what comes meanwhile goes with the next. */
  #write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#writing !== undefined) {
      this.#isStale = true;
      return;
    }
    this.#isStale = false;
    this.#writing = this.#put()
      .catch((error: unknown) => {
        if (!this.#hasFailed) this.#options.failed(error);
        this.#hasFailed = true;
      })
      .then(() => {
        this.#writing = undefined;
        if (this.#isStale) this.#write();
      });
  }

  async #put(): Promise<void> {
    const begun = performance.now();
    const turns = [...this.#turns];
    for (const exchange of this.#running) {
      const cut = exchange.request.purpose === 'turn' ? exchange.cut() : undefined;
      if (cut !== undefined) turns.push(this.#text(exchange, cut, 'It had come this far.'));
    }
    const text = fileText(this.#head ?? '', await Promise.all(turns), await Promise.all(this.#summaries));
    this.#tookMs = performance.now() - begun;
    await replace(this.#options.file, text);
  }
}

/** The whole new text or the whole old one, also where the power fails. */
async function replace(file: string, text: string): Promise<void> {
  const draft = `${file}.${process.pid}.tmp`;
  try {
    const handle = await open(draft, 'w', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {}); // what went wrong first is told
    throw error;
  }
}
