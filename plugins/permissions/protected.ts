import { isWithin, slashed } from './paths.ts';

/** What runs by itself later, or decides what may run: whoever can write it needs no other permission. */
const folders = new Set([
  ...[
    '.git',
    '.kern',
    '.claude',
    '.codex',
    '.gemini',
    '.cursor',
    '.opencode',
    '.agents',
    '.pi',
    '.qwen',
    '.cline',
    '.clinerules',
    '.windsurf',
    '.goose',
    '.continue',
  ],
  ...['.vscode', '.idea', '.devcontainer', '.husky', '.ssh', '.gnupg', '.aws', '.kube', '.docker'],
]);

const files = new Set([
  ...[
    '.mcp.json',
    '.claude.json',
    '.kernrc',
    '.kernrc.json',
    '.kernrc.yaml',
    '.kernrc.yml',
    'opencode.json',
    'opencode.jsonc',
  ],
  ...[
    '.bashrc',
    '.bash_profile',
    '.bash_login',
    '.bash_logout',
    '.bash_aliases',
    '.profile',
    '.zshrc',
    '.zshenv',
    '.zprofile',
    '.zlogin',
    '.zlogout',
    '.inputrc',
  ],
  ...[
    '.envrc',
    '.gitconfig',
    '.gitmodules',
    '.npmrc',
    '.yarnrc',
    '.yarnrc.yml',
    '.pnpmfile.cjs',
    '.netrc',
    '.gitlab-ci.yml',
    '.pre-commit-config.yaml',
  ],
]);

/** A folder and what lies in it. */
const pairs: readonly (readonly [string, string])[] = [
  ['.github', 'workflows'],
  ['.github', 'actions'],
  ['.config', 'fish'],
  ['.config', 'git'],
  ['.config', 'systemd'],
  ['.config', 'autostart'],
  ['.local', 'bin'],
  ['library', 'launchagents'],
];

/**
 * The part of a canonical path that makes it protected, also where nothing is there yet; undefined for an ordinary
 * file. Case is folded everywhere: `.GIT/hooks` is the hooks folder on many disks.
 */
export function protectedPart(path: string, kernHome: string): string | undefined {
  if (isWithin(path, kernHome)) return kernHome;
  const parts = slashed(path).split('/');
  const folded = parts.map((part) => part.toLowerCase());
  for (const [index, part] of folded.entries()) {
    if (folders.has(part)) return parts[index];
    const isPair = pairs.some(([folder, inside]) => part === folder && folded[index + 1] === inside);
    if (isPair) return `${parts[index]}/${parts[index + 1]}`;
  }
  return files.has(folded.at(-1) ?? '') ? parts.at(-1) : undefined;
}
