import { commands, flags, schemas } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';

/** The command line as others see it: verbs and flags. The verbs themselves are plugins in folders below. */
export default definePlugin({ id: 'cli', declares: [commands, flags, schemas], setup: () => {} });
