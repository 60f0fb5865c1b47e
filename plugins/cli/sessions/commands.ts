import type { Command, OptionDescriptor } from 'kern/contracts';

const dir: OptionDescriptor = {
  name: 'sessionDir',
  names: ['--session-dir'],
  kind: 'string',
  value: '<dir>',
  summary: 'Where sessions lie, instead of KERN_HOME/sessions.',
};
const which = 'Its path, its id, or the beginning of its id; `latest` is where `kern -c` would go on';

const list: Omit<Command, 'path' | 'examples'> = {
  group: 'Look',
  summary: 'The sessions of this folder, newest first.',
  json: true,
  options: [{ name: 'all', names: ['--all'], kind: 'boolean', summary: 'Those of every folder.' }, dir],
  run: async (_ctx, args, host) => (await import('./list.ts')).list(args, host),
};

export const sessionCommands: readonly Command[] = [
  {
    ...list,
    path: ['sessions'],
    summary: 'Sessions: list, show, export, import, compact, doctor, rm.',
    examples: [
      ['Those of this folder', 'kern sessions'],
      ['Read the one from before', 'kern sessions show latest'],
      ['A page to look at in a browser', 'kern sessions export latest --html -o session.html'],
    ],
  },
  {
    ...list,
    path: ['sessions', 'list'],
    examples: [
      ['Those of this folder', 'kern sessions list'],
      ['All there are, for a program', 'kern sessions list --all --json'],
      ['Those of another folder', 'kern sessions list --cwd ~/src/shop'],
    ],
  },
  {
    path: ['sessions', 'show'],
    group: 'Look',
    summary: 'What was said in a session.',
    details: [
      'The branch on which it goes on, its latest part; long outputs are cut. Other branches are marked where they',
      'begin: --tree shows them all, and --at one of them.',
    ].join('\n'),
    json: true,
    options: [
      { name: 'tree', names: ['--tree'], kind: 'boolean', summary: 'The tree of all branches, a line an entry.' },
      { name: 'all', names: ['--all'], kind: 'boolean', summary: 'From the very beginning, outputs whole.' },
      {
        name: 'at',
        names: ['--at'],
        kind: 'string',
        value: '<entry>',
        summary: 'The branch that ends at this entry, as --tree names it.',
      },
      dir,
    ],
    positionals: [{ name: 'session', required: true, summary: which }],
    examples: [
      ['The one from before', 'kern sessions show latest'],
      ['Its branches', 'kern sessions show latest --tree'],
      ['Every entry, for a program', 'kern sessions show 0193a1 --json'],
    ],
    run: async (_ctx, args, host) => (await import('./show.ts')).show(args, host),
  },
  {
    path: ['sessions', 'export'],
    group: 'Look',
    summary: 'A session as one HTML page, as Markdown, or as a sound session file.',
    details: [
      'HTML: one file that needs no network and runs nothing, with all branches, images and totals.',
      'Markdown: the branch on which it goes on. JSONL: the whole tree, mended, with blobs put back in: pi and kern open it.',
      'Without -o the file lies in this folder; `-o -` prints it.',
    ].join('\n'),
    json: true,
    options: [
      { name: 'html', names: ['--html'], kind: 'boolean', summary: 'A page to look at (what it does by itself).' },
      { name: 'md', names: ['--md'], kind: 'boolean', summary: 'Markdown.' },
      { name: 'jsonl', names: ['--jsonl'], kind: 'boolean', summary: 'A session file.' },
      {
        name: 'output',
        names: ['-o', '--output'],
        kind: 'string',
        value: '<file>',
        summary: 'Where to; - is stdout. A file that is there is not replaced without --force.',
      },
      { name: 'force', names: ['--force'], kind: 'boolean', summary: 'Replace the file.' },
      dir,
    ],
    positionals: [{ name: 'session', required: true, summary: which }],
    examples: [
      ['A page', 'kern sessions export latest --html -o session.html'],
      ['Markdown on stdout', 'kern sessions export 0193a1 --md -o -'],
      ['A file for pi or another machine', 'kern sessions export 0193a1 --jsonl -o session.jsonl'],
    ],
    run: async (_ctx, args, host) => (await import('./export.ts')).exportSession(args, host),
  },
  {
    path: ['sessions', 'import'],
    group: 'Work',
    summary: 'Take over conversations of pi, oh-my-pi, Claude Code and Codex.',
    details: [
      'Files are told apart by what they say. With --from alone, all of that program that belong to this folder are taken',
      'over (--all: of every folder). Nothing is taken over twice, and the transcript stays as it is. `kern -c` then goes on in',
      'the one that was named last, or in the newest of this folder.',
      'Sessions of pi and oh-my-pi also open as they are: kern --session <file>.',
    ].join('\n'),
    json: true,
    options: [
      {
        name: 'from',
        names: ['--from'],
        kind: 'string',
        value: '<program>',
        summary: 'pi, oh-my-pi, claude, codex, or what a plugin adds.',
      },
      { name: 'all', names: ['--all'], kind: 'boolean', summary: 'With --from: of every folder.' },
      dir,
    ],
    positionals: [{ name: 'file', rest: true, summary: 'Transcripts' }],
    examples: [
      ['What Claude Code did in this folder', 'kern sessions import --from claude'],
      ['One file, and go on in it', 'kern sessions import rollout-2026.jsonl && kern -c "go on"'],
      ['Everything of pi', 'kern sessions import --from pi --all'],
    ],
    run: async (_ctx, args, host) => (await import('./import.ts')).importSessions(args, host),
  },
  {
    path: ['sessions', 'compact'],
    group: 'Work',
    summary: 'Sum up what is old in a session, look at that beforehand, or take it back.',
    details: [
      'A summary costs a request to the model. The summary is printed; nothing is lost by it, the entries stay in the file.',
      '--preview asks for it too, and changes nothing; --undo goes on as if the latest compaction had not been.',
    ].join('\n'),
    json: true,
    options: [
      { name: 'preview', names: ['--preview'], kind: 'boolean', summary: 'Show what it would be; change nothing.' },
      { name: 'undo', names: ['--undo'], kind: 'boolean', summary: 'Take the latest one back.' },
      {
        name: 'instructions',
        names: ['--instructions'],
        kind: 'string',
        value: '<text>',
        summary: 'What the summary is to heed.',
      },
      {
        name: 'strategy',
        names: ['--strategy'],
        kind: 'string',
        value: '<id>',
        summary: 'summary, truncate, or what a plugin adds.',
      },
      { name: 'model', names: ['--model'], kind: 'string', value: '<model>', summary: 'Who writes the summary.' },
      dir,
    ],
    positionals: [{ name: 'session', required: true, summary: which }],
    examples: [
      ['Look at it first', 'kern sessions compact latest --preview'],
      ['With a cheaper model', 'kern sessions compact latest --model anthropic/claude-haiku-4-5'],
      ['Take it back', 'kern sessions compact latest --undo'],
    ],
    run: async (_ctx, args, host) => (await import('./compact.ts')).compact(args, host),
  },
  {
    path: ['sessions', 'doctor'],
    group: 'Look',
    summary: 'What is wrong with a session file, line by line. Exit 0 when it is sound, 1 when not.',
    details: 'The file itself is never touched. kern opens it also as it is, and loses nothing that can be read.',
    json: true,
    options: [
      {
        name: 'repair',
        names: ['--repair'],
        kind: 'string',
        value: '<copy>',
        summary: 'Write a sound copy; what cannot be read is kept in it too.',
      },
      dir,
    ],
    positionals: [{ name: 'session', required: true, summary: which }],
    examples: [
      ['Look at a file', 'kern sessions doctor session.jsonl'],
      ['Write a sound copy', 'kern sessions doctor session.jsonl --repair sound.jsonl'],
    ],
    run: async (_ctx, args, host) => (await import('./doctor.ts')).doctor(args, host),
  },
  {
    path: ['sessions', 'rm'],
    group: 'Work',
    summary: 'Delete sessions with all that lies beside them.',
    details: 'Asks first; where nobody can be asked, --yes is needed. One that is open in another kern stays.',
    json: true,
    options: [{ name: 'yes', names: ['-y', '--yes'], kind: 'boolean', summary: 'Do not ask.' }, dir],
    positionals: [{ name: 'session', required: true, rest: true, summary: 'Paths, ids, or beginnings of ids' }],
    examples: [
      ['One', 'kern sessions rm 0193a1'],
      ['Several, without asking', 'kern sessions rm 0193a1 0193b2 --yes'],
    ],
    run: async (_ctx, args, host) => (await import('./rm.ts')).remove(args, host),
  },
];
