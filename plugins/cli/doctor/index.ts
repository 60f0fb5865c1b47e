import { type Command, commands } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';

const doctor: Command = {
  path: ['doctor'],
  group: 'Look',
  summary: 'Check what kern needs, and say what is wrong and how to put it right.',
  examples: [
    ['Everything', 'kern doctor'],
    ['For a program', 'kern doctor --json'],
  ],
  json: true,
  mends: true,
  run: async (_ctx, args, host) => (await import('./doctor.ts')).doctor(args, host),
};

/** `kern doctor`. */
export default definePlugin({ id: 'cli.doctor', setup: (ctx) => ctx.contribute(commands, doctor) });
