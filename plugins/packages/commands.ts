import type { Command, OptionDescriptor } from 'kern/contracts';

const project: OptionDescriptor = {
  name: 'project',
  names: ['--project'],
  kind: 'boolean',
  summary: 'In this project: its lock file is for everyone who clones it.',
};
const yes: OptionDescriptor = { name: 'yes', names: ['--yes', '-y'], kind: 'boolean', summary: 'Ask nothing.' };

export const packageCommands: readonly Command[] = [
  {
    path: ['plugins', 'install'],
    group: 'Extend',
    summary: 'Install a package of extensions, skills, commands and more.',
    details:
      'From npm, a git repository, a tarball, or a folder, which is used where it lies. What it is, what it brings and\nwhat it would run is shown before it is taken. No script of it is run. Without a source: what the lock file names.',
    json: true,
    boots: 'builtins',
    options: [project, yes],
    positionals: [
      {
        name: 'source',
        rest: true,
        summary: 'npm:<name>[@<range>], git:<url>[@<ref>], https://…, a folder, or a .tgz',
      },
    ],
    examples: [
      ['From npm', 'kern plugins install npm:kern-weather'],
      ['A tag of a repository', 'kern plugins install git:https://github.com/someone/kern-weather@v1'],
      ['A folder, used where it lies', 'kern plugins install ./weather'],
      ['What npm pack made, for this project', 'kern plugins install weather-1.0.0.tgz --project'],
      ['After a clone: what the lock file names', 'kern plugins install'],
    ],
    run: async (ctx, args, host) => (await import('./run.ts')).install(ctx, args, host),
  },
  {
    path: ['plugins', 'remove'],
    group: 'Extend',
    summary: 'Remove an installed package.',
    json: true,
    boots: 'builtins',
    options: [project],
    positionals: [{ name: 'name', required: true, rest: true, summary: 'The package, as kern plugins list names it' }],
    examples: [['No more weather', 'kern plugins remove kern-weather']],
    run: async (ctx, args, host) => (await import('./run.ts')).remove(ctx, args, host),
  },
  {
    path: ['plugins', 'update'],
    group: 'Extend',
    summary: 'Fetch newer versions of installed packages.',
    details: 'Within the range, the branch or the tag that a package was installed with. Without a name: all of them.',
    json: true,
    boots: 'builtins',
    options: [
      project,
      yes,
      { name: 'check', names: ['--check'], kind: 'boolean', summary: 'Only tell what there is.' },
    ],
    positionals: [{ name: 'name', rest: true, summary: 'Packages, as kern plugins list names them' }],
    examples: [
      ['What would be newer', 'kern plugins update --check'],
      ['One package', 'kern plugins update kern-weather'],
    ],
    run: async (ctx, args, host) => (await import('./run.ts')).update(ctx, args, host),
  },
  {
    path: ['plugins', 'lint'],
    group: 'Extend',
    summary: 'Look through an extension or a package without running it.',
    details:
      'Its manifest, the names it uses, what it brings and what it would run, and whether its files can be parsed and find\nwhat they import. Answers 1 where something is wrong.',
    json: true,
    boots: 'builtins',
    positionals: [
      {
        name: 'path',
        rest: true,
        summary: 'Files, tarballs, or folders of extensions or packages. Default: this folder',
      },
    ],
    examples: [
      ['Before it is packed', 'kern plugins lint ./weather'],
      ['Everything of this project', 'kern plugins lint .kern/extensions'],
    ],
    run: async (_ctx, args, host) => (await import('./lint/run.ts')).lint(args, host),
  },
];
