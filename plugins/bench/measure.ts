import type { Ground } from './ground.ts';
import type { Name } from './names.ts';
import type { Table } from './table.ts';

type Measure = (ground: Ground) => Promise<Table>;

/** Each loads when its turn comes. */
export const measures: Readonly<Record<Name, () => Promise<Measure>>> = {
  start: async () => (await import('./start.ts')).start,
  request: async () => (await import('./request.ts')).request,
  extensions: async () => (await import('./extensions.ts')).extensions,
  turns: async () => (await import('./turns.ts')).turns,
  read: async () => (await import('./read.ts')).read,
  deltas: async () => (await import('./deltas.ts')).deltas,
  save: async () => (await import('./save.ts')).save,
  memory: async () => (await import('./memory.ts')).memory,
  prompt: async () => (await import('./prompt.ts')).prompt,
  hook: async () => (await import('./hook.ts')).hook,
  pages: async () => (await import('./pages.ts')).pages,
  edit: async () => (await import('./edit.ts')).edit,
  grep: async () => (await import('./grep.ts')).grep,
  bash: async () => (await import('./bash.ts')).bash,
  parallel: async () => (await import('./parallel.ts')).parallel,
  writes: async () => (await import('./writes.ts')).writes,
  flood: async () => (await import('./flood.ts')).flood,
  discovery: async () => (await import('./discovery.ts')).discovery,
  append: async () => (await import('./append.ts')).append,
  open: async () => (await import('./open.ts')).open,
  list: async () => (await import('./list.ts')).list,
  behind: async () => (await import('./behind.ts')).behind,
};
