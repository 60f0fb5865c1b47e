import { Writable } from 'node:stream';

/** Lets only the last line through, when it is asked to: the result of a stream of events. */
export class LastLine extends Writable {
  readonly #out: NodeJS.WritableStream;
  #rest = '';
  #last = '';

  constructor(out: NodeJS.WritableStream) {
    super({ decodeStrings: false });
    this.#out = out;
  }

  override _write(chunk: string | Buffer, _encoding: BufferEncoding, done: () => void): void {
    const lines = (this.#rest + chunk.toString()).split('\n');
    this.#rest = lines.pop() ?? '';
    this.#last = lines.findLast((line) => line !== '') ?? this.#last;
    done();
  }

  /** One JSON value, on lines that a person can read. */
  print(): void {
    const line = this.#rest === '' ? this.#last : this.#rest;
    this.#out.write(`${JSON.stringify(JSON.parse(line), undefined, 2)}\n`);
  }
}
