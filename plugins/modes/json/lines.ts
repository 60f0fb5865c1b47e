/** How much is gathered before it is handed over within a turn of the event loop. */
const handOverAt = 64 * 1024;

/**
 * Lines on their way out. What comes within one turn of the event loop is handed over together: a pipe is written to
 * synchronously, and deltas come by the thousand.
 */
export class Lines {
  readonly #out: NodeJS.WritableStream;
  #waiting = '';
  #immediate: NodeJS.Immediate | undefined;

  constructor(out: NodeJS.WritableStream) {
    this.#out = out;
  }

  write(value: unknown): void {
    this.#waiting += `${JSON.stringify(value)}\n`;
    if (this.#waiting.length >= handOverAt) this.handOver();
    else this.#immediate ??= setImmediate(() => this.handOver());
  }

  handOver(): void {
    clearImmediate(this.#immediate);
    this.#immediate = undefined;
    const text = this.#waiting;
    this.#waiting = '';
    if (text !== '') this.#out.write(text);
  }
}
