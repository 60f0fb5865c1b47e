/** What can be measured, in the order it is. The command's help names them without loading what measures. */
export const names = [
  'start',
  'request',
  'extensions',
  'turns',
  'read',
  'deltas',
  'save',
  'memory',
  'prompt',
  'hook',
  'pages',
  'edit',
  'grep',
  'bash',
  'parallel',
  'writes',
  'flood',
  'discovery',
  'append',
  'open',
  'list',
  'behind',
] as const;

export type Name = (typeof names)[number];
