import { statSync } from 'node:fs';
import { resultText } from 'kern/contracts';
import { bootTools } from '../../test/kernel.ts';

// A program of its own, because the memory of a test runner says nothing: runs a command through the tool and prints by
// how many MB the memory grew meanwhile, the end of what was shown, and what the artifact holds.

const [command = ''] = process.argv.slice(2);
await using t = await bootTools(['tools.bash'], [], {
  config: { 'tools.bash': { snapshot: false, normalize: false } },
});
await t.callTool('bash', { command: 'seq 1 5000' });
const before = process.memoryUsage.rss();
let peak = before;
const look = (): void => {
  peak = Math.max(peak, process.memoryUsage.rss());
};
const timer = setInterval(look, 5);
const shown = resultText(await t.callTool('bash', { command, timeout: 600 }));
clearInterval(timer);
look();
const path = / = ([^\]]+)\]/.exec(shown.slice(-1000))?.[1];
process.stdout.write(
  JSON.stringify({
    grewMB: Math.round((peak - before) / 1024 / 1024),
    end: shown.slice(-300),
    length: shown.length,
    artifact: path === undefined ? undefined : statSync(path).size,
  }),
);
