import type { Script } from 'kern/contracts';

/** One turn of a script, everything filled in. */
export type Turn = Script['turns'][number];
export type Expectation = Turn['expect'];
