const kept = 500;

/** Lines of plugins that do not belong on the screen: the last of each channel. */
export class Channels {
  readonly #lines = new Map<string, string[]>();

  write(plugin: string, name: string, line: string): void {
    const key = `${plugin}/${name}`;
    const lines = this.#lines.get(key) ?? [];
    lines.push(line);
    if (lines.length > kept) lines.shift();
    this.#lines.set(key, lines);
  }

  /** By `plugin/name`. */
  get all(): ReadonlyMap<string, readonly string[]> {
    return this.#lines;
  }
}
