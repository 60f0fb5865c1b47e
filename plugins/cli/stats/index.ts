import { commands } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { stats } from './command.ts';

/** `kern stats`: what sessions came to. */
export default definePlugin({ id: 'cli.stats', setup: (ctx) => ctx.contribute(commands, stats) });
