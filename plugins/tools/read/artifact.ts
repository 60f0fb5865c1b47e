import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The number in `artifact://3`. */
export function artifactId(path: string): string | undefined {
  return /^@?artifact:\/\/([^/]+)\/?$/.exec(path)?.[1];
}

/** The file of a long output that a notice named, or what there is instead. */
export function findArtifact(
  id: string,
  folder: string,
): { readonly path: string } | { readonly known: readonly string[] } {
  const names = readdirSync(folder).filter((name) => /^\d+\./.test(name));
  const found = names.find((name) => name.startsWith(`${id}.`));
  if (found !== undefined) return { path: join(folder, found) };
  return {
    known: names
      .map((name) => Number.parseInt(name, 10))
      .sort((a, b) => a - b)
      .map(String),
  };
}
