// A kern whose tools are called on request: a JSON line in, a JSON line out. It stays open, so that what is measured is
// the call and no start, and it times itself, so that the way of a request is no part of a time. What the calls are
// compared with runs here too.
import { randomUUID } from 'node:crypto';
import { open, readFile, rename } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { createAllTools, createKernel } from 'kern';
import { processes } from 'kern/plugin';

const [, , home, cwd] = process.argv;
const kern = await createKernel({ home, cwd, noExtensions: true, permissionMode: 'all' });
await kern.view.use(processes).load();
const tools = createAllTools(cwd, { view: kern.view });

/** What can be asked for, by the name in `do`. */
const works = {
  /** Calls of tools, each after the one before, or `together`. Answers with the text of the last. */
  async call({ calls, together }) {
    const run = async ({ name, args }) => {
      const result = await tools[name].execute(randomUUID(), args);
      const text = result.content.map((part) => part.text ?? '').join('\n');
      if (result.isError) throw new Error(`${name}: ${text}`);
      return text;
    };
    if (together) return (await Promise.all(calls.map(run))).at(-1);
    let last = '';
    for (const call of calls) last = await run(call);
    return last;
  },

  /** A program by itself, started as the tools start theirs. */
  async spawn({ command, args }) {
    const result = await kern.view
      .service(processes)
      .spawn(command, args, { cwd, merge: true, keepBytes: 64 * 1024, env: { RIPGREP_CONFIG_PATH: undefined } }).result;
    if (result.exitCode !== 0) throw new Error(`${command} ended with ${result.exitCode}: ${result.stdout}`);
    return result.stdout;
  },

  /** What an edit is at the very least. */
  async edit({ path, from, to }) {
    const bytes = await readFile(path);
    const at = bytes.indexOf(from);
    const after = bytes.subarray(at + Buffer.byteLength(from));
    await replace(path, Buffer.concat([bytes.subarray(0, at), Buffer.from(to), after]));
    return '';
  },

  /** What a write is at the very least, one after the other. */
  async write({ files }) {
    for (const { path, content } of files) await replace(path, content);
    return '';
  },
};

/** A file is the old or the new one at any moment, also when the power fails. */
async function replace(path, content) {
  const next = `${path}.next`;
  const file = await open(next, 'w');
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(next, path);
}

async function answer({ do: name, ...request }) {
  const before = process.cpuUsage();
  const from = performance.now();
  try {
    const text = await works[name](request);
    const ms = performance.now() - from;
    const { user, system } = process.cpuUsage(before);
    return { ms, cpuMs: (user + system) / 1000, text: text.slice(0, 1000) };
  } catch (error) {
    return { failed: error.message };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const said = await answer(JSON.parse(line));
  process.stdout.write(`${JSON.stringify(said)}\n`);
}
await kern.close();
