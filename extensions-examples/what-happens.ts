// Writes down whatever happens, a line each, into the file that its setting names. Events are told at once, and nobody
// waits for what a tap does: the lines are collected, and written when there is time.
import { appendFile } from 'node:fs/promises';
import path from 'node:path';
import * as kern from 'kern/contracts';
import { capabilityChanged, configChanged, definePlugin, type Hook, pluginChanged } from 'kern/plugin';
import { z } from 'zod';

const told: readonly Hook<'event', unknown, never>[] = [
  ...[kern.agentStart, kern.agentEnd, kern.turnStart, kern.turnEnd, kern.messageStart, kern.queueChanged],
  ...[kern.toolStart, kern.toolUpdate, kern.toolEnd, kern.permissionDecided, kern.ruleTriggered, kern.hookMessage],
  ...[kern.modelSelect, kern.modelResponse, kern.thinkingSelect, kern.retryStart, kern.retryEnd],
  ...[kern.sessionSwitch, kern.sessionBranch, kern.sessionTree, kern.sessionCompact, kern.compactionStart],
  ...[kern.compactionEnd, kern.entryAppended, kern.sessionWriteFailed, kern.sessionWriteRestored],
  ...[pluginChanged, capabilityChanged, configChanged],
];

export default definePlugin({
  id: 'what-happens',
  config: z.object({ file: z.string().default('.kern/what-happens.log') }),
  setup(ctx) {
    const lines: string[] = [];
    const note = (hook: string) => (value: unknown) => {
      lines.push(`${hook} ${JSON.stringify(value)?.slice(0, 200)}`);
    };
    for (const hook of told) ctx.tap(hook, note(hook.id));
    // Many a second come of these: they are counted, and nothing else.
    let pieces = 0;
    ctx.tap(kern.messageUpdate, () => {
      pieces += 1;
    });
    // A series is awaited: whoever says when a session begins and ends waits for what is done then.
    ctx.tap(kern.sessionStart, note('session.start'));
    ctx.tap(kern.sessionShutdown, async (value) => {
      note('session.shutdown')({ ...value, pieces });
      await appendFile(path.resolve(ctx.where.cwd, ctx.config.file), `${lines.splice(0).join('\n')}\n`);
    });
  },
});
