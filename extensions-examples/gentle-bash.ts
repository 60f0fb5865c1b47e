// A service in kern's place: bash runs its commands elsewhere. Here that is the same machine, at the lowest priority. It
// counts from your own folder and from -e, never from a project.
import { bashOperations } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';

export default definePlugin({
  id: 'gentle-bash',
  setup: (ctx) =>
    ctx.contribute(bashOperations, {
      async exec(command, cwd, { env, timeoutMs, signal, onData }) {
        const line = ['-n', '19', 'bash', '-c', command];
        const child = ctx.spawn('nice', line, { cwd, env, timeoutMs, signal, merge: true, onOutput: onData });
        const { exitCode, timedOut, signal: by } = await child.result;
        return { exitCode, timedOut, ...(by === undefined ? {} : { signal: by }) };
      },
    }),
});
