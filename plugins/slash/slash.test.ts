// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are places of the texts.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  type AgentSession,
  agentSessions,
  type Message,
  type ModelRequest,
  modelRequest,
  slashCommands,
} from 'kern/contracts';
import { definePlugin, type PluginDefinition } from 'kern/plugin';
import { bootKern, script } from 'kern/testing';
import { expect, onTestFinished, test } from 'vitest';

const textOf = (message: Message | undefined): string =>
  message?.content.map((part) => ('text' in part ? part.text : '')).join('\n') ?? '';

interface Opened {
  readonly session: AgentSession;
  /** What the model was told last. */
  sent(): string | undefined;
}

async function open(
  files: Readonly<Record<string, string>>,
  plugins: readonly PluginDefinition[] = [],
): Promise<Opened> {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'kern-slash-')));
  for (const [name, text] of Object.entries({ '.git/HEAD': '', ...files })) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  const replies = script({ version: 1, turns: [{ text: 'ok' }], repeat: 'last' });
  const requests: ModelRequest[] = [];
  const recorder = definePlugin({
    id: 'recorder',
    setup: (ctx) => ctx.tap(modelRequest, (request) => void requests.push(request)),
  });
  const kern = await bootKern([recorder, ...plugins], {
    cwd: folder,
    home: path.join(folder, 'nobody'),
    config: { agent: { title: { enabled: false } } },
  });
  await kern.view.use(agentSessions).load();
  const create = { view: kern.view, cwd: folder, persist: false, model: replies.model };
  const session = await kern.view.service(agentSessions).create(create);
  onTestFinished(async () => {
    await session[Symbol.asyncDispose]();
    await kern[Symbol.asyncDispose]();
    replies.dispose();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  return { session, sent: () => (requests.length === 0 ? undefined : textOf(requests.at(-1)?.messages.at(-1))) };
}

const files = {
  '.kern/commands/review.md': '---\ndescription: Reviews.\n---\nReview $1 with $2.',
  '.kern/commands/git/tidy.md': 'Tidy up.',
  '.kern/prompts/review.md': 'Never sent.',
  '.kern/prompts/explain.md': 'Explain ${1:-all}.',
};

test.for([
  ['/review "the parser" care', 'Review the parser with care.'],
  ['/git:tidy the shed', 'Tidy up.\n\nthe shed'],
  ['/explain', 'Explain all.'],
  ['/tmp/x is full', '/tmp/x is full'],
  ['/zzzz says nothing to anyone', '/zzzz says nothing to anyone'],
  [' /review a b', ' /review a b'],
] as const)('%s is sent as %j', async ([typed, sent]) => {
  const opened = await open(files);
  await opened.session.prompt({ text: typed });
  expect(opened.sent()).toBe(sent);
});

test('a name that is not there, but like one that is, is answered by kern, and no model is asked', async () => {
  const { session, sent } = await open(files);
  expect((await session.prompt({ text: '/reviw x' })).error?.message).toMatch(
    /^There is no \/reviw\. Did you mean \/review\?/,
  );
  expect(sent()).toBeUndefined();
});

test('commands of plugins run, or give the text; one that fails is told to the person', async () => {
  const ran: string[] = [];
  const commands = definePlugin({
    id: 'commands',
    setup(ctx) {
      ctx.contribute(slashCommands, {
        name: 'note',
        run: async (args) => {
          ran.push(args);
          return `Noted ${args}.`;
        },
      });
      ctx.contribute(slashCommands, { name: 'double', expand: async (args) => `${args} ${args}` });
      ctx.contribute(slashCommands, {
        name: 'broken',
        expand: async () => {
          throw new Error('no way');
        },
      });
    },
  });
  const { session, sent } = await open({}, [commands]);
  expect(await session.prompt({ text: '/note this' })).toMatchObject({ status: 'ok', text: 'Noted this.' });
  expect(ran).toEqual(['this']);
  expect(await session.prompt({ text: '/broken' })).toMatchObject({
    status: 'error',
    text: '',
    error: { code: 'command_failed', message: expect.stringMatching(/^\/broken failed: .*no way/) },
  });
  expect(sent()).toBeUndefined();
  await session.prompt({ text: '/double a' });
  expect(sent()).toBe('a a');
});

test('a command is what its file says when it is sent', async () => {
  const { session, sent } = await open(files);
  await session.prompt({ text: '/git:tidy' });
  expect(sent()).toBe('Tidy up.');
  writeFileSync(path.join(session.cwd, '.kern/commands/git/tidy.md'), 'Tidy up well.');
  await session.prompt({ text: '/git:tidy' });
  expect(sent()).toBe('Tidy up well.');
});

test('a command leaves the session, waits until it is idle, loads extensions anew, and what it says is still told', async () => {
  const seen: unknown[] = [];
  const commands = definePlugin({
    id: 'commands',
    setup(ctx) {
      const command = (name: string, run: () => Promise<string>): void =>
        void ctx.contribute(slashCommands, { name, run });
      command('fresh', async () => {
        seen.push(ctx.session.isIdle(), await ctx.session.newSession());
        return `Now in ${ctx.session.id}.`;
      });
      command('ask', async () => {
        ctx.session.sendMessage('asked by a command');
        seen.push(ctx.session.isIdle());
        await ctx.session.waitForIdle();
        seen.push(ctx.session.isIdle());
        return 'It has answered.';
      });
      command('later', async () => {
        ctx.session.sendMessage('sent by a command');
        return 'Sent.';
      });
    },
  });
  const { session, sent } = await open({}, [commands]);
  await session.prompt({ text: 'first' });
  const before = session.id;
  const fresh = await session.prompt({ text: '/fresh' });
  expect(session.id).not.toBe(before);
  expect(fresh).toMatchObject({ status: 'ok', text: `Now in ${session.id}.` });
  expect(session.messages()).toEqual([]);
  expect((await session.prompt({ text: '/ask' })).text).toBe('It has answered.');
  expect(sent()).toBe('asked by a command');
  expect(seen).toEqual([true, { done: true }, false, true]);
  expect((await session.prompt({ text: '/later' })).text).toBe('Sent.');
  await session.waitForIdle();
  expect(sent()).toBe('sent by a command');
});

test('while a command runs the session is at work for all others, and whoever aborts it ends its prompt', async () => {
  const begun = Promise.withResolvers<void>();
  const commands = definePlugin({
    id: 'commands',
    setup: (ctx) =>
      ctx.contribute(slashCommands, {
        name: 'long',
        run: () => {
          begun.resolve();
          return new Promise(() => {});
        },
      }),
  });
  const { session, sent } = await open({}, [commands]);
  const running = session.prompt({ text: '/long' });
  await begun.promise;
  expect(session.isIdle()).toBe(false);
  await expect(session.prompt({ text: 'me too' })).rejects.toMatchObject({ code: 'run_in_progress' });
  session.steer({ text: 'wait for me' });
  expect(sent()).toBeUndefined();
  expect(session.abort().steering).toEqual(['wait for me']);
  expect(await running).toMatchObject({ status: 'aborted' });
  await session.waitForIdle();
  expect(session.isIdle()).toBe(true);
});
