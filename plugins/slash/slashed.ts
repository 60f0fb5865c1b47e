/** What a person typed behind a slash. */
export interface Slashed {
  readonly name: string;
  readonly args: string;
}

/** `/review the tests`: the name and the rest. A path (`/tmp/x is full`) is none. */
export function slashed(text: string): Slashed | undefined {
  const [, name, args = ''] = /^\/([^\s/]+)(?:\s+([\s\S]*))?$/.exec(text) ?? [];
  return name === undefined ? undefined : { name, args: args.trim() };
}
