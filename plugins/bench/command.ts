import type { Command } from 'kern/contracts';
import { names } from './names.ts';

/** `kern bench`: in a checkout `npm run bench`, which builds first. */
export const bench: Command = {
  path: ['bench'],
  group: 'Look',
  summary: 'Measure how fast kern is here, against bare Node.',
  details: [
    'Ratios of one run: what is compared is measured in turns, and the median counts. Nothing is judged.',
    `What there is: ${names.join(', ')}.`,
    'Models are servers on loopback; everything else happens in temporary folders, which are removed.',
  ].join('\n'),
  options: [
    {
      name: 'runs',
      names: ['--runs'],
      kind: 'string',
      value: '<n>',
      summary: 'Rounds of each measurement. Default 10.',
    },
    {
      name: 'only',
      names: ['--only'],
      kind: 'list',
      value: '<name>',
      summary: 'Only this; may be given more than once.',
    },
  ],
  examples: [
    ['Everything', 'kern bench'],
    ['How long until the first request leaves', 'kern bench --only request --runs 20'],
  ],
  json: true,
  boots: 'builtins',
  run: async (ctx, args, host) => (await import('./run.ts')).run(ctx, args, host),
};
