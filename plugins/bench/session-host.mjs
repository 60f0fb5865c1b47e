// A kern whose sessions are opened, written and listed on request: a JSON line in, a JSON line out. It times itself, so
// that neither a start nor the way of a request is part of a time. What all of it is compared with runs here too.
import { open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createAgentSession, createKernel } from 'kern';
import { agentSessions, sessions } from 'kern/contracts';

const [, , home, cwd] = process.argv;
const kern = await createKernel({ home, cwd, noExtensions: true, permissionMode: 'all' });
// What every command that has to do with sessions has loaded.
await Promise.all([kern.view.use(sessions).load(), kern.view.use(agentSessions).load()]);
const service = kern.view.service(sessions);

const textOf = (length) => 'Words of a session, and of "many" kinds.\n'.repeat(Math.ceil(length / 41)).slice(0, length);
const said = (text) => ({ role: 'user', content: [{ type: 'text', text }], timestamp: 1_767_225_600_000 });

/** How much of the time of the last request this process was at work. */
let cpuMs = 0;

async function timed(work) {
  const before = process.cpuUsage();
  const from = performance.now();
  await work();
  const ms = performance.now() - from;
  const { user, system } = process.cpuUsage(before);
  cpuMs = (user + system) / 1000;
  return ms;
}

/** What can be asked for, by the name in `do`. Answers with milliseconds. */
const works = {
  /** Entries of a new session: each waits for the one before to be acknowledged, or all are asked for at once. */
  async append({ count, bytes, together }) {
    const store = await service.create({ cwd, persist: true });
    const message = said(textOf(bytes));
    const add = () => store.append({ type: 'message', message });
    await add();
    const ms = await timed(async () => {
      if (together) await Promise.all(Array.from({ length: count }, add));
      else for (let nth = 0; nth < count; nth += 1) await add();
    });
    await store.close();
    await rm(store.file);
    return ms;
  },

  /** The same lines, by Node alone. */
  async bareAppend({ count, bytes, together, sync }) {
    const file = await open(join(cwd, 'bare.jsonl'), 'a');
    const message = said(textOf(bytes));
    const line = () => `${JSON.stringify({ type: 'message', id: '00000000', message })}\n`;
    const ms = await timed(async () => {
      if (together) return file.appendFile(Array.from({ length: count }, line).join(''));
      for (let nth = 0; nth < count; nth += 1) {
        await file.appendFile(line());
        if (sync) await file.datasync();
      }
    });
    await file.close();
    await rm(join(cwd, 'bare.jsonl'));
    return ms;
  },

  /** The store alone, with what its leaf comes to. */
  async open({ file }) {
    let store;
    const ms = await timed(async () => {
      store = await service.open(file, { whenBusy: 'fail' });
      store.context();
    });
    await store.close();
    return ms;
  },

  /** All that has to be there before the next prompt. */
  async resume({ file, model }) {
    let opened;
    const ms = await timed(async () => {
      opened = await createAgentSession({ kern, resume: file, model, whenBusy: 'fail' });
    });
    await opened[Symbol.asyncDispose]();
    return ms;
  },

  async bareParse({ file }) {
    return timed(async () => {
      for (const line of (await readFile(file, 'utf8')).split('\n')) if (line !== '') JSON.parse(line);
    });
  },

  /** `anew`: as if none of them had been looked at before. */
  async list({ anew }) {
    if (anew) await rm(join(home, 'cache', 'sessions.json'), { force: true });
    return timed(() => service.list({}));
  },

  async bareList({ whole }) {
    const folder = join(home, 'sessions');
    return timed(async () => {
      for (const inside of await readdir(folder))
        for (const name of await readdir(join(folder, inside)))
          await (whole ? readFile(join(folder, inside, name), 'utf8') : stat(join(folder, inside, name)));
    });
  },

  /** A run in a session that goes on, or in a new one; without the time of opening it. */
  async run({ file, model }) {
    const opened = await createAgentSession({ kern, model, ...(file === undefined ? {} : { resume: file }) });
    try {
      let result;
      const ms = await timed(async () => {
        result = await opened.session.prompt({ text: 'go' });
      });
      if (result.status !== 'ok') throw new Error(JSON.stringify(result.error));
      return ms;
    } finally {
      await opened[Symbol.asyncDispose]();
    }
  },
};

async function answer({ do: name, ...request }) {
  try {
    cpuMs = 0;
    const ms = await works[name](request);
    return { ms, cpuMs, memoryMb: (process.resourceUsage().maxRSS * 1024) / 1e6 };
  } catch (error) {
    return { failed: error.message };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const told = await answer(JSON.parse(line));
  process.stdout.write(`${JSON.stringify(told)}\n`);
}
await kern.close();
