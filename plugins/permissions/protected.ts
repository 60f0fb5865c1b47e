import { type Executables, noExecutables } from './executables.ts';
import { isWithin, slashed } from './paths.ts';

// What runs by itself later, or decides what may run: whoever can write it needs no other permission. What agents read is
// known from the tables of the providers too; their folders stand here for when none of those is loaded.

const words = (text: string): readonly string[] => text.split(/\s+/).filter((word) => word !== '');

const folders = new Set(
  words(`
    .git .kern .claude .codex .gemini .cursor .opencode .agents .agent .pi .omp .qwen .cline .clinerules .windsurf .codeium
    .goose .continue .roo .kilocode .kiro .amazonq .junie .augment .factory .crush .trae
    .vscode .idea .fleet .zed .devcontainer .husky .circleci .buildkite .woodpecker .yarn .mise .direnv
    .ssh .gnupg .aws .kube .docker`),
);

const files = new Set(
  words(`
    .mcp.json .claude.json .kernrc .kernrc.json .kernrc.yaml .kernrc.yml opencode.json opencode.jsonc crush.json
    .crush.json .roomodes .aider.conf.yml
    .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout .inputrc
    .envrc .env.fish .tmux.conf .screenrc .xprofile .xinitrc .xsession
    .gitconfig .gitmodules .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .pnp.cjs .netrc .pypirc
    .exrc .vimrc .nvimrc .nvim.lua .lvimrc .emacs .dir-locals.el .gdbinit .lldbinit .irbrc .pryrc .rprofile .renviron
    .mise.toml mise.toml .tool-versions lefthook.yml .lefthook.yml .pre-commit-config.yaml .devcontainer.json
    .gitlab-ci.yml .travis.yml .drone.yml azure-pipelines.yml bitbucket-pipelines.yml jenkinsfile sitecustomize.py
    usercustomize.py`),
);

const endings: readonly string[] = ['.code-workspace'];

/** A folder and what lies in it. */
const pairs: readonly (readonly string[])[] = [
  ['.github', 'workflows'],
  ['.github', 'actions'],
  ['.github', 'hooks'],
  ['.gitea', 'workflows'],
  ['.forgejo', 'workflows'],
  ['.cargo', 'config'],
  ['.cargo', 'config.toml'],
  ['.bundle', 'config'],
  ['.config', 'fish'],
  ['.config', 'git'],
  ['.config', 'systemd'],
  ['.config', 'autostart'],
  ['.config', 'environment.d'],
  ['.local', 'bin'],
  ['library', 'launchagents'],
];

/**
 * The part of a canonical path that makes it protected, also where nothing is there yet; undefined for an ordinary
 * file. Case is folded everywhere: `.GIT/hooks` is the hooks folder on many disks.
 */
export function protectedPart(
  path: string,
  kernHome: string,
  executables: Executables = noExecutables,
): string | undefined {
  if (isWithin(path, kernHome)) return kernHome;
  const parts = slashed(path).split('/');
  const folded = parts.map(folding);
  for (const [index, part] of folded.entries()) {
    if (folders.has(part)) return parts[index];
    const run = [...pairs, ...executables.anywhere].find((way) => way.every((one, at) => folded[index + at] === one));
    if (run !== undefined) return parts.slice(index, index + run.length).join('/');
  }
  const name = folded.at(-1) ?? '';
  if (files.has(name) || endings.some((ending) => name.endsWith(ending))) return parts.at(-1);
  return executables.own.find((own) => isWithin(path.toLowerCase(), own.toLowerCase()));
}

/**
 * A name as file systems take it: case, ways to write one letter, and characters that some leave out do not count, nor
 * what Windows leaves off the end, or reads as a stream of the same file.
 */
function folding(part: string): string {
  return part
    .normalize('NFKC')
    .replace(/[\p{Cf}\p{Cc}]/gu, '')
    .toLowerCase()
    .replace(/(?<=.):.*$/, '')
    .replace(/(?<=[^. ])[. ]+$/, '')
    .replace(/^git~\d$/, '.git');
}
