import { type Command, commands, settingsTakeOver } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';

const importCommand: Command = {
  path: ['config', 'import'],
  group: 'Set up',
  summary: 'Take over the settings of pi or oh-my-pi.',
  details:
    'What kern understands is written into your config; what you have set in kern already stays. The rest is\nlisted with the reason. Keys that stand there in clear come along only with --keys.',
  json: true,
  mends: true,
  options: [
    { name: 'keys', names: ['--keys'], kind: 'boolean', summary: 'Keys of described providers too, into models.yml.' },
    { name: 'dryRun', names: ['--dry-run'], kind: 'boolean', summary: 'Only tell what would be taken over.' },
  ],
  positionals: [{ name: 'program', required: true, summary: 'pi or oh-my-pi' }],
  examples: [
    ['What would come along', 'kern config import pi --dry-run'],
    ['Take it over', 'kern config import oh-my-pi'],
  ],
  run: async (_ctx, args, host) => (await import('./import.ts')).importFrom(args, host),
};

/** Settings of other programs: `kern config import`, and the offer at the first start. */
export default definePlugin({
  id: 'cli.take-over',
  description: 'Takes over the settings of pi and oh-my-pi.',
  declares: [settingsTakeOver],
  setup(ctx) {
    ctx.contribute(commands, importCommand);
    ctx.contribute(settingsTakeOver, { offer: async (host) => (await import('./offer.ts')).offer(host) });
  },
});
