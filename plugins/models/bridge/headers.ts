/**
 * The headers of a request, for the provider packages: the build puts this in the place of Node's class there, which loads
 * undici (see http.ts). Names are told apart without regard to case.
 */
export class Headers extends Map<string, string> {
  constructor(init: Iterable<readonly [string, string]> | Readonly<Record<string, string>> = {}) {
    super();
    const pairs = Symbol.iterator in init ? init : Object.entries(init);
    for (const [name, value] of pairs) this.append(name, value);
  }

  override get(name: string): string | undefined {
    return super.get(name.toLowerCase());
  }

  override set(name: string, value: string): this {
    return super.set(name.toLowerCase(), String(value));
  }

  override has(name: string): boolean {
    return super.has(name.toLowerCase());
  }

  override delete(name: string): boolean {
    return super.delete(name.toLowerCase());
  }

  append(name: string, value: string): void {
    const before = this.get(name);
    this.set(name, before === undefined ? value : `${before}, ${value}`);
  }
}
