import { commands } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { launch } from './launch.ts';

/** `kern [message…]`: from words on the command line to a session in a mode. */
export default definePlugin({ id: 'cli.run', setup: (ctx) => ctx.contribute(commands, launch) });
