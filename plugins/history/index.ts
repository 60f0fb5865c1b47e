import { commands, promptHistory } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { historyCommand } from './command.ts';
import { FileHistory } from './history.ts';
import { type HistorySettings, historySettings } from './settings.ts';

export default definePlugin<HistorySettings>({
  id: 'history',
  description: 'Remembers what was typed, for recall in every terminal.',
  declares: [promptHistory],
  config: historySettings,
  setup(ctx) {
    const history = new FileHistory({
      home: ctx.where.home,
      settings: () => ctx.config,
      now: Date.now,
      warn: (message) => ctx.log.warn(message),
    });
    ctx.contribute(promptHistory, history);
    ctx.contribute(commands, historyCommand);
    ctx.defer(() => history.close());
  },
});
