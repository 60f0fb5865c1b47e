import { basename } from 'node:path';
import { isWithin, slashed } from './paths.ts';

/** What only its owner may know: read once, it can be used by whoever reads what the model was told. */
const own = new Set(['auth.json', 'trust.json']);

/** A folder and what lies in it. */
const others: readonly (readonly [string, RegExp])[] = [
  ['.claude', /^\.credentials\.json$/],
  ['.codex', /^auth\.json$/],
  ['.gemini', /^oauth_creds\.json$/],
  ['.aws', /^credentials$/],
  ['.docker', /^config\.json$/],
  ['.kube', /^config$/],
  ['.gnupg', /^(private-keys-v1\.d|secring\.gpg)$/],
];

const endings = ['.pi/agent/auth.json', '.omp/agent/auth.json', '.local/share/opencode/auth.json'];

const files = new Set(['.git-credentials', '.netrc', '.pypirc']);

/** What of `.ssh` is no secret. */
const openInSsh = /(\.pub|^known_hosts.*|^config|^authorized_keys)$/;

/** The part of a canonical path that makes it a secret to be asked for; undefined for what may be read. */
export function protectedRead(path: string, kernHome: string): string | undefined {
  // All of it, as a search through it would read it.
  if (path === kernHome) return basename(kernHome);
  const parts = slashed(path).split('/');
  const folded = parts.map((part) => part.toLowerCase());
  const name = folded.at(-1) ?? '';
  if (isWithin(path, kernHome) && folded.some((part) => own.has(part))) return name;
  for (const [index, part] of folded.entries()) {
    const inside = folded[index + 1] ?? '';
    if (part === '.ssh' && !openInSsh.test(inside)) return parts[index];
    if (others.some(([folder, secret]) => part === folder && secret.test(inside)))
      return `${parts[index]}/${parts[index + 1]}`;
  }
  const ending = endings.find((one) => folded.join('/').endsWith(`/${one}`));
  if (ending !== undefined) return ending;
  return files.has(name) ? parts.at(-1) : undefined;
}
